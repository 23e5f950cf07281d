// Stands in for a widget's model where there is no kernel: `page.html` has it, one for each widget.
class Model {
  constructor(state) { this.state = state; this.listeners = {}; }
  get(name) { return this.state[name]; }
  set(name, value) {
    if (this.state[name] === value) return;
    this.state[name] = value;
    for (const call of this.listeners["change:" + name] ?? []) call();
  }
  save_changes() {}
  on(event, call) { (this.listeners[event] ??= []).push(call); }
  off(event, call) { this.listeners[event] = (this.listeners[event] ?? []).filter((c) => c !== call); }
}

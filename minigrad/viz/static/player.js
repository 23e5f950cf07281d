// @ts-check
/**
 * The backward player: one picture, laid out once, and a list of recorded steps.
 *
 * A frame is one event of one node. `show` is a pure function of the frame number, the order of the
 * nodes and the modes; it only sets classes, texts and the callout. Numbers, sentences and MathML
 * come from Python; what a user wrote reaches the page through `textContent` alone.
 * `scene`: `{nodes, order, ui, before}`; `steps`: one entry per executed node with its `events`.
 */

/** @typedef {{en: string, zh: string}} Both */
/** @typedef {Record<string, any>} Json */

const SVG = "http://www.w3.org/2000/svg";
const ICONS = {
  first: "M2 2h3v12H2zM14 2v12L6 8z", prev: "M12 2v12L3 8z", play: "M3 1v14l12-7z",
  pause: "M3 2h4v12H3zM9 2h4v12H9z", next: "M4 2v12l9-6z", last: "M11 2h3v12h-3zM2 2v12l8-6z",
};
const MATH = new Set(("math mrow mi mn mo ms mtext mspace msub msup msubsup mover munder munderover mfrac msqrt "
  + "mroot mtable mtr mtd mstyle mpadded mphantom menclose semantics").split(" "));
const PLAY_MS = 1600, REACH = 480;  // how far from its node a callout may stand, in px
const SHAPES = ".mg-op, .mg-acc, .mg-leaf, .mg-constant, .mg-nonleaf, .mg-saved, .mg-hook, .mg-sum, .mg-copy, .mg-none, "
  + ".mg-word, .mg-badge";

// ---------------------------------------------------------------- small makers of elements

/** @param {string} tag @param {Json} [props] @param {...(Node|string|null|undefined|false)} kids */
function h(tag, props = {}, ...kids) {
  const el = document.createElement(tag);
  for (const [key, value] of Object.entries(props)) {
    if (value === false || value == null) continue;
    if (key === "class") el.className = value;
    else el.setAttribute(key, value === true ? "" : String(value));
  }
  el.append(.../** @type {(Node|string)[]} */ (kids.filter((kid) => kid || kid === "")));
  return el;
}

/** @param {string} tag @param {Json} attributes @param {string} [text] */
function s(tag, attributes, text) {
  const el = document.createElementNS(SVG, tag);
  for (const [key, value] of Object.entries(attributes)) el.setAttribute(key, String(value));
  if (text !== undefined) el.textContent = text;
  return el;
}

/** @param {...(Node|string|null|undefined|false)} kids */
const row = (...kids) => h("div", { class: "mg-row" }, ...kids);
/** @param {...(Node|string|null|undefined|false)} kids */
const muted = (...kids) => h("span", { class: "mg-sub" }, ...kids);
/** @param {string|Node} text A gradient. */
const number = (text) => h("span", { class: "mg-num" }, text);

/** @param {string} name */
function icon(name) {
  const el = s("svg", { viewBox: "0 0 16 16", "aria-hidden": "true" });
  el.append(s("path", { d: ICONS[name] }));
  return el;
}

/** Text with `code` between backticks. @param {string} text */
function rich(text) {
  return text.split("`").map((part, i) => (i % 2 ? h("code", {}, part) : document.createTextNode(part)));
}

/** Both languages side by side; the stylesheet shows the chosen one. @param {Both} pair */
function two(pair) {
  const box = document.createDocumentFragment();
  if (pair.en === pair.zh) box.append(...rich(pair.en));
  else box.append(h("span", { lang: "en" }, ...rich(pair.en)), " ", h("span", { lang: "zh" }, ...rich(pair.zh)));
  return box;
}

/** @param {Both} pair @param {Json} values A value may itself be bilingual. @returns {Both} */
function fill(pair, values) {
  const one = (lang) => pair[lang].replace(/\{(\w+)\}/g, (_, key) => values[key]?.[lang] ?? values[key] ?? "");
  return { en: one("en"), zh: one("zh") };
}

/** @param {Both[]} pairs @returns {Both} */
const join = (...pairs) => ({ en: pairs.map((p) => p.en).join(" "), zh: pairs.map((p) => p.zh).join("") });

/** MathML from Python, copied element by element: nothing but formulas can pass. @param {string} source */
function math(source) {
  const copy = (node) => {
    if (node.nodeType === 3) return document.createTextNode(node.data);
    if (node.nodeType !== 1 || !MATH.has(node.localName)) return document.createTextNode("");
    const el = document.createElementNS("http://www.w3.org/1998/Math/MathML", node.localName);
    for (const name of ["mathvariant", "stretchy", "accent", "fence", "columnalign"])
      if (node.hasAttribute(name)) el.setAttribute(name, node.getAttribute(name));
    el.append(...[...node.childNodes].map(copy));
    return el;
  };
  return copy(new DOMParser().parseFromString(source, "application/xml").documentElement);
}

/** The picture, without anything that could run. @param {string} source */
function picture(source) {
  const el = new DOMParser().parseFromString(source, "image/svg+xml").documentElement;
  for (const bad of el.querySelectorAll("script, foreignObject, style")) bad.remove();   // the style is in player.css
  for (const any of el.querySelectorAll("*"))
    for (const { name, value } of [...any.attributes])
      if (/^on|href$/i.test(name) && !value.startsWith("#")) any.removeAttribute(name);
  return /** @type {SVGSVGElement} */ (/** @type {unknown} */ (document.importNode(el, true)));
}

// ---------------------------------------------------------------- the walk: frames, order, readiness

/** The recorded steps in an order: PyTorch's, or the one that a student drives. */
class Walk {
  /** @param {Json} scene @param {Json[]} steps @param {string[]} path */
  constructor(scene, steps, path) {
    this.scene = scene;
    this.steps = new Map(steps.map((step) => [step.id, step]));
    /** What each node receives in the end. */
    const sends = steps.flatMap((step) => step.events.flatMap((event) => event.sends ?? []));
    this.sums = new Map(sends.sort((a, b) => a.n - b.n).map((one) => [one.to, one.total]));
    this.order = path.length ? path.filter((id) => this.steps.has(id)) : steps.map((step) => step.id);
    this.frames = [{ id: "", at: 0, n: 0, event: { kind: "before", say: scene.before } }];
    this.order.forEach((id, i) => {
      this.steps.get(id).events.forEach((event, at) => this.frames.push({ id, at, n: i + 1, event }));
    });
    this.ends = this.frames.flatMap((f, k) => (f.n !== this.frames[k + 1]?.n ? [k] : []));
    this.isEnd = new Set(this.ends);
    this.place = new Map(this.order.map((id, i) => [id, i + 1]));
  }

  get end() { return this.frames.length - 1; }
  get size() { return Object.keys(this.scene.nodes).length; }

  /** @param {string} id */
  title(id) { return this.scene.nodes[id].title; }

  /** Which node, counted from 1, frame `k` belongs to. @param {number} k */
  count(k) { return this.frames[k].n; }

  /** "3b", or "3" for the last event of node 3. @param {number} k */
  label(k) {
    const { n, at } = this.frames[k];
    return this.isEnd.has(k) ? String(n) : n + String.fromCharCode(97 + (at % 26));
  }

  /** Everything that has happened by frame `k`. @param {number} k */
  state(k) {
    const done = /** @type {Set<string>} */ (new Set());
    const st = { done, now: this.frames[k].id, bad: "", marks: new Set(), freed: new Set(), slots: new Map(), totals: new Map() };
    for (let i = 1; i <= k; i++) {
      const { id, event } = this.frames[i];
      for (const [slot, text] of Object.entries(event.slots ?? {})) st.slots.set(slot, text);
      for (const mark of event.marks ?? []) st.marks.add(mark);
      for (const saved of event.freed ?? []) st.freed.add(saved);
      for (const sent of event.sends ?? []) if (sent.to) st.totals.set(sent.to, sent);
      if (event.bad) st.bad = id;
      else if (this.isEnd.has(i)) st.done.add(id);
    }
    return st;
  }

  /** Gradients that a node waits for, and how many came. @param {string} id @param {Set<string>} done */
  arrived(id, done) {
    const needs = this.scene.nodes[id].needs;
    const missing = needs.filter((from) => !done.has(from));
    return { missing: [...new Set(missing)], n: needs.length - missing.length, m: needs.length };
  }

  /** Ready nodes, first the one that PyTorch would take; `now` has left the queue once it has `begun`.
   *  @param {Set<string>} done @param {string} now @param {boolean} [begun] */
  ready(done, now, begun) {
    const nodes = this.scene.nodes;
    const waits = (id) => !done.has(id) && !(begun && id === now);
    return Object.keys(nodes).filter((id) => waits(id) && !this.arrived(id, done).missing.length)
      .sort((a, b) => nodes[a].rank - nodes[b].rank);
  }
}

// ---------------------------------------------------------------- geometry of the callout

/** @typedef {{x: number, y: number, w: number, h: number}} Box */

/** @param {Box} a @param {Box} b */
function overlap(a, b) {
  const w = Math.min(a.x + a.w, b.x + b.w) - Math.max(a.x, b.x), v = Math.min(a.y + a.h, b.y + b.h) - Math.max(a.y, b.y);
  return w > 0 && v > 0 ? w * v : 0;
}

/** @param {Box} b @param {number} by @returns {Box} */
const grown = (b, by) => ({ x: b.x - by, y: b.y - by, w: b.w + 2 * by, h: b.h + 2 * by });

/** The place on the stage that hides least and lies nearest. @param {Box} node @param {{w: number, h: number}} size
 *  @param {Box[]} others @param {{w: number, h: number}} stage */
function nearest(node, size, others, stage) {
  let best = { x: 0, y: 0, w: size.w, h: size.h }, least = Infinity;
  const cx = node.x + node.w / 2, cy = node.y + node.h / 2;
  const from = (at, extent) => Math.max(4, Math.floor(at - extent - REACH));
  const to = (at, extent, whole) => Math.max(4, Math.min(at + REACH, whole - extent - 4));
  for (let y = from(cy, size.h); y <= to(cy, size.h, stage.h); y += 8) {
    for (let x = from(cx, size.w); x <= to(cx, size.w, stage.w); x += 12) {
      const box = { x, y, w: size.w, h: size.h };
      const dx = Math.max(x - cx, cx - x - size.w, 0), dy = Math.max(y - cy, cy - y - size.h, 0);
      let cost = Math.hypot(dx, dy) * 24 + Math.abs(x + size.w / 2 - cx) * 0.5;
      if (cost >= least) continue;
      for (const other of others) cost += overlap(box, other) * 5;
      if (cost < least) { least = cost; best = box; }
    }
  }
  return best;
}

// ---------------------------------------------------------------- the widget

/** @param {{model: any, el: HTMLElement}} context */
function render({ model, el }) {
  const life = new AbortController(), on = { signal: life.signal };
  const ui = model.get("scene").ui;
  /** What only this view knows. */
  const S = {
    quiz: "",                                                       // the node that a question is open about
    refused: /** @type {Json|null} */ (null), verdict: /** @type {Json|null} */ (null), note: /** @type {Both|null} */ (null),
    answered: /** @type {Record<string, {v: number, r: number}>} */ ({}),
    present: false, picked: false, timer: 0, want: 0, breaks: new Set(model.get("breaks")),
  };
  let walk = new Walk(model.get("scene"), model.get("steps"), model.get("path"));

  const svg = picture(model.get("svg"));
  const leader = s("svg", { class: "mg-leader", "aria-hidden": "true" });
  const callout = h("div", { class: "mg-callout" });
  const queue = h("div", { class: "mg-queue" });
  const stage = h("div", { class: "mg-stage" }, svg, leader, callout);
  const fit = h("div", { class: "mg-fit" }, stage);
  const strip = h("div", { class: "mg-strip" });
  const say = h("p", { class: "mg-say", "aria-live": "polite" });
  const bar = h("div", { class: "mg-bar", role: "toolbar", "aria-label": "transport" });
  const root = h("div", { class: "mg-player", tabindex: 0, role: "application", "aria-roledescription": "backward player",
    "aria-label": model.get("scene").title, "data-lm-suppress-shortcuts": "true" },
    h("div", { class: "mg-body" }, fit, strip, queue, say, bar));

  // ------------------------------------------------------------ the bar
  /** @type {Record<string, HTMLButtonElement>} */
  const buttons = {};
  const button = (name, ...kids) => {
    const label = ui[name].en + " / " + ui[name].zh;
    const made = h("button", { type: "button", "data-do": name, title: label, "aria-label": label }, ...kids);
    buttons[name] = /** @type {HTMLButtonElement} */ (made);
    return made;
  };
  const range = { type: "range", min: 0, "aria-label": ui.slider.en + " / " + ui.slider.zh };
  const slider = /** @type {HTMLInputElement} */ (h("input", range));
  const count = h("span", { class: "mg-count", title: ui.help.en + "\n" + ui.help.zh });
  bar.append(
    ...["first", "prev", "play", "next", "last"].map((name) => button(name, icon(name))), slider, count,
    ...["predict", "drive", "present"].map((name) => button(name, two(ui[name]))), button("lang"), button("theme"));
  buttons.predict.hidden = model.get("live") || walk.scene.faulty;
  buttons.drive.hidden = walk.scene.faulty;              // the numbers of a faulty engine hold in its own order alone

  // ------------------------------------------------------------ the picture: rings, badges, marks made once
  /** @type {Map<string, {group: SVGGElement, under: SVGElement, badge: SVGElement, text: SVGElement, box: Box}>} */
  const nodes = new Map();
  const labels = svg.querySelectorAll("text"), freed = new Set(svg.querySelectorAll(".mg-freed"));
  const original = new Map([...svg.querySelectorAll("[data-slot]")].map((text) => [text, text.textContent]));
  let parts = /** @type {Box[]} */ ([]);                       // on the stage; measured when it is laid out
  const view = { x: 0, y: 0, w: 1, h: 1, k: 1, dx: 0, dy: 0 };

  function decorate() {
    for (const group of /** @type {NodeListOf<SVGGElement>} */ (svg.querySelectorAll(".mg-op, .mg-acc"))) {
      const id = group.dataset.id ?? "", { leaf } = walk.scene.nodes[id], box = boxOf(group);
      const card = leaf && svg.querySelector(`.mg-leaf[data-id="${leaf}"]`);
      if (card) box.h = boxOf(card).y + boxOf(card).h - box.y;            // the drawer and its leaf are one
      group.classList.add("mg-node");
      card?.setAttribute("data-node", id);
      const under = ring(box, leaf ? 10 : Math.min(box.h / 2, 30)), { badge, text } = tag(box, leaf ? 8 : 0);
      svg.insertBefore(under, svg.querySelector("g") ?? svg.firstChild);
      svg.append(badge);
      nodes.set(id, { group, under, badge, text, box });
    }
  }
  /** Halo and ring, drawn under a node. @param {Box} box @param {number} round */
  function ring(box, round) {
    const under = s("g", { class: "mg-under" });
    for (const [pad, name] of /** @type {[number, string][]} */ ([[9, "mg-glow"], [4.5, "mg-ring"]])) {
      const { x, y, w, h: high } = grown(box, pad);
      under.append(s("rect", { x, y, width: w, height: high, rx: round + pad, class: name }));
    }
    return under;
  }
  /** Its place in the order, with a tick once it is done; or the octagon. @param {Box} box @param {number} rise */
  function tag(box, rise) {
    const half = walk.size > 99 ? 22 : 18, x = box.x + box.w - 22, y = box.y - rise, badge = s("g", { class: "mg-badge" });
    const text = s("text", { x, y: y + 5, "text-anchor": "middle" });
    badge.append(
      s("rect", { x: x - half, y: y - 9, width: 2 * half, height: 19, rx: 9.5, class: "mg-badge-rim" }),
      s("path", { d: `M${x - half + 6},${y + 0.5} l3,3.4 l5.4,-6.4`, class: "mg-tick" }), text,
      s("path", { d: octagon(x, y, 12), class: "mg-octagon" }),
      s("text", { x, y: y + 5.2, "text-anchor": "middle", class: "mg-bang" }, "!"),
      s("rect", { x: box.x - 3, y: box.y - 3, width: 10, height: 10, class: "mg-break" }));
    return { badge, text };
  }
  /** @param {Element} part @returns {Box} */
  function boxOf(part) {
    const b = /** @type {SVGGraphicsElement} */ (part).getBBox();
    return { x: b.x, y: b.y, w: b.width, h: b.height };
  }
  /** @param {number} x @param {number} y @param {number} r */
  function octagon(x, y, r) {
    const corner = (_, i) => {
      const angle = (i + 0.5) * Math.PI / 4;
      return (x + r * Math.cos(angle)).toFixed(1) + "," + (y + r * Math.sin(angle)).toFixed(1);
    };
    return "M" + Array.from({ length: 8 }, corner).join("L") + "z";
  }

  /** Largest scale that fits, but never below 12 px text (it grows a little in its boxes); the rest scrolls. */
  function layout() {
    if (!fit.clientWidth || !svg.viewBox.baseVal) return show();              // the narrow strip stands in for the stage
    if (!nodes.size) decorate();
    const vb = svg.viewBox.baseVal, wide = vb.width > vb.height * 1.2, W = fit.clientWidth, H = fit.clientHeight;
    const roomX = wide ? 0 : 320, roomY = wide ? 116 : 96;
    const k = Math.min(1.3, Math.max(0.84, Math.min((W - roomX) / vb.width, (H - roomY) / vb.height)));
    stage.style.setProperty("--mg-up", String(Math.max(1, 12.05 / (13 * k))));
    Object.assign(view, { x: vb.x, y: vb.y, k, w: Math.max(W, vb.width * k), h: Math.max(H, vb.height * k + roomY) });
    view.dx = wide ? (view.w - vb.width * k) / 2 : Math.min((view.w - vb.width * k) / 2, W * 0.1);
    view.dy = Math.min(view.h - vb.height * k, roomY + (view.h - vb.height * k - roomY) / 2);
    const sizes = { w: view.w, h: view.h, x: view.dx, y: view.dy, sw: vb.width * k, sh: vb.height * k };
    for (const [name, value] of Object.entries(sizes)) stage.style.setProperty("--mg-" + name, value + "px");
    parts = [...svg.querySelectorAll(SHAPES)].map((part) => onStage(boxOf(part)));
    show();
  }
  /** @param {Box} b In pixels of the stage. @returns {Box} */
  function onStage(b) {
    const { k } = view;
    return { x: (b.x - view.x) * k + view.dx, y: (b.y - view.y) * k + view.dy, w: b.w * k, h: b.h * k };
  }

  // ------------------------------------------------------------ showing a frame
  const frame = () => Math.max(0, Math.min(walk.end, model.get("frame")));
  const drive = () => model.get("drive");

  function show() {
    const k = frame(), f = walk.frames[k], st = walk.state(k), begun = !walk.isEnd.has(k) || st.bad !== "";
    const now = S.quiz || f.id, ready = st.bad ? [] : walk.ready(st.done, now, begun);
    root.classList.toggle("mg-driving", drive());
    root.classList.toggle("mg-presenting", S.present);
    for (const name of ["en", "zh", "both"]) root.classList.toggle("mg-" + name, name === lang());
    root.classList.toggle("mg-dark", dark());
    paint(st, now, ready);
    cards(st, now, k);
    showQueue(ready, st);
    showSay(k, st);
    showBar(k, st);
    showCallout(st, now, k);
  }

  /** Classes and texts of the one picture. */
  function paint(st, now, ready) {
    const waiting = new Set(ready), { quiz } = S.quiz ? walk.steps.get(S.quiz) : { quiz: null };
    for (const [text, first] of original) {
      const slot = /** @type {SVGElement} */ (text).dataset.slot ?? "", value = st.slots.get(slot);
      text.textContent = quiz?.slot === slot ? "?" : value ?? first;
      text.classList.toggle("mg-set", value !== undefined);
      text.classList.toggle("mg-ask", quiz?.slot === slot);
      text.classList.toggle("mg-bad", /NaN|∞/.test(value ?? ""));
    }
    for (const part of /** @type {NodeListOf<SVGElement>} */ (svg.querySelectorAll("[data-id]"))) {
      part.classList.toggle("mg-on", st.marks.has((part.matches(".mg-sum") ? "sum:" : "") + part.dataset.id));
      part.classList.toggle("mg-freed", freed.has(part) || st.freed.has(part.dataset.id));
    }
    for (const [i, en, zh] of walk.scene.labels) labels[i].textContent = lang() === "zh" ? zh : en;
    for (const [id, node] of nodes) {
      const n = walk.place.get(id), is = { "mg-now": id === now, "mg-done": st.done.has(id), "mg-ready": waiting.has(id) && id !== now,
        "mg-failed": id === st.bad, "mg-stop": S.breaks.has(id) };
      for (const part of [node.group, node.under, node.badge])
        for (const [name, yes] of Object.entries(is)) part.classList.toggle(name, yes);
      node.text.textContent = n && (is["mg-done"] || is["mg-now"] || !drive()) ? String(n) : "";
      node.badge.classList.toggle("mg-empty", !node.text.textContent);
      const word = ui[["failed", "now", "done", "ready"].find((state) => is["mg-" + state]) ?? "waiting"];
      node.group.setAttribute("aria-label", walk.title(id) + ": " + (lang() === "zh" ? word.zh : word.en));
      node.group.setAttribute("role", drive() ? "button" : "img");
      if (drive()) node.group.setAttribute("tabindex", "0"); else node.group.removeAttribute("tabindex");
    }
  }

  /** The rule with its numbers, the hooks, what was printed: as far as the step has come. */
  function rows(step, at) {
    return step.rows.filter((line) => line.math || line.text || at >= line.at).map((line) => {
      const come = at >= line.at;
      if (line.gate) {
        const gate = h("span", { class: "mg-gate" }, line.gate);
        return row(line.into && muted(two(ui.in)), number(line.before), gate, number(line.after));
      }
      if (line.printed) return h("div", { class: "mg-row mg-printed" }, two(ui.printed), " ", h("code", {}, line.printed));
      const left = line.math ? math(line.math) : h("code", {}, line.text), right = line.num ? math(line.num) : line.value;
      return h("div", { class: "mg-row mg-rule" }, left, come && right && number(right));
    });
  }
  const chip = (id) => h("span", { class: "mg-chip" + (walk.scene.nodes[id].leaf ? " mg-acc" : "") }, walk.title(id));
  const heading = (id) => {
    const n = walk.place.get(id);
    return (n && (!drive() || walk.count(frame()) >= n) ? n + " · " : "") + walk.title(id);
  };

  function showCallout(st, now, k) {
    const id = S.refused?.id ?? now, node = nodes.get(id);
    callout.hidden = !node;
    leader.replaceChildren();
    if (!stage.offsetParent) return;
    const start = nodes.get(Object.keys(walk.scene.nodes)[0]);               // where backward begins
    if (!node) return start && toMiddle(onStage(start.box));
    callout.className = "mg-callout" + (S.refused ? " mg-refusal" : S.quiz ? " mg-quiz" : st.bad === id ? " mg-error" : "");
    callout.replaceChildren(...content(id, k, st));
    const box = onStage(node.box), free = { w: callout.offsetWidth, h: callout.offsetHeight };
    const others = obstacles(id), place = nearest(box, free, others, { w: view.w, h: view.h });
    callout.style.setProperty("--mg-x", place.x + "px");
    callout.style.setProperty("--mg-y", place.y + "px");
    lead(place, box, others);
    const y = Math.min(box.y, place.y);
    toMiddle({ x: box.x, w: box.w, y, h: Math.max(box.y + box.h, place.y + place.h) - y });
  }
  /** @param {Box} b */
  function toMiddle(b) {
    const left = b.x + b.w / 2 - fit.clientWidth / 2, top = b.y + b.h / 2 - fit.clientHeight / 2;
    fit.scrollTo({ left, top, behavior: calm() ? "auto" : "smooth" });
  }
  function content(id, k, st) {
    const step = walk.steps.get(id), node = walk.scene.nodes[id], f = walk.frames[k];
    const head = h("h3", {}, heading(id), " ", node.formula && h("span", { class: "mg-sub" }, node.formula));
    if (S.refused) return [h("h3", {}, node.title), h("div", {}, two(S.refused.say))];
    if (S.quiz) return [quizForm(step)];
    if (st.bad === id) return [head, ...failure(f.event)];
    return [head, ...rows(step, f.at), fanIn(id, st)].filter(Boolean);
  }
  /** Where several gradients meet: how many came. */
  function fanIn(id, st) {
    const targets = new Set((walk.frames[frame()].event.sends ?? []).map((one) => one.to));
    const met = [...targets].filter((to) => walk.scene.nodes[to].needs.length > 1);
    return met.length ? h("div", { class: "mg-row mg-sub" }, two(join(...met.map((to) => meet(to, st))))) : null;
  }
  function meet(id, st) {
    const { n, m } = walk.arrived(id, st.done), sent = st.totals.get(id);
    const told = fill(ui.arrived, { name: walk.title(id), n, m });
    const total = n === m ? walk.sums.get(id) : sent?.n === n && sent.total;
    return n > 1 && total ? join(told, fill(ui.sum, { total })) : told;
  }
  /** What stands near a node and should not be hidden, in pixels; the node itself comes last. */
  function obstacles(id) {
    const box = nodes.get(id)?.box ?? { x: 0, y: 0, w: 0, h: 0 }, own = onStage(grown(box, 14));
    const away = (text, axis) => Math.abs(text.getAttribute(axis) - box[axis]);
    const close = (text) => away(text, "x") < 2 * REACH && away(text, "y") < REACH;
    const texts = [...original.keys()].filter((text) => text.textContent && close(text)).map((text) => onStage(boxOf(text)));
    const near = { x: own.x - REACH, y: own.y - REACH, w: own.w + 2 * REACH, h: own.h + 2 * REACH };
    return [...parts, ...texts].filter((box) => overlap(box, near)).map((box) => grown(box, 4)).concat(own);
  }
  /** A line from the callout to its node, where it crosses least. @param {Box} from @param {Box} to @param {Box[]} others */
  function lead(from, to, others) {
    const clamp = (v, a, b) => Math.max(a, Math.min(b, v)), above = from.y + from.h <= to.y, below = from.y >= to.y + to.h;
    const line = (part) => {
      const x = to.x + to.w * part, y = clamp(to.y + to.h / 2, from.y + 12, from.y + from.h - 12);
      const right = from.x > x, side = right ? [from.x, y, to.x + to.w] : [from.x + from.w, y, to.x];
      if (!above && !below) return [...side, to.y + to.h / 2];
      return [clamp(x, from.x + 12, from.x + from.w - 12), above ? from.y + from.h : from.y, x, above ? to.y : to.y + to.h];
    };
    const crossed = (/** @type {number[]} */ [x, y, u, v]) => {
      const around = { x: Math.min(x, u) - 3, y: Math.min(y, v), w: Math.abs(x - u) + 6, h: Math.abs(y - v) };
      return others.slice(0, -1).reduce((sum, other) => sum + overlap(other, around), Math.abs(x - u) * 4);
    };
    const [x, y, u, v] = [0.3, 0.15, 0.5, 0.62].map(line).reduce((a, b) => (crossed(b) < crossed(a) ? b : a));
    leader.append(s("path", { d: `M${x},${y}L${u},${v}` }), s("circle", { cx: u, cy: v, r: 3.5 }));
  }

  function showQueue(ready, st) {
    const chips = drive() ? [...ready].sort() : ready;                  // in Drive the order is the question
    const shown = chips.length ? chips.map(chip) : [muted(two(ui.empty))];
    queue.replaceChildren(h("b", {}, two(ui.queue)), h("span", { class: "mg-chips" }, ...shown), muted(two(why(ready, st))));
  }
  /** The reason for the order of the queue. */
  function why(ready, st) {
    if (st.bad) return ui.queue_error;
    if (!ready.length) return st.done.size === walk.size ? ui.queue_over : ui.queue_none;
    if (ready.length === 1) return ui.queue_one;
    if (drive()) return ui.queue_drive;
    return ready.some((id) => walk.scene.nodes[id].leaf) ? ui.queue_acc : ui.queue_many;
  }

  function showSay(k, st) {
    const [sign, text] = saying(k);
    say.className = "mg-say" + (st.bad && !S.refused ? " mg-error" : S.refused ? " mg-refusal" : "");
    say.replaceChildren(h("b", {}, sign), two(text));
    if (S.verdict && !S.verdict.right) say.append(" ", h("button", { type: "button", "data-do": "replay" }, two(ui.replay)));
  }
  /** The caption and what stands before it. @param {number} k @returns {[string, Both]} */
  function saying(k) {
    const caption = walk.frames[k].event.say;
    if (S.verdict) return [S.verdict.right ? "✓" : "✗", S.verdict.say];
    if (S.quiz) return ["?", ui.quiz_say];
    if (S.refused) return ["…", S.refused.say];
    if (S.want > walk.ends.length - 1) return [walk.label(k), ui.busy];
    return [walk.label(k), S.note ? join(S.note, caption) : caption];
  }

  function showBar(k, st) {
    const all = walk.size, first = k === 0 && !S.quiz, more = model.get("live") ? walk.ends.length - 1 < all : false;
    const last = drive() ? !walk.ready(st.done, walk.frames[k].id).length : k >= walk.end && !more;
    buttons.first.disabled = buttons.prev.disabled = first;
    buttons.next.disabled = buttons.last.disabled = (last || st.bad !== "") && !S.quiz && k >= walk.end;
    buttons.play.replaceChildren(icon(S.timer ? "pause" : "play"));
    for (const [name, yes] of Object.entries({ predict: model.get("predict"), drive: drive(), present: S.present }))
      buttons[name].setAttribute("aria-pressed", String(yes));
    buttons.lang.textContent = { en: "EN", zh: "中", both: "EN+中" }[lang()];
    buttons.theme.textContent = dark() ? "☀" : "☾";
    slider.max = String(walk.ends.length - 1);
    slider.value = String(walk.ends.findLastIndex((end) => end <= k));
    slider.setAttribute("aria-valuetext", walk.label(k));
    const broken = walk.steps.size < all && !model.get("live");             // an error ended the recording
    count.textContent = walk.label(k) + " / " + (broken ? walk.order.length : all);
  }

  // ------------------------------------------------------------ scenes: the strip of the phone, the presenter's slide
  function cards(st, now, k) {
    const before = h("section", { class: "mg-scene" + (now ? "" : " mg-now") }, h("h2", {}, two(ui.before)),
      h("pre", {}, walk.scene.code), h("p", {}, two(walk.scene.before)));
    const ids = neighbours(now, k), first = !now || ids[0] === walk.order[0];
    strip.replaceChildren(...(first ? [before] : []), ...ids.map((id) => card(id, st, now, k)));
    const current = strip.querySelector(S.refused ? `[data-card="${S.refused.id}"]` : ".mg-scene.mg-now");
    if (current instanceof HTMLElement && strip.offsetParent)
      strip.scrollLeft = current.offsetLeft - (strip.clientWidth - current.clientWidth) / 2;
  }
  /** The nodes whose cards are made: two steps back and forth; in Drive all that can be chosen. */
  function neighbours(now, k) {
    const n = (walk.place.get(now) ?? 1) - 1, count = walk.count(k);
    if (!drive()) return walk.order.slice(Math.max(0, n - 2), n + 3);
    const ran = new Set(walk.order.slice(0, count));
    return walk.order.slice(Math.max(0, count - 2), count).concat(Object.keys(walk.scene.nodes).filter((id) => !ran.has(id)));
  }
  function card(id, st, now, k) {
    const node = walk.scene.nodes[id], is = id === now, done = st.done.has(id), f = walk.frames[k];
    const at = done ? Infinity : is && f.id === id ? f.at : -1;           // how far its events have come
    const kind = "mg-scene" + (node.leaf ? " mg-acc" : "") + (is ? " mg-now" : "");
    const box = h("section", { class: kind, "data-card": id, "aria-current": is && "step" },
      h("h2", {}, heading(id) + (done && !is ? " ✓" : "")), node.formula && h("div", { class: "mg-sub" }, node.formula));
    if (S.refused?.id === id) box.append(h("div", { class: "mg-callout mg-refusal" }, two(S.refused.say)));
    else if (st.bad === id) box.append(h("div", { class: "mg-callout mg-error" }, ...failure(f.event)));
    else if (at < 0 && !is) {
      const who = names(node.needs) || "backward()";
      box.append(h("p", { class: "mg-sub" }, two(fill(ui.waits_for, { who }))));
    } else if (walk.steps.has(id)) box.append(...story(id, at));
    if (drive() && !done && !is) box.append(h("button", { type: "button", "data-pick": id }, two(ui.run_node)));
    return box;
  }
  /** What came in, the rule, what went out, and the events in words. */
  function story(id, at) {
    const step = walk.steps.get(id), n = walk.place.get(id), gated = step.rows.some((line) => line.into && at >= line.at);
    const gone = step.out.filter((one) => at >= one.at);
    const out = gone.map((one) => row(muted(two(ui.out)), "→ " + one.to, number(one.text)));
    const label = (i) => (i < step.events.length - 1 ? n + String.fromCharCode(97 + i) : String(n));
    const items = step.events.slice(0, at + 1).map((event, i) => h("li", {}, h("b", {}, label(i)), " ", two(event.say)));
    return [!gated && row(muted(two(ui.in)), number(step.incoming)), ...(S.quiz === id ? [quizForm(step)] : rows(step, at)),
      ...out, !S.present && !S.quiz && h("ol", {}, ...items)].filter(Boolean);
  }
  const failure = (event) => [h("code", { class: "mg-message" }, event.bad), h("div", {}, two(event.note))];
  /** @param {string[]} ids */
  const names = (ids) => [...new Set(ids)].map((id) => walk.title(id)).join(", ");

  // ------------------------------------------------------------ prediction: a state between two frames
  function quizForm(step) {
    const { quiz } = step, input = (name, value) => h("input", { type: "radio", name, value, required: true });
    const radio = (group, label, i) => h("label", {}, input(group, i), h("span", {}, label));
    return h("form", { class: "mg-quizform" },
      h("fieldset", {}, h("legend", {}, two(quiz.ask)), ...quiz.options.map((text, i) => radio("v", text, i))),
      h("fieldset", { class: "mg-why" }, h("legend", {}, two(ui.because)),
        ...quiz.reasons.map((pair, i) => radio("r", two(pair), i))),
      h("button", { class: "mg-main" }, two(ui.commit)));
  }
  function commit(form) {
    const data = new FormData(form), v = Number(data.get("v")), r = Number(data.get("r"));
    const step = walk.steps.get(S.quiz), right = v === step.quiz.answer && r === step.quiz.reason;
    S.answered[S.quiz] = { v, r };
    const start = walk.frames.findIndex((f) => f.id === S.quiz);
    S.quiz = "";
    S.verdict = { right, start, say: join(right ? ui.right : ui.wrong, step.quiz.why) };
    move(start + step.events.length - 1);
    root.focus({ preventScroll: true });
  }
  /** The first unanswered question between here and there. */
  function question(from, to) {
    if (!model.get("predict")) return null;
    for (let k = from + 1; k <= to; k++) {
      const { id, at } = walk.frames[k], quiz = walk.steps.get(id)?.quiz;
      if (quiz && at === quiz.at && !S.answered[id]) return { id, k: k - 1 };
    }
    return null;
  }

  // ------------------------------------------------------------ moving
  /** Absolute positions only: messages that merge on their way lose nothing. @param {number} k */
  function move(k) {
    model.set("frame", k);
    model.save_changes();
    show();
  }
  /** @param {number} k */
  function go(k) {
    const target = Math.max(0, Math.min(walk.end, k)), quiz = question(frame(), target);
    Object.assign(S, { refused: null, verdict: null, note: null, quiz: quiz?.id ?? "" });
    if (quiz) stop();
    move(quiz ? quiz.k : target);
  }
  function next() {
    const end = walk.ends.find((k) => k > frame());
    if (end !== undefined) return go(end);
    if (drive()) return pick(walk.ready(walk.state(frame()).done, walk.frames[frame()].id)[0]);
    if (model.get("live")) ask(walk.ends.length);
  }
  const prev = () => go(S.quiz && frame() > 0 ? frame() : walk.ends.findLast((k) => k < frame()) ?? 0);
  function last() {
    if (model.get("live")) ask(walk.size);
    else if (drive()) setPath(completed());
    go(walk.end);
  }
  /** What was driven so far, and the rest as PyTorch would take it. */
  function completed() {
    const path = walk.order.slice(0, walk.count(frame())), done = new Set(path);
    for (let id = walk.ready(done, "")[0]; walk.steps.has(id); id = walk.ready(done, "")[0]) {
      path.push(id);
      done.add(id);
    }
    return path;
  }
  /** Ask the kernel for `want` nodes in all; until they come, it is busy. @param {number} want */
  function ask(want) {
    S.want = Math.min(want, walk.size);
    model.set("want", Math.max(model.get("want"), S.want));
    model.save_changes();
    show();
  }
  function stop() { clearInterval(S.timer); S.timer = 0; }
  function play() {
    if (S.timer) { stop(); return show(); }
    if (frame() >= walk.end && !drive() && !model.get("live")) go(0);
    S.timer = window.setInterval(() => {
      next();
      if (buttons.next.disabled || S.breaks.has(walk.frames[frame()].id)) { stop(); show(); }
    }, PLAY_MS);
    next();
  }
  /** To the next or the last node with a breakpoint. @param {number} sign */
  function run(sign) {
    const here = frame(), stops = walk.ends.filter((k) => S.breaks.has(walk.frames[k].id));
    go(sign > 0 ? stops.find((k) => k > here) ?? walk.end : stops.findLast((k) => k < here) ?? 0);
  }
  function breakpoint() {
    const id = walk.frames[frame()].id;
    if (!id) return;
    if (!S.breaks.delete(id)) S.breaks.add(id);
    model.set("breaks", [...S.breaks]);
    model.save_changes();
    show();
  }

  // ------------------------------------------------------------ Drive: the student picks, the engine may refuse
  /** @param {string|undefined} id */
  function pick(id) {
    if (!id) return;
    const k = frame(), st = walk.state(k), { missing, n, m } = walk.arrived(id, st.done), title = walk.title(id);
    const ready = walk.ready(st.done, walk.frames[k].id), first = ready[0];
    Object.assign(S, { refused: null, verdict: null, note: null, quiz: "" });
    const say = st.bad ? ui.queue_error : st.done.has(id) ? fill(ui.already, { name: title })
      : missing.length ? fill(ui.refused, { name: title, n, m, who: names(missing) })
      : walk.steps.has(id) || (model.get("live") && id === first) ? null
      : fill(ui.torch_first, { name: title, first: walk.title(first) });
    if (!say) return take(id, first, st.done);
    S.refused = { id, say };
    model.set("refused", [...model.get("refused"), id]);
    model.save_changes();
    show();
  }
  function take(id, first, done) {
    if (!walk.steps.has(id)) return ask(walk.ends.length);
    const reason = walk.scene.nodes[first].leaf ? ui.because_acc : ui.because_seq;
    if (id !== first) S.note = join(fill(ui.accepted, { name: walk.title(id), first: walk.title(first) }), reason);
    setPath([...done, id]);
    move(walk.end);
  }
  /** @param {string[]} path */
  function setPath(path) {
    model.set("path", path);
    walk = new Walk(model.get("scene"), model.get("steps"), path);
    if (!path.length && drive()) walk = new Walk(model.get("scene"), model.get("steps"), [""]);
  }
  function toggleDrive() {
    if (walk.scene.faulty) return;
    const n = walk.count(frame()), kept = walk.order.slice(0, n);
    model.set("drive", !drive());
    Object.assign(S, { refused: null, verdict: null, note: null, quiz: "" });
    stop();
    setPath(drive() ? kept : []);
    move(walk.ends[Math.min(n, walk.ends.length - 1)]);
  }

  // ------------------------------------------------------------ language, theme, presenting
  const lang = () => (S.present && !S.picked ? "both" : model.get("lang"));
  function dark() {
    const theme = model.get("theme"), lab = document.body.dataset.jpThemeLight;
    return theme ? theme === "dark" : lab ? lab === "false" : matchMedia("(prefers-color-scheme: dark)").matches;
  }
  const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
  function present(yes = !S.present) {
    S.present = yes;
    S.picked = false;
    const whole = root.getBoundingClientRect().height > window.innerHeight - 40;
    if (yes && !whole) root.requestFullscreen?.().catch(() => undefined);
    if (!yes && document.fullscreenElement === root) document.exitFullscreen();
    layout();
    show();
  }
  const set = (name, value) => { model.set(name, value); model.save_changes(); show(); };
  const actions = {
    first: () => go(0), prev, play, next, last, present: () => present(), drive: toggleDrive,
    predict: () => { S.quiz = ""; S.verdict = null; set("predict", !model.get("predict")); },
    lang: () => { const at = lang(); S.picked = true; set("lang", { en: "zh", zh: "both", both: "en" }[at]); },
    theme: () => set("theme", dark() ? "light" : "dark"),
    replay: () => { const start = S.verdict?.start ?? 0; S.verdict = null; go(start); },
  };

  // ------------------------------------------------------------ listening
  root.addEventListener("click", (event) => {
    const at = /** @type {Element} */ (event.target), act = at.closest("[data-do]"), chosen = at.closest("[data-pick]");
    const node = at.closest("[data-node], .mg-node");
    if (act instanceof HTMLElement) actions[act.dataset.do ?? ""]?.();
    else if (chosen instanceof HTMLElement) pick(chosen.dataset.pick);
    else if (node instanceof SVGElement && drive()) pick(node.dataset.node ?? node.dataset.id);
  }, on);
  slider.addEventListener("input", () => go(walk.ends[Number(slider.value)]), on);
  root.addEventListener("submit", (event) => { event.preventDefault(); commit(event.target); }, on);
  root.addEventListener("keydown", (event) => {
    const at = /** @type {HTMLElement} */ (event.target), node = /** @type {SVGElement|null} */ (at.closest?.(".mg-node"));
    event.stopPropagation();
    if (event.ctrlKey || event.metaKey || event.altKey || (at instanceof HTMLInputElement && event.key !== "Escape")) return;
    const pressed = at instanceof HTMLButtonElement, choose = node && drive() ? () => pick(node.dataset.id) : null;
    const act = {
      ArrowRight: event.shiftKey ? () => go(frame() + 1) : next, ArrowLeft: event.shiftKey ? () => go(frame() - 1) : prev,
      Home: actions.first, End: last, " ": pressed ? null : choose ?? play, Enter: choose,
      p: model.get("live") ? null : actions.predict, d: toggleDrive, f: actions.present, b: breakpoint,
      c: () => run(event.shiftKey ? -1 : 1), Escape: () => (S.present ? present(false) : at.blur()),
    }[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }, on);
  document.addEventListener("fullscreenchange", () => { if (S.present && !document.fullscreenElement) present(false); }, on);

  const renew = () => {
    const atEnd = frame() >= walk.end;
    walk = new Walk(model.get("scene"), model.get("steps"), model.get("path"));
    if (atEnd || S.want) model.set("frame", walk.end);
    model.save_changes();
    show();
  };
  const watched = { "change:frame": show, "change:lang": show, "change:theme": show, "change:predict": show, "change:steps": renew };
  for (const [name, act] of Object.entries(watched)) model.on(name, act);
  const size = new ResizeObserver(layout);
  size.observe(fit);
  const theme = new MutationObserver(show);
  theme.observe(document.body, { attributeFilter: ["data-jp-theme-light"] });
  el.append(root);
  if (drive() && !model.get("path").length) setPath([]);
  layout();
  show();
  return () => {
    life.abort();
    stop();
    size.disconnect();
    theme.disconnect();
    for (const [name, act] of Object.entries(watched)) model.off(name, act);
  };
}

export default { render };

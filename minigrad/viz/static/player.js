// @ts-check
/**
 * The backward player: one picture, laid out once, and a list of recorded steps.
 *
 * A frame is one event of one node, and `u` how far inside it we are. What is seen is a pure function of
 * the frame number, `u`, the order of the nodes and the modes; it only sets classes, texts and what is in the dock. Numbers, sentences and MathML
 * come from Python; what a user wrote reaches the page through `textContent` alone.
 * `scene` is what `Scenes.scene` makes; `steps`: one entry per executed node with its `events`;
 * `pictures`: the folded one and those with boxes open, each with what its parts stand for.
 */

/** @typedef {{en: string, zh: string}} Both */

const SVG = "http://www.w3.org/2000/svg";
const ICONS = {
  first: "M2 2h3v12H2zM14 2v12L6 8z", prev: "M12 2v12L3 8z", play: "M3 1v14l12-7z",
  pause: "M3 2h4v12H3zM9 2h4v12H9z", next: "M4 2v12l9-6z", last: "M11 2h3v12h-3zM2 2v12l8-6z",
};
const MATH = new Set(("math mrow mi mn mo ms mtext mspace msub msup msubsup mover munder munderover mfrac msqrt "
  + "mroot mtable mtr mtd mstyle mpadded mphantom menclose semantics").split(" "));
const FRAME_MS = 16, GLIDE_MS = 650, OPEN_MS = 280, LARGEST = 1.3, WIDEST_TEXT = 420, SPEEDS = [0.25, 0.5, 1, 2, 4];
/** How long an event moves, in ms at 1×. */
const LASTS = { seed: 900, hook: 1100, compute: 1600, free: 800, send: 1300, accumulate: 1600, meet: 1900, make: 900 };
const MOST_CHIPS = 32, MOST_ROWS = 24;  // that a queue has room for, that anybody reads: of hundreds the rest is a number
const MANY = 12, FIRST_ROWS = 8, MOST_FORMULAS = 100;  // how many chips are tried first, and more rows than that are small; of too many rows those that are there at once
const MOST_PAINTED = 16;  // what may change out of sight in the frame of a step; more of it in those that follow
const LIT = ".mg-edge, .mg-loop, .mg-round, .mg-copy, .mg-sum";  // what looks different once a gradient has come
const LONG = 24;  // characters: what may break at commas, too
const TEXT = 13, LEAST = { page: 12.02, presenter: 24.04 };  // units of the picture, and px on the screen

// ---------------------------------------------------------------- small makers of elements

/** @param {string} tag @param {Json} attributes @param {string} [text] */
function s(tag, attributes, text) {
  const el = document.createElementNS(SVG, tag);
  for (const [key, value] of Object.entries(attributes)) el.setAttribute(key, String(value));
  if (text !== undefined) el.textContent = text;
  return el;
}

/** A kernel that is just going takes nothing, and throws: what is seen goes on. @param {any} model */
function save(model) { try { model.save_changes(); } catch { /* its page is told when it is gone */ } }
/** A button that does nothing now keeps the focus, or no key would arrive. @param {Element} button @param {boolean} yes */
const disable = (button, yes) => button.setAttribute("aria-disabled", String(yes));
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

/** Both languages side by side; the stylesheet shows the chosen one. @param {Both} pair */
function two(pair) {
  const box = document.createDocumentFragment();
  if (pair.en === pair.zh) box.append(...rich(pair.en));
  else box.append(h("span", { lang: "en" }, ...rich(pair.en)), " ", h("span", { lang: "zh" }, ...rich(pair.zh)));
  return box;
}

/** The attributes of a control that has a name in either language, as a hint too where `hint`. @param {Both} pair */
const named = (pair, hint = false) => ({ "data-en": pair.en, "data-zh": pair.zh, title: hint && "" });
/** A pair in the language shown, or both. @param {Both|DOMStringMap} pair @param {string} lang */
const spoken = ({ en, zh }, lang) => ({ en, zh, both: en === zh ? en : en + " / " + zh })[lang];
const NEXT_TONGUE = /** @type {Record<string, string>} */ ({ en: "zh", zh: "both", both: "en" });
/** Show a language, and name in it whatever has a name. @param {HTMLElement} root @param {"en"|"zh"|"both"} lang */
function speak(root, lang) {
  const tongue = lang === "zh" ? "zh" : "en";
  if (root.lang !== tongue) root.lang = tongue;                              // to say the same lays all text out again
  for (const name of ["en", "zh", "both"]) root.classList.toggle("mg-" + name, name === lang);
  for (const one of /** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll("[data-en]"))) {
    const name = spoken(one.dataset, lang) ?? "";
    if (!one.matches("span")) one.setAttribute("aria-label", name);
    if (one.hasAttribute("title")) one.title = name;
  }
  const switches = /** @type {HTMLElement} */ (root.querySelector(":scope > .mg-bar [data-do=lang], :scope > .mg-body > .mg-bar [data-do=lang]"));
  switches.textContent = { en: "EN", zh: "中", both: "EN+中" }[lang];
  switches.setAttribute("aria-label", switches.textContent + " · " + switches.title);
}
/** What a drawing says, its name first: that one is read, and is no hint that lies over all of it. What stands beside
 *  a word is not one word with it. @param {Element} svg */
function labelled(svg) {
  for (const one of svg.querySelectorAll("tspan + tspan")) one.before(s("tspan", { "font-size": 0 }, " "));
  for (const one of svg.querySelectorAll("text")) one.after(" ");
  const all = [...svg.querySelectorAll("title, desc, text")];
  all[0].remove();
  return all;
}
/** Let a drawing speak a language. @param {Json} P @param {string} lang @returns {Element[]} the labels that changed */
function translated(P, lang) {
  const changed = P.lang === lang ? [] : P.labels.map(([i]) => P.labelled[i]);
  P.lang = lang;
  changed.forEach((label, n) => { label.textContent = P.labels[n][lang === "zh" ? 2 : 1]; });
  P.svg.setAttribute("aria-label", P.labelled[0].textContent);
  return changed;
}
/** Write into a live region only what is new: the same would be read aloud again. @param {HTMLElement} el @param {...(Node|string)} kids */
function announce(el, ...kids) {
  const fresh = h("p", {}, ...kids);
  if (fresh.innerHTML !== el.innerHTML) el.replaceChildren(...fresh.childNodes);
}

/** What a key is called here: a letter is the same with Caps Lock. @param {KeyboardEvent} event */
const keyOf = ({ key }) => (key.length === 1 ? key.toLowerCase() : key);

/** What scrolls can be focused, so that keys reach the rest. @param {HTMLElement} el @returns {boolean} whether all is seen, or only heard */
function fits(el) {
  const all = el.clientWidth < 2 || (el.scrollHeight <= el.clientHeight && el.scrollWidth <= el.clientWidth);
  if (all) el.removeAttribute("tabindex"); else el.setAttribute("tabindex", "0");
  return all;
}

/** A formula or words that may read otherwise in Chinese. @param {string|Both} value @param {(text: string) => Node} make */
const either = (value, make) => (typeof value === "string" ? make(value)
  : h("span", {}, h("span", { lang: "en" }, make(value.en)), " ", h("span", { lang: "zh" }, make(value.zh))));

/** @param {Both} pair @param {Json} values A value may itself be bilingual. @returns {Both} */
function fill(pair, values) {
  const one = (lang) => pair[lang].replace(/\{(\w+)\}/g, (_, key) => values[key]?.[lang] ?? values[key] ?? "");
  return { en: one("en"), zh: one("zh") };
}

/** @param {Both[]} pairs @returns {Both} */
const join = (...pairs) => ({ en: pairs.map((p) => p.en).join(" "), zh: pairs.map((p) => p.zh).join("") });

/** @param {string} name @param {...(Node|string)} kids */
function make(name, ...kids) {
  const el = document.createElementNS("http://www.w3.org/1998/Math/MathML", name);
  el.append(...kids);
  return el;
}
const formulas = /** @type {Map<string, Element>} */ (new Map());                // as they were copied: a card tries them in several forms
/** MathML from Python, copied element by element: nothing but formulas can pass. It may break before an operator, and
 *  where no line is wide enough inside a call; not in another bracket that grows around a fraction. `narrow`: in long
 *  names, exponents and fractions too, and in each of several cases, which are then lines of their own. @param {string} source */
function math(source, narrow = false) {
  const copy = (node) => {
    if (node.nodeType === 3) return document.createTextNode(node.data);
    if (node.nodeType !== 1 || !MATH.has(node.localName)) return document.createTextNode("");
    const el = make(node.localName, ...[...node.childNodes].map(copy));
    for (const name of ["mathvariant", "stretchy", "accent", "fence", "columnalign", "width"])
      if (node.hasAttribute(name)) el.setAttribute(name, node.getAttribute(name));
    return el;
  };
  const whole = (el) => el.querySelector(":scope > mtable") || (el.children.length === 2 && el.textContent[0] === "−" && el.lastChild.localName === "mn");
  const flat = (el) => (/^(math|mrow)$/.test(el.localName) && !whole(el) ? [...el.childNodes].flatMap(flat) : [el]);
  const parsed = () => Object.assign(document.createElement("template"), { innerHTML: source }).content.firstChild;  // nothing runs there; a document for each costs more
  if (formulas.size > MOST_FORMULAS) formulas.clear();
  if (!formulas.has(source)) formulas.set(source, copy(parsed()));
  return lines(flat(formulas.get(source).cloneNode(true)), narrow ? flat : null);
}
/** What stands side by side in a formula, in parts between which a line may break. @param {any[]} all @param {any} flat How cases are taken apart, where they are */
function lines(all, flat) {
  const whole = new Set(), open = /** @type {number[]} */ ([]);
  all.forEach((one, i) => {
    if (/^[([]$/.test(one.textContent)) open.push(i);
    const from = /^[)\]]$/.test(one.textContent) ? open.pop() ?? i : i + 1, inside = all.slice(from, i + 1);
    const call = all[from - 1]?.localName === "mi" && inside.reduce((sum, el) => sum + el.textContent.length, 0) > LONG;
    if (!call && inside.some((el) => el.localName === "mfrac" || el.querySelector?.("mfrac"))) for (const el of inside) whole.add(el);
  });
  const parts = /** @type {any[][]} */ ([[]]);
  all.forEach((one, i) => {
    const before = all[i - 1], sign = before?.localName === "mo" && !/[)\]|]/.test(before.textContent);
    const operator = (one.localName === "mo" || one.textContent === "@") && "=⊙@+−-·×→≈".includes(one.textContent.trim());
    if (operator) one.setAttribute("form", before && !sign ? "infix" : "prefix");  // a number is one with its minus
    if (/^[()]$/.test(one.textContent) && !whole.has(one)) one.setAttribute("stretchy", "false");  // its other half may stand in another part
    if (operator && before && !sign && !whole.has(one)) parts.push([one]); else parts[parts.length - 1].push(one);
  });
  const inside = (one) => lines([...one.childNodes].flatMap(flat), flat);
  const group = (one) => flat(one).length > 1 ? ["(", inside(one), ")"] : flat(one).map(apart);
  const apart = (one) => (one.querySelector?.(":scope > mtable") && one.textContent[0] === "{" ? h("span", { class: "mg-cases" },
    ...[...one.querySelectorAll("mtr")].map((row) => h("span", {}, ...[...row.children].map(inside))))
    : one.textContent.length <= LONG ? make("math", one) : one.localName === "mi" ? h("span", { class: "mg-term" }, one.textContent)
    : one.localName === "msup" ? h("span", {}, apart(one.firstChild), ...one.lastChild.textContent.length > 1 ? ["^", ...group(one.lastChild)] : [make("math", make("msup", make("mrow"), one.lastChild))])
    : one.localName === "mfrac" ? h("span", {}, ...group(one.firstChild), " / ", ...group(one.lastChild))
    : one.localName === "msqrt" ? h("span", {}, "√(", inside(one), ")") : make("math", one));
  const row = (kids) => [...(flat ? kids.map(apart) : [make("math", make("mrow", ...kids))]), "\u200b"];
  return h("span", { class: "mg-math" }, ...parts.flatMap((part) => {
    const pieces = /** @type {any[][]} */ ([[]]), long = part.reduce((sum, one) => sum + one.textContent.length, 0) > LONG;
    part.forEach((one, i) => {
      if (long && /^[(,]$/.test(part[i - 1]?.textContent ?? "") && !whole.has(one)) pieces.push([]);
      pieces[pieces.length - 1].push(one);
    });
    return long ? [h("span", { class: "mg-long" }, ...pieces.flatMap(row)), "\u200b"] : row(part);
  }));
}

// ---------------------------------------------------------------- the walk: frames, order, readiness

/** The first node of an order that did not wait, with what had come to it: `n4|n2`; "" where each waits.
 *  @param {Json} nodes @param {string[]} path */
function tooEarly(nodes, path) {
  const done = /** @type {Set<string>} */ (new Set());
  for (const id of path) {
    const needs = /** @type {string[]} */ (nodes[id]?.needs ?? []), came = needs.filter((one) => done.has(one));
    if (came.length < needs.length) return id + "|" + [...new Set(came)].sort();
    done.add(id);
  }
  return "";
}

/** Which output of a node a gradient arrives at: those of another are never added to it. @param {Json} sent */
const outputOf = (sent) => sent.to + "|" + sent.nr;

/** The recorded steps in an order: PyTorch's, or the one that a student drives. What is seen follows from the order
 *  alone, also which node was forced: two views of a player, and one that is opened again, show the same run. */
class Walk {
  /** @param {Json} scene @param {Json[]} steps @param {string[]} path */
  constructor(scene, steps, path) {
    const early = scene.early ? tooEarly(scene.nodes, path) : "";
    this.scene = scene;
    this.states = /** @type {Map<number, Json>} */ (new Map());
    this.truth = new Map(steps.map((step) => [step.id, step]));
    this.forced = early.split("|")[0];
    this.late = early ? scene.nodes[this.forced].needs.filter((id) => !early.split("|")[1].split(",").includes(id)) : [];
    this.steps = new Map([...steps, ...(scene.early?.[early] ?? [])].map((step) => [step.id, step]));
    const sends = [...this.steps.values()].flatMap((step) => step.events.flatMap((event) => event.sends ?? []));
    this.none = new Set(sends.filter((one) => one.text === "None").map((one) => one.to));  // None is no gradient: what came is not counted
    /** What each output of a node receives in the end, and which edge is the first, the second ... to bring it something. */
    this.sums = new Map();
    this.nth = /** @type {Map<string, number>} */ (new Map());
    const came = /** @type {Map<string, number>} */ (new Map());
    for (const one of sends.sort((a, b) => a.n - b.n)) {
      const at = outputOf(one), n = (came.get(at) ?? 0) + 1;
      came.set(at, n);
      this.nth.set(one.edge, n);
      this.sums.set(at, one.total);
    }
    this.order = path.length ? path.filter((id) => this.steps.has(id)) : steps.map((step) => step.id);
    this.frames = [{ id: "", at: 0, n: 0, event: { kind: "before", say: scene.before } }];
    this.order.forEach((id, i) => {
      this.steps.get(id).events.forEach((event, at) => this.frames.push({ id, at, n: i + 1, event }));
    });
    const forward = scene.forward ?? [];
    this.start = -forward.length;                                          // what ran before stands at negative numbers
    forward.forEach((event, i) => { this.frames[this.start + i] = { id: event.id, at: 0, n: 0, event: { kind: "make", ...event } }; });
    this.ends = this.frames.flatMap((f, k) => (f.n !== this.frames[k + 1]?.n ? [k] : []));
    this.isEnd = new Set(this.ends);
    this.place = new Map(this.order.map((id, i) => [id, i + 1]));
  }

  get end() { return this.frames.length - 1; }
  get size() { return Object.keys(this.scene.nodes).length; }

  /** Whether one of what an event sends meets others. @param {Json} event */
  meets(event) { return (event.sends ?? []).some((/** @type {Json} */ one) => (this.nth.get(one.edge) ?? 1) > 1); }

  /** @param {string} id */
  title(id) { return this.scene.nodes[id].title; }

  /** Which node, counted from 1, frame `k` belongs to. @param {number} k */
  count(k) { return this.frames[k].n; }

  /** "3b", or "3" for the last event of node 3. @param {number} k */
  label(k) {
    if (k < 0) return "→ " + (k - this.start + 1);
    const { n, at } = this.frames[k];
    return this.isEnd.has(k) ? String(n) : n + String.fromCharCode(97 + (at % 26)).repeat(1 + Math.floor(at / 26));
  }

  /** Everything that has happened by frame `k`; what moves asks for the same ones again and again. @param {number} k */
  state(k) {
    if (this.states.has(k)) return this.states.get(k);
    if (this.states.size > 4) this.states.clear();
    const done = /** @type {Set<string>} */ (new Set());
    const st = { done, at: k, now: this.frames[k]?.id, bad: "", marks: new Set(), freed: new Set(), slots: new Map(), totals: new Map() };
    for (let i = 1; i <= k; i++) {
      const { id, event } = this.frames[i];
      for (const [slot, text] of Object.entries(event.slots ?? {})) st.slots.set(slot, text);
      for (const mark of event.marks ?? []) st.marks.add(mark);
      for (const saved of event.freed ?? []) st.freed.add(saved);
      for (const sent of event.sends ?? []) {                            // a sum is known in the order of the recording
        const at = outputOf(sent), was = st.totals.get(at), n = this.nth.get(sent.edge) ?? 0, known = was ? was.known && n === was.n + 1 : n === 1;
        st.totals.set(at, { ...sent, n, known: known && !(this.forced === sent.to && this.late.includes(id)) });
      }
      if (event.bad) st.bad = id;
      else if (this.isEnd.has(i)) st.done.add(id);
    }
    this.states.set(k, st);
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
    return Object.keys(nodes).filter((id) => waits(id) && nodes[id].needs.every((from) => done.has(from)))
      .sort((a, b) => nodes[a].rank - nodes[b].rank);
  }
}

// ---------------------------------------------------------------- geometry

/** @typedef {{x: number, y: number, w: number, h: number}} Box */

/** @param {Box} b @param {number} by @returns {Box} */
const grown = (b, by) => ({ x: b.x - by, y: b.y - by, w: b.w + 2 * by, h: b.h + 2 * by });

/** @param {Box} a @param {Box} b @returns {Box} */
function around(a, b) {
  const x = Math.min(a.x, b.x), y = Math.min(a.y, b.y);
  return { x, y, w: Math.max(a.x + a.w, b.x + b.w) - x, h: Math.max(a.y + a.h, b.y + b.h) - y };
}
/** @param {Box} a @param {Box} b */
const holds = (a, b) => a.x <= b.x && a.y <= b.y && a.x + a.w >= b.x + b.w && a.y + a.h >= b.y + b.h;
/** @param {Box} a @param {Box} b */
const meet = (a, b) => a.x <= b.x + b.w && b.x <= a.x + a.w && a.y <= b.y + b.h && b.y <= a.y + a.h;
/** Slow, fast, slow. @param {number} u */
const eased = (u) => u * u * u * (u * (6 * u - 15) + 10);

/** As asked, else as the page. @param {any} model */
function isDark(model) {
  const theme = model.get("theme"), lab = document.body.dataset.jpThemeLight;
  return theme ? theme === "dark" : lab ? lab === "false" : matchMedia("(prefers-color-scheme: dark)").matches;
}
/** Hear the model, the size of some parts, and the theme of the page and of the system, until `life` ends.
 *  @param {any} model @param {AbortController} life @param {Record<string, () => void>} watched @param {Element[]} parts
 *  @param {() => void} layout @param {() => void} show */
function attend(model, life, watched, parts, layout, show) {
  const size = new ResizeObserver(layout), theme = new MutationObserver(show);
  for (const [name, act] of Object.entries(watched)) model.on(name, act);
  for (const one of parts) size.observe(one);
  theme.observe(document.body, { attributeFilter: ["data-jp-theme-light"] });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", show, { signal: life.signal });
  life.signal.addEventListener("abort", () => {
    for (const one of [size, theme]) one.disconnect();
    for (const [name, act] of Object.entries(watched)) model.off(name, act);
  });
  return theme;
}
/** Whether nobody answers any more: a file of its own, or a notebook whose kernel does not know this widget.
 *  @param {any} model @param {HTMLElement} el @param {AbortController} life @param {() => void} told It has just gone. */
function alone(model, el, life, told) {
  const kernel = model.widget_manager?.kernel, signals = [kernel?.statusChanged, kernel?.connectionStatusChanged];
  let gone = !model.widget_manager;
  const left = (_, status) => { if (/restarting|dead|terminating|disconnected/.test(status)) { gone = true; told(); } };
  for (const signal of signals) signal?.connect(left);
  life.signal.addEventListener("abort", () => { for (const signal of signals) signal?.disconnect(left); });
  return () => gone || !!el.closest(".jupyter-widgets-disconnected");
}
const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** @param {Element} part @returns {Box} */
function boxOf(part) {
  const b = /** @type {SVGGraphicsElement} */ (part).getBBox();
  return { x: b.x, y: b.y, w: b.width, h: b.height };
}

/** The camera over the picture that is shown; its window in the map. @param {Element} map @param {() => Json} shown */
function camera(map, shown, pace = () => 1) {
  const cam = { x: 0, y: 0, k: 0, w: 0, h: 0, card: 0, timer: 0 };              // w and h: the stage, in px, and how wide the card is
  /** The part of the picture that is in sight. @param {number} k @returns {Box} */
  const sight = (k) => ({ x: cam.x, y: cam.y, w: cam.w / k, h: cam.h / k });
  function glide(x, y, scale) {
    if (calm()) return look(x, y, scale);
    const from = { ...cam }, begun = performance.now(), lasts = GLIDE_MS / Math.max(1, pace());
    const onward = (time) => {
      const u = eased(Math.min(1, Math.max(0, (time - begun) / lasts)));
      look(from.x + (x - from.x) * u, from.y + (y - from.y) * u, scale, u === 1);
      if (u < 1) cam.timer = requestAnimationFrame(onward);
    };
    cancelAnimationFrame(cam.timer);
    cam.timer = requestAnimationFrame(onward);
  }
  /** Size and place as the camera has them; a picture that has its own before it is on the page is laid out once. */
  function hang() {
    const { svg, box: all, k } = shown();
    if (k !== cam.k) for (const [name, value] of Object.entries({ width: all.w * cam.k, height: all.h * cam.k })) svg.setAttribute(name, String(value));
    shown().k = cam.k;
    svg.style.transform = `translate(${(all.x - cam.x) * cam.k}px, ${(all.y - cam.y) * cam.k}px)`;  // lays nothing out again, and moves evenly
  }
  function look(x, y, k, rests = true) {
    cancelAnimationFrame(cam.timer);
    Object.assign(cam, { x, y, k });
    const seen = sight(k), { w, h: high } = seen, P = shown();
    if (P.k !== k) hang();                                                 // words are measured at their size, and before anything moves
    const outer = grown(seen, 2), inner = grown(seen, -2);
    if (rests) for (const entry of P.words) {                              // one that the edge cuts is not shown
      if (!entry.box && !meet(seen, entry.near)) continue;
      const box = entry.box ??= boxOf(entry.text), cut = meet(outer, box) && !holds(inner, box);
      if (cut !== !!entry.cut) entry.text.classList.toggle("mg-outside", entry.cut = cut);
    }
    hang();
    for (const [name, value] of Object.entries({ x, y, width: w, height: high })) P.window.setAttribute(name, String(value));
    const all = [P.box.x, P.box.y, P.box.w, P.box.h].join(" ");
    if (map.getAttribute("viewBox") !== all) map.setAttribute("viewBox", all);  // the same lays all of it out again
  }
  /** Where the window of the map goes that was pressed. @param {MouseEvent} event */
  function pressed(event) {
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(/** @type {SVGSVGElement} */ (map).getScreenCTM()?.inverse()), room = sight(cam.k);
    return /** @type {[number, number]} */ ([x - room.w / 2, y - room.h / 2]);
  }
  return Object.assign(cam, { sight, hang, glide, look, pressed });
}

// ---------------------------------------------------------------- the widget

/** @param {{model: any, el: HTMLElement}} context */
function render({ model, el }) {
  const life = new AbortController(), on = { signal: life.signal };
  const ui = model.get("scene").ui;
  /** What only this view knows. */
  const S = {
    more: (/** @type {number} */ n) => 0,                                    // writes rows of a long list, and says how many are left
    unsay: () => {},                                                         // puts the caption back where an entry's arithmetic stands
    crowded: 0,                                                              // the width at which a queue once left the code no room
    lang: "", quiz: "",                                             // what names are in; the node that a question is open about
    refused: /** @type {Json|null} */ (null), verdict: /** @type {Json|null} */ (null), note: /** @type {Both|null} */ (null),
    answered: /** @type {Record<string, {v: number, r: number}[]>} */ ({}),
    present: false, whole: false, own: false, timer: 0, late: 0, idle: 0, want: 0, playing: false, u: 1, moves: 0, speed: 1, source: 0, plain: 0, breaks: new Set(model.get("breaks")),
  };
  let walk = new Walk(model.get("scene"), model.get("steps"), model.get("path")), over = false;

  const side = h("div", { class: "mg-side" }), card = h("div", { class: "mg-card", role: "group", ...named(ui.equation) });
  const say = h("p", { class: "mg-say", "aria-live": "polite" });
  const stage = h("div", { class: "mg-stage" }), map = s("svg", { class: "mg-map", "aria-hidden": "true" });
  const state = h("span", { class: "mg-state" }), queue = h("div", { class: "mg-queue" }), pins = h("div", { class: "mg-pins" });
  side.append(state, queue, map);
  const code = h("div", { class: "mg-code", tabindex: 0, role: "group", ...named(ui.your_code) });
  const bar = h("div", { class: "mg-bar", role: "toolbar", ...named(ui.controls) });
  const dock = h("div", { class: "mg-dock" }, card, say), body = h("div", { class: "mg-body" }, pins, stage, side, dock, bar);
  const ghosts = h("div", { class: "mg-ghosts", "aria-hidden": "true" }), moving = s("g", { class: "mg-motion" });
  const root = h("div", { class: "mg-player", tabindex: 0, role: "application",
    "aria-label": model.get("scene").title, "data-lm-suppress-shortcuts": "true" }, body, ghosts);

  // ------------------------------------------------------------ the bar
  /** @type {Record<string, HTMLButtonElement>} */
  const buttons = {};
  const button = (name, ...kids) => (buttons[name] = /** @type {HTMLButtonElement} */ (
    h("button", { type: "button", "data-do": name, ...named(ui[name], true) }, ...kids)));
  const slider = /** @type {HTMLInputElement} */ (h("input", { type: "range", min: 0, step: 0.02, ...named(ui.slider) }));
  const pace = /** @type {HTMLSelectElement} */ (h("select", { class: "mg-pace", ...named(ui.speed) },
    ...SPEEDS.map((speed) => h("option", { value: speed, selected: speed === 1 }, speed + "×"))));
  const count = h("span", { class: "mg-count", ...named(ui.help, true) });
  bar.append(
    ...["first", "prev", "play", "next", "last"].map((name) => button(name, icon(name))), slider, count, pace,
    ...["open", "predict", "drive", "present"].map((name) => button(name, two(ui[name]))), button("lang"), button("theme"));
  buttons.predict.hidden = model.get("live") || walk.scene.faulty;
  buttons.drive.hidden = walk.scene.faulty;              // the numbers of a faulty engine hold in its own order alone

  // ------------------------------------------------------------ the pictures: rings, badges, marks made once
  /** @typedef {{group: SVGGElement, ids: string[], words: SVGElement[], under: SVGElement, badge: SVGElement, text: SVGElement, signs: Record<string, SVGElement[]>, dot: SVGElement, box: Box, opens: boolean}} Part */
  const made = /** @type {Map<string, Json>} */ (new Map());
  let P = /** @type {Json} */ ({});                            // the one that is shown

  /** Show the picture of a key: "" is the folded one. @param {string} key */
  function turnTo(key) {
    const all = model.get("pictures"), found = all.find((one) => one.key === key) ?? all.find((one) => one.key === "ops") ?? all[0];
    P = made.get(found.key) ?? { ...found };
    stage.replaceChildren(P.svg = typeof P.svg === "string" ? picture(P.svg) : P.svg);
    if (!made.has(P.key)) decorate();
    P.measured ||= root.clientWidth > 0;
    P.svg.append(moving);
    made.set(P.key, P);
    map.replaceChildren(...[...P.nodes.values()].map((part) => part.dot), P.window);
    buttons.open.hidden = all.length < 2;
    buttons.open.setAttribute("aria-pressed", String(P.key !== ""));
  }
  /** @param {string} id */
  const drawn = (id) => P.alias[id] ?? id;
  const home = (id) => P.home[id] ?? id;                       // of a loop a turn, `r1/3`
  const boxed = (id) => P.home[id]?.split("/")[0];
  /** The notes of a node. @param {string} id @returns {SVGElement[]} */
  const saved = (id) => P.index["saved:" + drawn(id)] ?? [];
  /** Where in this picture a slot, or a mark, of the whole graph is. @param {string} name */
  const place = (name) => P.places.get(name) ?? (P.places.set(name, placed(name)), P.places.get(name));
  /** @param {string} name */
  function placed(name) {
    const [, kind, node, nr] = name.match(/^(?:(\w+):)?(n\d+)(:\d+)?$/) ?? [];
    if (!node || P.index["wire:" + name]) return name;          // a root's wire has its node's name, in a box too
    const wire = nr && kind !== "in" ? drawn(node + nr) : drawn(node) + (nr ?? "");
    return (kind ? kind + ":" : "") + wire;
  }

  function decorate() {
    const { svg } = P, first = svg.querySelector("g:not(.mg-frame)"), of = /** @type {Record<string, string[]>} */ ({});
    for (const id of Object.keys(walk.scene.nodes)) (of[drawn(id)] ??= []).push(id);
    Object.assign(P, { nodes: new Map(), places: new Map(), labelled: labelled(svg), lang: "en",
      slots: [...svg.querySelectorAll("[data-slot]")].map((text) => ({ text, slot: text.dataset.slot, first: text.textContent, shown: text.textContent, set: text.matches(".mg-bad") ? null : false })),
      parts: [...svg.querySelectorAll("[data-id]")].map((part) => ({ part, id: part.dataset.id, box: boxOf(part), was: part.matches(".mg-freed") ? 2 : 0, freed: part.matches(".mg-freed"),
        drawer: part.matches(".mg-acc"), mark: part.matches(LIT) ? (part.matches(".mg-sum") ? "sum:" : "") + part.dataset.id : "" })) });
    for (const entry of P.parts) if (entry.drawer) {                        // one may stand for all parameters of a box
      const box = drawn(entry.id), drawers = P.parts.filter((one) => one.drawer && drawn(one.id) === box).length;
      const leaves = (of[box] ?? []).filter((id) => walk.scene.nodes[id].leaf);
      entry.all = leaves.length > drawers ? leaves : [entry.id];
    }
    P.index = {};                                                          // what is looked for at every step
    for (const { part, id } of P.parts) {
      const kind = part.matches(".mg-edge, .mg-loop") ? "wire:" + id : part.matches(".mg-nonleaf") ? "card:" + id : "saved:" + part.dataset.node;
      if (part.matches(".mg-edge, .mg-loop, .mg-nonleaf, .mg-saved")) (P.index[kind] ??= []).push(part);
    }
    P.born = new Map();                                                    // of several that are drawn as one the first
    for (const [id, k] of Object.entries(walk.scene.born ?? {})) P.born.set(drawn(id), Math.min(k, P.born.get(drawn(id)) ?? 0));
    for (const entry of P.parts) entry.born = entry.id.startsWith("seed:") ? 0 : P.born.get(drawn(entry.id.match(/(?:^|:)([a-z]+\d+)/)?.[1]));
    P.loops = [...svg.querySelectorAll(".mg-loop:not(.mg-some) > text")].map((text) => {  // how far a loop is, in the place of how often it goes round
      const roll = text.parentNode.dataset.id.split(":")[1], all = Object.values(P.home).filter((one) => one.startsWith(roll + "/"));
      return { text, roll, first: text.textContent, count: new Set(all).size };
    });
    const changing = new Set([...P.labels.map(([i]) => P.labelled[i]), ...P.loops.map((one) => one.text)]);
    P.words = P.labelled.slice(2).map((text) => ({ text,
      near: { x: text.getAttribute("x") - WIDEST_TEXT, y: text.getAttribute("y") - 40, w: 2 * WIDEST_TEXT, h: 80 }, box: text.dataset.slot || changing.has(text) ? null : boxOf(text) }));
    P.word = new Map(P.words.map((entry) => [entry.text, entry]));
    for (const entry of P.slots) entry.word = P.word.get(entry.text);
    const vb = svg.viewBox.baseVal, add = /** @type {(() => void)[]} */ ([]);  // what is added stands after all is measured
    svg.setAttribute("role", "group");                                      // an image may hold nothing to press
    P.box = { x: vb.x, y: vb.y, w: vb.width, h: vb.height };
    P.window = s("rect", { class: "mg-window" });
    for (const group of svg.querySelectorAll(".mg-op, .mg-acc, .mg-box")) {
      const id = group.dataset.id ?? "", ids = of[id];
      if (!ids) continue;                                                  // a drawer in a box
      const leaf = walk.scene.nodes[id]?.leaf, tensor = leaf && svg.querySelector(`.mg-leaf[data-id="${leaf}"]:not(.mg-ref)`);
      let box = boxOf(group);
      if (tensor) box = around(box, boxOf(tensor));                        // the drawer and its leaf are one
      group.classList.add("mg-node");
      const words = [...group.querySelectorAll("text")];
      tensor?.setAttribute("data-node", id);
      const under = ring(box, leaf || !group.matches(".mg-op") ? 10 : Math.min(box.h / 2, 30));
      const { badge, text, signs, rim } = tag(box, leaf ? 8 : group.matches(".mg-box") ? 2 : ids.length > 1 ? 10 : 4, ids.length);
      const dot = s("rect", { x: box.x, y: box.y, width: box.w, height: box.h, rx: 8 });
      add.push(() => { svg.insertBefore(under, first); svg.append(badge); });
      P.words.push({ text: badge, box: rim });
      P.nodes.set(id, { group, ids, words, under, badge, text, signs, dot, box, opens: group.matches(".mg-box") });
    }
    for (const put of add) put();
    for (const can of svg.querySelectorAll(".mg-box, .mg-frame"))
      for (const [name, value] of Object.entries({ role: "button", tabindex: "0" })) can.setAttribute(name, value);
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
  /** Its place in the order, with a tick once it is done; or the octagon. @param {Box} box @param {number} rise @param {number} several */
  function tag(box, rise, several) {
    const half = several > 1 ? 36 : walk.size > 99 ? 22 : 18, x = box.x + box.w - half - 4, y = box.y - rise, badge = s("g", { class: "mg-badge" });
    const text = s("text", { x, y: y + 5, "text-anchor": "middle" });
    badge.append(s("rect", { x: x - half, y: y - 9, width: 2 * half, height: 19, rx: 9.5, class: "mg-badge-rim" }), text);
    const signs = {                                                          // there only where they are shown: of a thousand badges each part costs
      "mg-done": [s("path", { d: `M${x - half + 6},${y + 0.5} l3,3.4 l5.4,-6.4`, class: "mg-tick" })],
      "mg-failed": [s("path", { d: octagon(x, y, 12), class: "mg-octagon" }), s("text", { x, y: y + 5.2, "text-anchor": "middle", class: "mg-bang" }, "!")],
      "mg-stop": [s("rect", { x: box.x - 3, y: box.y - 3, width: 10, height: 10, class: "mg-break" })] };
    return { badge, text, signs, rim: { x: x - half, y: y - 9, w: 2 * half, h: 19 } };
  }
  /** @param {number} x @param {number} y @param {number} r */
  function octagon(x, y, r) {
    const corner = (_, i) => {
      const angle = (i + 0.5) * Math.PI / 4;
      return (x + r * Math.cos(angle)).toFixed(1) + "," + (y + r * Math.sin(angle)).toFixed(1);
    };
    return "M" + Array.from({ length: 8 }, corner).join("L") + "z";
  }

  // ------------------------------------------------------------ the camera: all of it, or it glides to what happens
  const cam = camera(map, () => P, () => S.speed), { sight, glide, look } = cam;
  const least = () => (S.present ? LEAST.presenter : LEAST.page) / TEXT;

  /** Dock beneath the stage, or beside it where only so the whole graph can be read. */
  function layout() {
    if (!root.clientWidth) return;
    if (!P.measured && made.delete(P.key)) turnTo(P.key);                  // drawn before it was on the page: sizes were 0
    root.classList.toggle("mg-phone", root.clientWidth < 620);
    root.classList.toggle("mg-low", root.clientHeight < 560);
    const scaleOf = (beside) => {
      root.classList.toggle("mg-beside", beside);
      return Math.min(stage.clientWidth / P.box.w, stage.clientHeight / P.box.h);
    };
    const arrange = (place) => {
      placeCode(place);
      const beneath = scaleOf(false), wide = !S.present && root.clientWidth >= 800;
      const scale = beneath >= least() || !wide || scaleOf(true) < Math.max(beneath * 1.1, Math.min(1, 1.3 * beneath)) ? scaleOf(false) : scaleOf(true);
      return crowded() || (place && stage.clientHeight < 100) ? 0 : scale;
    };
    const places = root.clientWidth >= 1100 ? ["column", "side"] : root.clientWidth < 620 ? ["column"] : ["side"];
    const nearly = root.clientHeight < 560 ? 0.8 : 1;                        // in a low room almost all of the graph, else the code that is lit
    if (!places.some((place) => arrange(place) >= least()) && arrange("") < nearly * least())  // the graph first, then the code
      if (!arrange(places[0])) arrange("");
    Object.assign(cam, { k: 0, w: stage.clientWidth, h: stage.clientHeight, card: card.offsetWidth });
    show();
  }
  /** What has to be in sight: the node, what it saved, then who receives from it, as far as there is room. */
  function target(now, k, room) {
    const near = now || walk.frames[k].id || walk.frames[[k + 1, k + 2, k - 1].find((one) => walk.frames[one]?.id)]?.id;
    const ids = [S.refused?.id ?? (k < 0 ? near : now) ?? "", ...(walk.frames[k].event.sends ?? []).map((one) => one.to)];
    const start = P.nodes.get(drawn(ids[0])) ?? P.nodes.get(drawn(Object.keys(walk.scene.nodes)[0]));
    const outs = (walk.scene.nodes[ids[0]]?.outs ?? []).flatMap((id) => P.index["card:" + id] ?? []);
    const others = ids.slice(1).flatMap((id) => P.nodes.get(drawn(id)) ?? []).map((part) => grown(part.box, 14));
    let all = grown(start.box, 14);
    for (const box of [...[...saved(ids[0]), ...outs].map(boxOf), ...others]) {
      const both = around(all, box);
      if (both.w <= room.w && both.h <= room.h) all = both;
    }
    return all;
  }
  const fit = () => Math.min(Math.max(LARGEST, least()), cam.w / P.box.w, cam.h / P.box.h), far = () => fit() < least() && !S.whole;
  /** Where the camera goes, and how: x, y, scale, and whether it glides. */
  function aim(now, k) {
    if (!cam.w || !P.box) return null;
    const follows = far(), scale = follows ? least() : fit(), still = cam.k === scale, room = sight(scale);
    const want = follows ? target(now, k, room) : P.box;
    if (follows && still && holds(room, want)) return { ...room, scale };
    const along = (from, extent, least, all) => (all <= extent ? least - (extent - all) / 2
      : Math.max(least, Math.min(from, least + all - extent)));
    const x = along(want.x + Math.min(0, want.w - room.w) / 2, room.w, P.box.x, P.box.w);  // of what is wider its name
    const y = along(want.y + Math.min(0, want.h - room.h) / 2, room.h, P.box.y, P.box.h);
    return { ...room, x, y, scale, glides: still && follows };
  }

  // ------------------------------------------------------------ motion: where things are inside an event
  const between = (u, from, to) => Math.min(1, Math.max(0, (u - from) / (to - from)));
  const lengths = new WeakMap(), long = (path) => lengths.get(path) ?? (lengths.set(path, path.getTotalLength()), lengths.get(path));
  const onPath = (path, u) => path.getPointAtLength(long(path) * eased(u));
  const wire = (edge) => /** @type {SVGPathElement|null} */ (P.index["wire:" + edge]?.[0].querySelector("path"));
  /** A gradient on its way. @param {{x: number, y: number}} at @param {string} text @param {number} [size] */
  function token({ x, y }, text, size = 1, kind = "mg-token") {
    const w = 8 * text.length + 14, el = s("g", { class: kind, transform: `translate(${x} ${y}) scale(${size})` });
    el.append(s("rect", { x: -w / 2, y: -11, width: w, height: 22, rx: 8 }), s("text", { y: 4.5, "text-anchor": "middle" }, text));
    come.push(el);
  }
  /** Where a token would cover no node and no word, near the end of its wire. @param {{x: number, y: number}} end @param {string} text */
  function clear(end, text) {
    const w = 8 * text.length + 14, spots = [30, -30, 46, -46, 64, -64, 90, -90].flatMap((y) => [24, w / 2 + 10, -w / 2].map((x) => ({ x: end.x + x, y: end.y + y })));
    const taken = [...[...P.nodes.values()].map((part) => part.box), ...P.words.map((entry) => entry.box ??= boxOf(entry.text))];
    return spots.find(({ x, y }) => !taken.some((box) => meet(box, { x: x - w / 2, y: y - 11, w, h: 22 }))) ?? spots[0];
  }
  /** A copy of a part of the picture that leaves it. @param {Element} part @param {number} dx @param {number} dy */
  function ghost(part, dx, dy, fades = 0) {
    const at = part.getBoundingClientRect(), here = root.getBoundingClientRect(), el = h("div", { class: "mg-note" }, part.textContent);
    const values = { x: at.x - here.x + dx + "px", y: at.y - here.y + dy + "px", w: at.width + "px", h: at.height + "px", fades };
    for (const [name, value] of Object.entries(values)) el.style.setProperty("--mg-" + name, String(value));
    ghosts.append(el);
  }
  const brief = (edge, text) => P.short["edge:" + place(edge)] ?? text;
  /** What came too late to the node that was forced. @param {number} k */
  const stranded = (k) => walk.frames.slice(1, k + 1).flatMap(({ id, event }) => (walk.late.includes(id) ? event.sends ?? [] : []))
    .filter((one) => one.to === walk.forced && one.text !== "None");
  const motions = {
    seed(f, u) {
      const path = wire(place("seed:" + f.id));
      if (path) token(onPath(path, u), f.event.slots?.["seed:" + f.id] ?? "");
    },
    make(f, u) {                                                           // values run to the node, against the way of gradients
      for (const { edge, text } of f.event.ins) if (wire(place(edge)) && text) token(onPath(wire(place(edge)), 1 - u), brief(edge, text), 1, "mg-token mg-forth");
    },
    hook(f, u) {
      const gate = P.svg.querySelector(`.mg-hook[data-id="${f.event.marks?.[0]}"]`), line = walk.steps.get(f.id).rows.find((one) => one.gate && one.at === f.at);
      if (!gate || !line) return;
      const b = boxOf(gate), x = b.x + b.w + 30 - eased(u) * (b.w + 60);
      token({ x, y: b.y + b.h / 2 }, u < 0.5 ? line.before : line.after);
    },
    compute(f, u) {
      const rule = card.querySelector(".mg-num") ?? card, to = rule.getBoundingClientRect(), way = eased(between(u, 0, 0.6));
      const cells = [...card.querySelectorAll("mtd[tabindex]")], made = Math.floor(between(u, 0.5, 1) * cells.length);
      card.style.setProperty("--mg-come", String(between(u, 0.5, cells.length ? 0.55 : 1)));
      cells.forEach((cell, i) => cell.classList.toggle("mg-later", i > made));
      for (const one of card.querySelectorAll(".mg-source")) one.classList.remove("mg-source");  // of a quick one some are passed over
      if (u >= 0.5 && cells[made]) light(cells[made], true, true);
      if (u < 0.75) for (const note of saved(f.id)) {
        if (note.matches(".mg-freed")) continue;
        const at = note.getBoundingClientRect();
        ghost(note, (to.x + 20 - at.x) * way, (to.y - at.y) * way - 26 * Math.sin(Math.PI * way), between(u, 0.6, 0.75));
      }
    },
    free(f, u) {
      for (const id of f.event.freed) {
        const note = P.svg.querySelector(`.mg-saved[data-id="${id}"]`);
        if (note) { ghost(note, 0, -20 * u, u); note.classList.add("mg-leaving"); leaving.push(note); }
      }
    },
    send(f, u, k) {
      const earlier = walk.state(k - 1).totals, now = walk.state(k).totals, meets = walk.meets(f.event), travel = meets ? 0.6 : 1, all = f.event.sends ?? [];
      for (const one of all) {
        const { total, edge, text, to } = one, at = outputOf(one), n = walk.nth.get(edge) ?? 1, receiver = P.nodes.get(drawn(to))?.box;
        const path = wire(place(edge)), far = between(u, 0, travel), unseen = all.length > MOST_CHIPS && receiver && !meet(sight(cam.k), receiver);
        if (!path || text === "None" || unseen) continue;
        const trail = s("path", { d: path.getAttribute("d"), class: "mg-backward mg-trail", "stroke-dasharray": `${long(path) * eased(far)} ${long(path)}` });
        come.push(trail);
        const was = n > 1 && now.get(at)?.known ? earlier.get(at)?.total : null;
        if (u < travel || !was) token(onPath(path, far), brief(edge, text));
        if (!was) continue;
        const end = path.getPointAtLength(long(path)), waits = { x: end.x + 24, y: end.y - 30 };
        const near = eased(between(u, 0.6, 0.85));
        if (u >= 0.85) token(waits, brief(edge, total), 1.25 - 0.25 * between(u, 0.85, 1));
        else token(waits, brief(edge, was));
        if (u >= travel && u < 0.85) token({ x: end.x + 24 * near, y: end.y - 30 * near }, brief(edge, text));
      }
    },
    accumulate(f, u, k) {
      const last = [...walk.state(k).totals.values()].find((one) => one.to === f.id), path = last && wire(place(last.edge));
      const slot = P.svg.querySelector(`[data-slot="grad:${walk.scene.nodes[f.id].leaf}"]`);
      if (!path || !slot || walk.steps.get(f.id).incoming === "None") return;
      const from = path.getPointAtLength(long(path)), b = boxOf(slot), way = eased(u);
      token({ x: from.x + (b.x + b.w / 2 - from.x) * way, y: from.y + (b.y + b.h / 2 - from.y) * way }, walk.steps.get(f.id).incoming);
    },
  };
  const leaving = /** @type {Element[]} */ ([]), come = /** @type {Element[]} */ ([]);  // what is put into the picture once all wires are measured
  /** What is on its way in event `k`, at `S.u`. @param {number} k */
  function stir(k) {
    ghosts.replaceChildren();
    card.style.removeProperty("--mg-come");
    for (const note of leaving.splice(0)) note.classList.remove("mg-leaving");
    for (const { edge, text } of stranded(k)) {
      const path = wire(place(edge)), end = path?.getPointAtLength(long(path));
      if (end) token(clear(end, brief(edge, text)), brief(edge, text), 1, "mg-token mg-stranded");
    }
    if (S.u < 1 && k) motions[walk.frames[k].event.kind]?.(walk.frames[k], S.u, k);
    moving.replaceChildren(...come.splice(0));
  }

  // ------------------------------------------------------------ showing a frame
  const frame = () => Math.max(walk.start, Math.min(walk.end, model.get("frame")));
  const drive = () => model.get("drive");

  function show() {
    const k = frame(), f = walk.frames[k], held = root.contains(document.activeElement), st = walk.state(k), begun = !walk.isEnd.has(k) || st.bad !== "";
    const now = S.quiz || f.id, ready = st.bad || k < 0 ? [] : walk.ready(st.done, now, begun);
    root.classList.toggle("mg-driving", drive());
    root.classList.toggle("mg-presenting", S.present);
    root.classList.toggle("mg-predicting", model.get("predict"));
    if (cam.w && P.box) root.classList.toggle("mg-follows", far());         // before the card is fitted: the map takes room
    if (S.lang !== lang()) speak(root, S.lang = lang());
    root.classList.toggle("mg-dark", dark());
    const before = S.u < 1 && k ? walk.state(k - 1) : st;                   // what moves has not arrived yet
    const goal = aim(now, k);
    paint(before, now, ready, !goal ? [P.box] : goal.glides && !calm() ? [goal, sight(cam.k)] : [goal]);
    showPins(before);
    const trim = showQueue(ready, st), scroll = showCode(k);                // all is written, then measured: one layout
    showSay(k, st);
    showBar(k, st);
    showDock(st, now, k);
    while (card.scrollHeight <= card.clientHeight && S.more(FIRST_ROWS / 2));  // rows that would be seen are there at once
    trim();
    scroll?.();
    if (crowded()) { S.crowded = root.clientWidth; return layout(); }
    if (goal) (goal.glides ? glide : look)(goal.x, goal.y, goal.scale);
    if (S.u) stir(k);                                                       // else what moves does, before anything is painted
    clearTimeout(S.idle);
    S.idle = window.setTimeout(foresee, 6 * FRAME_MS);
    if (held && !root.contains(document.activeElement)) root.focus({ preventScroll: true });  // what had it is gone: keys still arrive
  }

  /** Classes and texts of the picture that is shown: what is in sight, and the others unless they are too many for one frame.
   *  @param {Box[]} seen @param {number} [most] */
  function paint(st, now, ready, seen, most = el.closest(".mg-comparison") ? Infinity : MOST_PAINTED) {
    const late = /** @type {(() => void)[]} */ ([]);
    const change = (/** @type {Box} */ box, /** @type {() => void} */ act) => { if (seen.some((one) => meet(one, box))) act(); else late.push(act); };
    const few = () => { if (late.length <= most) for (const act of late.splice(0)) act(); };
    clearTimeout(S.late);
    const { quiz } = S.quiz ? walk.steps.get(S.quiz) : { quiz: null }, asked = quiz && place(quiz.slot);
    const slots = new Map([...st.slots].map(([slot, value]) => [place(slot), value]));
    const marks = new Set([...st.marks].map(place));
    for (const entry of P.slots) {                                           // only what changes is touched: there may be thousands
      const { text, slot, first, word } = entry, value = slots.get(slot), set = value !== undefined;
      const shown = asked === slot ? "?" : set ? P.short[slot] ?? value : first;
      if (entry.shown === shown && entry.set === set) continue;                // "?" is shown where it is asked alone
      change(word.near, () => {
        Object.assign(entry, { shown, set });
        text.textContent = shown;
        word.box = null;                                                       // to be measured when it is in sight
        text.classList.toggle("mg-set", set);
        text.classList.toggle("mg-ask", asked === slot);
        text.classList.toggle("mg-bad", /NaN|∞/.test(value ?? ""));
      });
    }
    for (const entry of P.parts) {
      const done = entry.all?.every((/** @type {string} */ one) => st.done.has(one));
      const is = (marks.has(entry.mark) ? 1 : 0) + (entry.freed || st.freed.has(entry.id) ? 2 : 0) + (done ? 4 : 0) + (entry.born > st.at ? 8 : 0);
      const act = () => { ["mg-on", "mg-freed", "mg-done", "mg-unborn"].forEach((name, i) => (is ^ entry.was) >> i & 1 && entry.part.classList.toggle(name, !!(is >> i & 1))); entry.was = is; };
      if (entry.was !== is) change(entry.box, act);
    }
    for (const label of translated(P, lang())) if (P.word.has(label)) P.word.get(label).box = null;
    for (const { text, roll, first, count } of P.loops) {
      const come = walk.order.slice(0, walk.count(Math.max(0, st.at))).findLast((id) => boxed(id) === roll);
      const all = Object.keys(P.home).every((id) => boxed(id) !== roll || st.done.has(id));
      const shown = come ? fill(ui.turn, { turn: home(come).split("/")[1], count, tick: all ? " ✓" : "" })[lang() === "zh" ? "zh" : "en"] : first;
      if (text.textContent !== shown) P.word.get(text).box = null, text.textContent = shown;
    }
    few();
    const driven = drive(), open = new Set(ready);
    for (const part of P.nodes.values()) paintNode(part, st, now, open, driven, change);
    few();
    const wait = () => { S.late = window.setTimeout(late.length ? rest : () => paint(st, now, ready, seen, Infinity), FRAME_MS); };  // names of boxes have what came late
    const rest = () => { for (const act of late.splice(0, 16 * MOST_PAINTED)) act(); wait(); };
    if (late.length) wait();
  }
  /** @param {Part} part */
  function paintNode(part, st, now, ready, driven, change) {
    const { group, ids, under, badge, text, signs, dot, opens } = part, [id] = ids, current = ids.includes(now);
    const is = { "mg-now": current, "mg-done": ids.every((member) => st.done.has(member)),
      "mg-ready": !current && ids.some((member) => ready.has(member)), "mg-failed": ids.includes(st.bad),
      "mg-stop": S.breaks.size > 0 && ids.some((member) => S.breaks.has(member)) };
    const places = ids.map((member) => walk.place.get(member) ?? 0).filter(Boolean).sort((a, b) => a - b);
    const span = places.length > 1 ? places[0] + "–" + places[places.length - 1] : String(places[0] ?? "");
    const said = driven || opens ? part.words.map((one) => one.textContent).join(" ") : "";
    const sign = [...Object.values(is), span, driven, lang(), said, st.at < 0].join();
    if (sign !== part.was) change(part.box, () => {
      part.was = sign;
      for (const [name, yes] of Object.entries(is)) {
        if (!!part.is?.[name] === yes) continue;
        for (const one of name === "mg-ready" ? [under, badge] : [group, under, badge, dot]) one.classList.toggle(name, yes);
        for (const one of signs[name] ?? []) if (yes) badge.append(one); else one.remove();
      }
      part.is = is;
      const number = st.at < 0 ? "" : is["mg-done"] || is["mg-now"] || !driven ? span : "";
      if (text.textContent !== number) text.textContent = number;            // the same would be laid out again
      badge.classList.toggle("mg-empty", !number);
      const word = ui[["failed", "now", "done", "ready"].find((state) => is["mg-" + state]) ?? "waiting"];
      const open = opens ? ". " + spoken(ui.open, lang()) : "";
      const title = ids.length > 1 ? walk.scene.scopes[P.home[id]] ?? walk.title(id) : walk.title(id);
      group.setAttribute("aria-label", (said || title) + ": " + spoken(word, lang()) + open);
      if (opens || driven === part.driven) return;
      part.driven = driven;
      group.setAttribute("role", driven ? "button" : "img");
      if (driven) group.setAttribute("tabindex", "0"); else group.removeAttribute("tabindex");
    });
  }

  /** The rule with its numbers, the hooks, what was printed: as far as the step has come. */
  function rows(step, at) {
    const place = walk.place.get(step.id) ?? 0, { nodes } = walk.scene, before = (/** @type {string} */ id) => (walk.place.get(id) ?? Infinity) < place;
    // a sum is true as long as the same gradients had come before: another order has other sums
    const met = (line) => at >= line.at && nodes[line.to].needs.every((id) => before(id) === nodes[id].rank < nodes[step.id].rank || id === step.id);
    const all = step.rows.filter((line) => (line.to ? met(line) : line.math || line.text || at >= line.at));
    const write = (/** @type {Json} */ line) => {
      const come = at >= line.at;
      if (line.gate) {
        const gate = h("span", { class: "mg-gate" }, line.gate);
        return row(line.into && muted(two(ui.in)), number(line.before), gate, number(line.after));
      }
      if (line.printed) return h("div", { class: "mg-row mg-printed" }, two(ui.printed), " ", h("code", {}, line.printed));
      const left = line.math ? either(line.math, (text) => math(text, S.plain > 2)) : either(line.text, (text) => h("code", {}, text)), right = line.num && !(S.plain > 1 || (S.plain && /mtable/.test(line.num.en ?? line.num))) ? either(line.num, math) : line.value;
      const shown = come && right && number(right);
      if (shown && line.exact) shown.title = line.exact;
      if (shown && line.cells) for (const cell of [...shown.querySelectorAll("mtable")].pop()?.querySelectorAll("mtd") ?? []) {
        shown.dataset.cells = line.cells;
        cell.setAttribute("tabindex", "0");
        for (const event of ["pointerenter", "focus", "pointerleave", "blur"]) cell.addEventListener(event, () => light(cell, /enter|focus/.test(event)), on);
      }
      return h("div", { class: "mg-row mg-rule" }, left, shown);
    };
    if (all.length <= MOST_ROWS) return all.map(write);
    const late = all.slice(FIRST_ROWS, MOST_ROWS), last = row(muted("+" + (all.length - MOST_ROWS)));
    const more = S.more = (n) => { last.before(...late.splice(0, n).map(write)); return late.length; };  // nowhere, if another card is shown by then
    window.setTimeout(() => { more(MOST_ROWS); fits(card); });               // below what is seen
    return [...all.slice(0, FIRST_ROWS).map(write), last];
  }
  /** The entries from which one of the result is made, a row and a column or those in its place, light up; unless it
   *  plays its arithmetic takes the place of the caption. @param {Element} cell @param {boolean} yes */
  function light(cell, yes, plays = false) {
    const place = (one) => [...one.parentNode.children].indexOf(one), i = place(cell.parentNode), j = place(cell), whole = cell.closest(".mg-num");
    const tables = [...whole.querySelectorAll("mtable")], each = whole.dataset.cells === "each";
    const [row, column] = each ? [] : [[...tables[0].children[i].children], [...tables[1].children].map((one) => one.children[j])];
    for (const one of each ? tables.map((table) => table.children[i].children[j]) : [...row, ...column, cell]) one.classList.toggle("mg-source", yes);
    if (!plays) S.unsay();
    if (plays || !yes) return;
    const was = [...say.childNodes], high = say.offsetHeight + "px";
    S.unsay = () => { say.style.height = ""; S.unsay = () => {}; say.replaceChildren(...was); };
    say.style.height = high;                                                 // nothing moves away from under the pointer
    const sign = [...whole.querySelectorAll("math")].pop().textContent.trim()[0], mo = (text) => make("mo", text);
    const product = () => row.flatMap((one, k) => [make("math", k ? mo("+") : "", bracketed(one), mo("·"), bracketed(column[k])), "\u200b"]);
    say.replaceChildren(h("b", {}, `[${i}, ${j}]`), each ? entry(whole, i, j) : h("span", { class: "mg-math" }, ...product(), make("math", mo(sign), bracketed(cell, false))));
  }
  /** A copy of what stands in an entry. @param {Element} cell */
  const bracketed = (cell, yes = true) => make("mrow", ...(yes && /^−/.test(cell.textContent) ? [make("mo", "("), ...cell.cloneNode(true).childNodes, make("mo", ")")] : cell.cloneNode(true).childNodes));
  /** An equation of matrices for the entry in row `i` and column `j`. @param {Element} whole @param {number} i @param {number} j */
  function entry(whole, i, j) {
    const one = /** @type {Element} */ (whole.cloneNode(true)), inner = [...one.querySelectorAll("mtable")].map((table) => [table.closest("msub, msubsup"), table.children[i].children[j]]);
    inner.forEach(([matrix, cell], n) => {
      const value = bracketed(cell, n > 0 && n < inner.length - 1 || matrix.localName !== "msub");
      matrix.replaceWith(matrix.localName === "msub" ? value : make("msup", value, matrix.children[2]));
    });
    one.querySelector("mo")?.remove();                                       // "=", which has nothing before it here
    for (const sign of one.querySelectorAll("mo")) if (sign.textContent === "⊙") sign.textContent = "·";
    return one;
  }
  const chip = (id) => h("span", { class: "mg-chip" + (walk.scene.nodes[id].leaf ? " mg-acc" : "") }, walk.title(id));
  const heading = (id) => {
    const n = walk.place.get(id);
    return (n && frame() >= 0 && (!drive() || walk.count(frame()) >= n) ? n + " · " : "") + walk.title(id);
  };

  // ------------------------------------------------------------ the dock: the equation and the words, in a place of their own
  const wide = new WeakMap(), roomOf = (at) => [at, lang(), S.present, cam.card].join();  // steps whose results as text are surely too wide, and where
  function showDock(st, now, k) {
    const id = S.refused?.id ?? now;
    card.className = "mg-card" + (S.refused ? " mg-refusal" : S.quiz ? " mg-quiz" : st.bad && st.bad === id ? " mg-error" : "");
    const step = walk.steps.get(id), lines = step?.rows ?? [], many = lines.length > MANY;  // a long list is read at the smallest size: each try is a layout
    const forms = new Set(lines.map((/** @type {Json} */ line) => line.num && (/mtable/.test(line.num.en ?? line.num) ? 1 : 2))), sure = many && wide.get(step) === roomOf(walk.frames[k].at);
    for (S.plain of many ? [2, 3].slice(+sure) : [0, 1, 2, 3].filter((plain) => plain % 3 === 0 || forms.has(plain))) {  // without room for matrices, or for any numbers put in, results as text
      if (S.plain > 2 && !sure && card.scrollWidth <= card.clientWidth) return;  // what is only too high scrolls
      card.replaceChildren(...(id ? content(id, k, st) : k < 0 ? [h("pre", {}, lit(walk.frames[k].event.at))] : S.present && drive() ? [choices(st)]
        : [h("h3", {}, two(ui.before)), h("pre", {}, walk.scene.code)]));
      const sizes = (S.present ? [30, 27, 24] : [15, 14, 13, 12]).slice(many ? -1 : 0), fit = (/** @type {number} */ size) => {
        dock.style.setProperty("--mg-type", size + "px");
        dock.classList.remove("mg-wordy");
        const whole = fits(card);
        if (fits(say)) return whole;
        dock.classList.add("mg-wordy");                                        // words may take what the equation does not need
        return [card, say].map(fits).every(Boolean);
      };
      if (fit(sizes[0])) return;
      const least = S.plain > 2 && sizes[sizes.length - 1], wide = (card.scrollWidth - 1) / card.offsetWidth, nearly = card.scrollHeight < 1.25 * card.clientHeight;
      const can = sizes.slice(1).filter((size) => size === least || size * wide <= sizes[0]);  // what is too wide for its place stays so
      if ((can.length < 2 || nearly || fit(can[can.length - 1])) && can.some(fit)) return;  // where the smallest is too high, no other is tried
    }
  }
  function content(id, k, st) {
    const step = walk.steps.get(id), node = walk.scene.nodes[id], f = walk.frames[k];
    const scope = walk.scene.scopes[P.home[id]] ?? walk.scene.scopes[node.scope];
    const where = [scope, node.turn].filter(Boolean).join(" · ");
    const head = h("h3", {}, heading(id), " ", muted(node.words && !node.leaf ? two(node.words) : node.formula),
      where && h("span", { class: "mg-scope" }, where));
    if (k < 0 && !S.refused) return [head, h("div", { class: "mg-row" }, ...f.event.ins.map(value), f.event.ins.length && "→", value(f.event.out))].filter(Boolean);
    if (walk.forced && st.done.size === walk.size) return wrong(k);
    if (S.refused) return [h("h3", {}, node.title), S.present && !st.bad ? choices(st) : h("div", {}, two(S.refused.say)),
      S.refused.early && h("button", { type: "button", "data-do": "anyway" }, two(ui.anyway))].filter(Boolean);
    if (S.quiz) return [quizForm(step)];
    if (S.present && drive() && walk.isEnd.has(k) && !st.bad && walk.count(k) < walk.size) return [head, choices(st)];
    if (st.bad === id) return [head, ...failure(f.event)];
    return [head, ...rows(step, f.at), step.signs.en && h("div", { class: "mg-row mg-signs" }, muted(two(step.signs))), fanIn(id, st)].filter(Boolean);
  }
  /** A value of forward with its name. @param {Json} one */
  function value(one) {
    const shown = one.math ? math(one.math) : one.text ? h("span", {}, one.text) : muted(two(ui.not_kept));
    if (one.exact) shown.title = one.exact;
    return h("span", { class: "mg-made" }, h("code", {}, one.name), " = ", shown, one.moves && ` · ε ${one.moves}`);
  }
  /** The wrong `.grad`s beside the true ones, and what is stranded. @param {number} k */
  function wrong(k) {
    const nodes = Object.entries(walk.scene.nodes).filter(([, node]) => node.leaf);
    const ends = (steps, id) => steps.get(id)?.events.flatMap((event) => Object.values(event.slots ?? {})).pop();
    const differ = nodes.filter(([id]) => ends(walk.steps, id) !== ends(walk.truth, id)).map(([id, node]) => row(h("code", {}, node.formula),
      h("span", { class: "mg-bad" }, "! ", two(ui.too_early), " ", ends(walk.steps, id) ?? "None"), "≠",
      h("span", {}, "✓ ", two(ui.true_run), " ", number(ends(walk.truth, id) ?? "None"))));
    const left = stranded(k).map(({ text }) => row(two(fill(ui.stranded, { name: walk.title(walk.forced) })), h("span", { class: "mg-bad" }, text)));
    return [...(differ.length ? differ : [h("div", {}, two(ui.none_differs))]), ...left,
      h("button", { type: "button", class: "mg-main", "data-do": "back" }, two(ui.back))];
  }
  /** Where several gradients meet: how many came. */
  function fanIn(id, st) {
    const targets = new Set((walk.frames[frame()].event.sends ?? []).map((one) => one.to));
    const met = [...targets].filter((to) => walk.scene.nodes[to].needs.length > 1 && !walk.none.has(to));
    return met.length ? h("div", { class: "mg-row mg-sub" }, two(join(...met.map((to) => told(to, st))))) : null;
  }
  /** For a show of hands: what is ready, and what may look so. */
  function choices(st) {
    const open = Object.keys(walk.scene.nodes).filter((id) => !st.done.has(id));
    const near = open.sort((a, b) => walk.arrived(b, st.done).n - walk.arrived(a, st.done).n).slice(0, 4).sort();
    const buttons = near.map((id, i) => h("button", { type: "button", "data-pick": id }, h("b", {}, letter(i)), " ", walk.title(id)));
    return h("div", { class: "mg-choices" }, h("span", {}, two(ui.queue_drive)), ...buttons);
  }
  function told(id, st) {
    const { n, m } = walk.arrived(id, st.done), outputs = [...walk.sums.keys()].filter((at) => at.startsWith(id + "|"));
    const sent = st.totals.get(outputs[0]), several = outputs.length > 1;         // no sum of all that arrives there is made
    const came = fill(ui.arrived, { name: walk.title(id), n, m });
    if (id === walk.forced && walk.late.includes(walk.frames[frame()].id)) return fill(ui.stranded, { name: walk.title(id) });
    const total = n === m && !walk.forced ? walk.sums.get(outputs[0]) : sent?.n === n && sent.known && sent.total;
    return n > 1 && total && !several ? join(came, fill(ui.sum, { total })) : came;
  }

  function showQueue(ready, st) {
    const how = !model.get("live") ? "recording" : gone() ? "gone" : "live";
    if (!state.matches(".mg-" + how)) state.replaceChildren(two(ui["state_" + how]));
    state.className = "mg-state mg-" + how;
    const chips = drive() ? [...ready].sort() : ready;                  // in Drive the order is the question
    const reason = muted(two(why(ready, st))), rest = muted(), full = () => side.scrollHeight > side.clientHeight;
    const shown = chips.length ? [] : [muted(two(ui.empty))], most = Math.min(MOST_CHIPS, chips.length || 1);
    const put = (n) => {                                                 // what stands there stays, or all would be laid out again
      while (shown.length < Math.min(n, most)) shown.push(chip(chips[shown.length]));
      const left = n < chips.length ? "+" + (chips.length - n) : "";
      if (rest.textContent !== left) rest.textContent = left;
      shown.forEach((one, i) => { if (i >= n) one.remove(); else if (!one.parentNode) rest.before(one); });
    };
    queue.replaceChildren(h("b", {}, two(ui.queue)), rest, reason);
    const fold = (least, most) => {                                      // to as many as there is room for: about those above what is too low
      const low = (one) => one.offsetTop + one.offsetHeight, room = low(shown[most - 1]) - (side.scrollHeight - side.clientHeight);
      let n = Math.max(Math.min(least, most), shown.slice(0, most).filter((one) => low(one) <= room).length);
      for (put(n); n > least && full(); put(n)) most = --n;
      while (n < most && (put(n + 1), !full())) n++;
      put(n);
      return n;
    };
    put(Math.min(MANY, most));
    return () => {                                                       // two in their order, and why, before all of them
      if (!full() && (shown.length >= most || (put(most), !full()))) return;
      const n = fold(2, shown.length);
      if (!full()) return;
      reason.remove();
      if (full()) fold(1, n);
    };
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
    S.unsay();
    say.className = "mg-say" + (st.bad && !S.refused ? " mg-error" : S.refused ? " mg-refusal" : "");
    announce(say, h("b", {}, sign), " ", two(text), ...(S.verdict && !S.verdict.right ? [" ", h("button", { type: "button", "data-do": "replay" }, two(ui.replay))] : []));
  }
  /** The caption and what stands before it. @param {number} k @returns {[string, Both]} */
  function saying(k) {
    const caption = walk.frames[k].event.say;
    if (S.verdict) return [S.verdict.right ? "✓" : "✗", S.verdict.say];
    if (S.quiz) return ["?", ui.quiz_say];
    if (S.refused) return ["…", S.refused.say];
    if (S.want > walk.ends.length - 1 && !gone() && !walk.frames[walk.end].event.bad) return [walk.label(k), ui.busy];
    return [walk.label(k), S.note ? join(S.note, caption) : caption];
  }

  function showBar(k, st) {
    const all = walk.size, first = k === walk.start && !S.quiz, more = model.get("live") ? walk.ends.length - 1 < all : false;
    const last = drive() ? !walk.ready(st.done, walk.frames[k].id).length : k >= walk.end && !more;
    over = (last || st.bad !== "") && !S.quiz && k >= walk.end;
    for (const [name, off] of Object.entries({ first, prev: first, next: over, last: over })) disable(buttons[name], off);
    buttons.play.replaceChildren(icon(S.playing ? "pause" : "play"));
    for (const [name, yes] of Object.entries({ predict: model.get("predict"), drive: drive(), present: S.present }))
      buttons[name].setAttribute("aria-pressed", String(yes));
    buttons.theme.textContent = dark() ? "☀" : "☾";
    slider.min = String(walk.start);
    slider.max = String(walk.end + (drive() ? walk.size - walk.count(walk.end) : 0));  // who drives has so many to go, at least
    slider.value = String(k === walk.start ? k : k - 1 + S.u);
    pace.value = String(S.speed);
    slider.setAttribute("aria-valuetext", walk.label(k));
    const broken = walk.steps.size < all && !model.get("live");             // an error ended the recording
    count.textContent = walk.label(k) + " / " + (k < 0 ? -walk.start : broken ? walk.order.length : all);
  }

  // ------------------------------------------------------------ the learner's code, its line lit
  /** Beside the stage where there is room, else with the queue; not where the cell stands right above in a low room. @param {boolean} apart */
  function placeCode(place) {
    const lines = (walk.scene.sources ?? []).flat(), cell = el.closest(".jp-CodeCell"), written = [...cell?.querySelectorAll(".cm-line") ?? []];
    const above = written.some((line) => line.textContent.trim() && lines.some(([, text]) => text === line.textContent));
    code.hidden = S.present || !place || !lines.length || (above && root.matches(".mg-low, .mg-phone")) || (place === "side" && S.crowded === root.clientWidth);
    root.classList.toggle("mg-coded", !code.hidden);
    const home = place === "column" ? body : side;
    if (code.parentNode !== home) home.append(code);
    root.classList.toggle("mg-wide", place === "column" && !code.hidden);
  }
  /** Where in the code an event is: of a call of backward the node's own line. @param {number} k */
  const spot = (k) => k < 0 ? walk.frames[k].event.at : walk.scene.nodes[S.refused?.id ?? (S.quiz || walk.frames[k].id)]?.at;
  /** The text of a part of the code, by lines. */
  const lit = ([source, first, last]) => walk.scene.sources[source].filter(([n]) => n >= first && n <= last).map(([, text]) => text).join("\n");
  /** Whether a long queue leaves the code no room beneath it. */
  const crowded = () => !code.hidden && code.parentNode === side && side.scrollHeight > side.clientHeight;
  /** @param {number} k */
  function showCode(k) {
    if (code.hidden) return;
    const [source, first, last, start, end] = spot(k) ?? [S.source, 0, 0, 0, 0];
    S.source = source;
    const sign = [source, first, last, start, end].join();
    if (sign === code.dataset.sign) return;
    code.dataset.sign = sign;
    const lines = walk.scene.sources[source].map(([n, text]) => {
      const lit = n >= first && n <= last, from = n === first ? start : text.search(/\S|$/), to = n === last ? end : text.length;
      const parts = lit ? [text.slice(0, from), h("mark", {}, text.slice(from, to)), text.slice(to)] : [text || " "];
      return h("div", { class: "mg-line" + (lit ? " mg-lit" : "") }, muted(String(n)), h("code", {}, ...parts));
    });
    code.replaceChildren(...lines);
    return () => {
      const lit = /** @type {HTMLElement|null} */ (code.querySelector(".mg-lit"));
      const top = lines.find((line) => lit && line.offsetTop + code.clientHeight / 2 >= lit.offsetTop);  // a whole line is the first
      if (lit) code.scrollTop = Math.min(top?.offsetTop ?? 0, lit.offsetTop);
    };
  }

  const letter = (i) => String.fromCharCode(65 + i);
  const failure = (event) => [h("code", { class: "mg-message" }, event.bad), h("div", {}, two(event.note))];
  /** Root and `.grad`, always in sight of a lecture hall; of many leaves the last that got theirs. */
  function showPins(st) {
    if (!S.present) return;
    const leaves = Object.values(walk.scene.nodes).filter((node) => node.leaf), got = (node) => st.slots.get("grad:" + node.leaf);
    const order = [...st.slots.keys()].reverse().map((slot) => leaves.find((node) => "grad:" + node.leaf === slot)).filter(Boolean);
    const shown = leaves.length <= 3 ? leaves : [...new Set([...order, ...leaves])].slice(0, 3);
    const brief = (node) => { const text = got(node) ?? node.grad; return text.length > 20 ? node.shape : text; };
    const pin = (name, value, kind) => h("span", { class: "mg-pin" }, h("code", {}, name), " ", h("span", { class: kind }, value));
    const more = muted();
    pins.replaceChildren(pin(walk.scene.root.name, walk.scene.root.value, ""),
      ...shown.map((node) => pin(node.formula, brief(node), got(node) ? "mg-num" : "mg-sub")), more);
    const left = () => leaves.length - pins.children.length + 2;
    while (pins.children.length > 3 && pins.scrollWidth > pins.clientWidth) pins.children[pins.children.length - 2].remove();
    more.textContent = left() ? "+" + left() : "";
  }
  /** @param {string[]} ids */
  const names = (ids) => [...new Set(ids)].map((id) => walk.title(id)).join(", ");

  // ------------------------------------------------------------ prediction: a state between two frames
  /** The next question of a node that nobody has answered. @param {string} id */
  const quizOf = (id) => [walk.steps.get(id)?.first, walk.steps.get(id)?.quiz]
    .filter((quiz) => quiz && !(drive() && quiz.kind === "next"))[S.answered[id]?.length ?? 0];  // whoever drives decides that
  function quizForm(step) {
    const quiz = quizOf(step.id), input = (name, value) => h("input", { type: "radio", name, value, required: true });
    const radio = (group, label, i) => h("label", {}, input(group, i), group === "v" && h("b", {}, letter(i)), h("span", {}, label));
    return h("form", { class: "mg-quizform" },
      h("fieldset", { class: "mg-options" }, h("legend", {}, two(quiz.ask)), ...quiz.options.map((text, i) => radio("v", text, i))),
      quiz.reasons.length > 0 && h("fieldset", { class: "mg-why" }, h("legend", {}, two(ui.because)),
        ...quiz.reasons.map((pair, i) => radio("r", two(pair), i))),
      h("button", { class: "mg-main" }, two(ui.commit)));
  }
  function commit(form) {
    const data = new FormData(form), v = Number(data.get("v")), r = Number(data.get("r"));
    const step = walk.steps.get(S.quiz), quiz = quizOf(S.quiz), right = v === quiz.answer && (!quiz.reasons.length || r === quiz.reason);
    (S.answered[S.quiz] ??= []).push({ v, r });
    const said = { node: S.quiz, ask: quiz.ask.en, answer: quiz.options[v], because: quiz.reasons[r]?.en ?? "", right };
    model.set("answers", [...model.get("answers"), said]);
    const start = walk.frames.findIndex((f) => f.id === S.quiz);
    S.verdict = { right, start, say: join(right ? ui.right : ui.wrong, quiz.why) };
    if (quizOf(S.quiz)) { save(model); return show(); }                  // its gradient is asked now
    S.quiz = "";
    move(start + step.events.length - 1);
    root.focus({ preventScroll: true });
  }
  /** The first unanswered question between here and there. */
  function question(from, to) {
    if (!model.get("predict")) return null;
    for (let k = Math.max(from, 0) + 1; k <= to; k++) {
      const { id, at } = walk.frames[k], quiz = quizOf(id);
      const asked = P.home[id] && Object.keys(S.answered).some((one) => boxed(one) === boxed(id));  // one a box
      if (quiz && at === quiz.at && !asked) return { id, k: k - 1 };
    }
    return null;
  }

  // ------------------------------------------------------------ moving
  /** Absolute positions only: messages that merge on their way lose nothing. @param {number} k @param {boolean} [moves] */
  function move(k, moves = false) {
    own("frame", k);                                                         // it is shown below, once
    save(model);
    start(moves && k > walk.start);
  }
  /** Show the frame, whose event moves if it may. @param {boolean} moves */
  function start(moves) {
    clearTimeout(S.timer);                                                   // Play goes on from here, once
    cancelAnimationFrame(S.moves);
    const { event, id } = walk.frames[frame()], meets = walk.meets(event);
    const shows = moves && !calm() && id && !S.quiz;
    S.u = shows ? 0 : 1;
    show();
    const entries = event.kind === "compute" ? card.querySelectorAll("mtd[tabindex]").length : 0;
    const lasts = ((meets ? LASTS.meet : LASTS[event.kind] ?? 700) + Math.min(5000, 300 * entries)) / S.speed;
    const begun = performance.now(), onto = (time) => {
      S.u = Math.min(1, Math.max(0, (time - begun) / lasts));
      if (S.u < 1) { stir(frame()); S.moves = requestAnimationFrame(onto); } else end();
    };
    const end = () => {
      if (shows) show();
      if (S.playing) S.timer = window.setTimeout(onward, shows ? 120 / S.speed : 0.8 * lasts);
    };
    if (shows) S.moves = requestAnimationFrame(onto); else end();
  }
  /** While nothing happens: what the next step asks for is known before anybody presses a button. */
  function foresee() {
    const k = stops().find((one) => one > frame()) ?? 0;
    if (k < 1 || S.u < 1) return;
    for (const { slots, marks } of [k - 1, k].map((one) => walk.state(one))) [...slots.keys(), ...marks].forEach(place);
    const { id, at } = walk.frames[k], step = walk.steps.get(id);
    S.plain = 2;
    const tried = h("div", { class: "mg-card" }, ...rows({ ...step, rows: step.rows.slice(0, FIRST_ROWS) }, at));
    Object.assign(tried.style, { width: cam.card + "px", fontSize: (S.present ? 24 : 12) + "px" });
    ghosts.append(tried);                                                    // it is gone before anything is painted
    if (tried.scrollWidth > tried.clientWidth) wide.set(step, roomOf(at));
    ghosts.replaceChildren();
  }
  /** What was refused, answered or noted is over; a question may be open. @param {string} [quiz] */
  const settle = (quiz = "") => Object.assign(S, { refused: null, verdict: null, note: null, quiz });
  /** @param {number} k @param {boolean} [moves] */
  function go(k, moves = false) {
    const target = Math.max(walk.start, Math.min(walk.end, k)), quiz = question(frame(), target);
    settle(quiz?.id);
    if (quiz) stop();
    move(quiz ? quiz.k : target, moves && !quiz);
  }
  /** Anywhere between two events. @param {number} at */
  function scrub(at) {
    const k = Math.min(Math.ceil(at), walk.end);
    stop();
    if (k !== frame()) go(k);
    if (!S.quiz && !calm()) S.u = k > walk.start ? Math.min(1, at - k + 1) : 1;
    show();
  }
  /** The frames where a node, or all that a box hides, is over. */
  const stops = () => {
    const all = [...Array.from({ length: -walk.start }, (_, i) => walk.start + i), ...walk.ends], at = (k) => walk.frames[k]?.id ?? "-";
    return all.filter((k, i) => k === 0 || all[i + 1] === 0 || !at(k) || home(at(k)) !== home(at(all[i + 1])));
  };
  function next() {
    const end = stops().find((k) => k > frame());
    if (end !== undefined) return go(end, true);
    const first = walk.ready(walk.state(frame()).done, walk.frames[frame()].id)[0];
    if (drive()) return pick(first);
    if (!model.get("live") || gone()) return;
    const inside = Object.keys(walk.scene.nodes).filter((id) => home(id) === home(first) && !walk.place.has(id));
    ask(walk.ends.length - 1 + Math.max(1, inside.length));
  }
  const prev = () => go(S.quiz && frame() > 0 ? frame() : stops().findLast((k) => k < frame()) ?? walk.start);
  function last() {
    if (model.get("live") && !gone()) ask(walk.size);
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
    set("want", Math.max(model.get("want"), S.want));
  }
  function stop() {
    clearTimeout(S.timer);
    cancelAnimationFrame(S.moves);
    Object.assign(S, { playing: false, u: 1 });
  }
  function play() {
    if (S.playing) { stop(); return show(); }
    if (frame() >= walk.end && !drive() && !model.get("live")) go(walk.start);
    S.playing = true;
    onward();
  }
  /** Play's next event; what a box hides is one. */
  function onward() {
    const k = frame(), coming = walk.frames[k + 1]?.id;
    const end = coming && P.home[coming] ? stops().find((one) => one > k) ?? walk.end : k + 1;
    const halt = walk.frames.findIndex((f, i) => i > k && i <= end && f.at === 0 && S.breaks.has(f.id));
    if (coming) go(halt > 0 ? halt : end, true); else next();
    if (over || halt > 0 || S.refused) { stop(); show(); }
    else if (S.playing && !coming && model.get("live")) S.timer = window.setTimeout(onward, LASTS.send / S.speed);
  }
  /** @param {number} by */
  const hurry = (by) => { S.speed = SPEEDS[Math.max(0, Math.min(SPEEDS.length - 1, SPEEDS.indexOf(S.speed) + by))]; show(); };
  /** To the next or the last node with a breakpoint. @param {number} sign */
  function run(sign) {
    const here = frame(), stops = walk.ends.filter((k) => S.breaks.has(walk.frames[k].id));
    go(sign > 0 ? stops.find((k) => k > here) ?? walk.end : stops.findLast((k) => k < here) ?? walk.start);
  }
  function breakpoint() {
    const id = walk.frames[frame()].id;
    if (id && !S.breaks.delete(id)) S.breaks.add(id);
    set("breaks", [...S.breaks]);
  }

  // ------------------------------------------------------------ Drive: the student picks, the engine may refuse
  /** A node, or all that can run of what a box hides. @param {string|undefined} chosen */
  function pick(chosen) {
    if (!chosen) return;
    const inside = Object.keys(walk.scene.nodes).filter((id) => home(id) === home(chosen) && home(id) !== id);
    const can = () => { const st = walk.state(frame()); return walk.ready(st.done, "").find((id) => inside.includes(id)); };
    if (!inside.length) return pickOne(chosen);
    const done = walk.state(frame()).done;
    pickOne(can() ?? inside.find((id) => !done.has(id)) ?? inside[0]);
    if (!model.get("live")) for (let id = can(); id && !S.refused; id = can()) pickOne(id);
  }
  /** @param {string} id */
  function pickOne(id) {
    const k = frame(), st = walk.state(k), { missing, n, m } = walk.arrived(id, st.done), title = walk.title(id);
    const ready = walk.ready(st.done, walk.frames[k].id), first = ready[0];
    settle();
    const say = st.bad ? ui.queue_error : st.done.has(id) ? fill(ui.already, { name: title })
      : missing.length ? fill(ui.refused, { name: title, n, m, who: names(missing) })
      : walk.steps.has(id) || (model.get("live") && id === first) ? null
      : fill(ui.torch_first, { name: title, first: walk.title(first) });
    if (!say) return take(id, first, st.done);
    const came = [...new Set(walk.scene.nodes[id].needs)].filter((one) => st.done.has(one)).sort(), early = id + "|" + came;
    const can = !walk.forced && walk.scene.early, leaf = walk.scene.nodes[id].leaf;
    const more = can && missing.length && (leaf ? ui.at_a_leaf : !n && ui.nothing_came);
    S.refused = { id, say: more ? join(say, more) : say, early: can && missing.length && !leaf && early in can && early };
    set("refused", [...model.get("refused"), id]);
  }
  function take(id, first, done) {
    if (!walk.steps.has(id)) return ask(walk.ends.length);
    const leaf = (one) => walk.scene.nodes[one].leaf, accepted = fill(leaf(id) ? ui.no_order : ui.accepted, { name: walk.title(id), first: walk.title(first) });
    if (id !== first && !walk.forced) S.note = leaf(id) ? accepted : join(accepted, leaf(first) ? ui.because_acc : ui.because_seq);
    setPath([...done, id]);
    move(walk.end, true);
  }
  /** @param {string[]} path */
  function setPath(path) {
    own("path", path);
    walk = new Walk(model.get("scene"), model.get("steps"), !path.length && drive() ? [""] : path);
  }
  /** Set by this view, which shows it by itself. @param {string} name */
  function own(name, value) { S.own = true; model.set(name, value); S.own = false; }
  /** Another view of this player, or Python, went elsewhere: what is open here is over. */
  const follow = () => { if (!S.own) { settle(); show(); } };
  /** The node that was refused runs, with what has come. */
  function anyway() {
    const { id, early } = S.refused ?? {}, st = walk.state(frame()), { n, m } = id ? walk.arrived(id, st.done) : { n: 0, m: 0 };
    if (!early) return;
    Object.assign(S, { refused: null, note: fill(ui.ran_early, { name: walk.title(id), n, m }) });
    model.set("forced", [...model.get("forced"), { node: id, arrived: early.split("|")[1].split(",") }]);
    setPath([...st.done, id]);
    move(walk.end, true);
  }
  /** As it was before the node was forced; in the true run nothing had changed. */
  function back() {
    const path = walk.order.slice(0, walk.order.indexOf(walk.forced));
    settle();
    setPath(path);
    move(walk.end);
  }
  function toggleDrive() {
    if (walk.scene.faulty) return;
    const n = walk.count(frame()), kept = walk.order.slice(0, n);
    own("drive", !drive());
    settle();
    stop();
    setPath(drive() ? kept : []);
    move(walk.ends[Math.min(n, walk.ends.length - 1)]);
  }

  // ------------------------------------------------------------ language, theme, presenting
  const lang = () => model.get("lang");
  const gone = alone(model, el, life, show);
  const dark = () => isDark(model);
  function present(yes = !S.present) {
    S.present = yes;
    const whole = root.getBoundingClientRect().height > window.innerHeight - 40;
    if (yes && !whole) root.requestFullscreen?.().catch(() => undefined);
    if (!yes && document.fullscreenElement === root) document.exitFullscreen();
    layout();
  }
  /** Open a box or a loop, everything, or fold again what is open. @param {string} [key] */
  function open(key = P.key ? "" : "ops") {
    const inside = document.activeElement?.closest(".mg-box, .mg-frame"), where = key || inside?.getAttribute("data-id");
    turnTo(key);
    layout();
    ((inside && P.svg.querySelector(`[data-id="${where}"]`)) ?? root).focus({ preventScroll: true });
  }
  const set = (name, value) => { model.set(name, value); save(model); show(); };
  const actions = {
    first: () => go(walk.start), prev, play, next, last, present: () => present(), drive: toggleDrive,
    predict: () => { S.quiz = ""; S.verdict = null; set("predict", !model.get("predict")); },
    lang: () => set("lang", NEXT_TONGUE[lang()]), open: () => open(),
    anyway, back, whole: () => { S.whole = !S.whole; cam.k = 0; show(); },
    theme: () => set("theme", dark() ? "light" : "dark"),
    replay: () => { const start = S.verdict?.start ?? 0; S.verdict = null; go(start); },
  };

  // ------------------------------------------------------------ listening
  root.addEventListener("click", (event) => {
    const at = /** @type {Element} */ (event.target), act = at.closest("[data-do]"), chosen = at.closest("[data-pick]");
    const node = at.closest("[data-node], .mg-node");
    if (act instanceof HTMLElement) actions[act.dataset.do ?? ""]?.();
    else if (chosen instanceof HTMLElement) pick(chosen.dataset.pick);
    else if (at.closest(".mg-map")) glide(...cam.pressed(event), cam.k);
    else unfold(at) || (node instanceof SVGElement && drive() && pickDrawn(node.dataset.node ?? node.dataset.id ?? ""));
  }, on);
  /** Opens a box, folds a frame; in Drive only by its corner. @param {Element} at */
  function unfold(at) {
    const scope = /** @type {SVGElement|null} */ (at.closest(".mg-box, .mg-frame")), corner = at.matches(".mg-toggle, .mg-toggle + text");
    const yes = scope && (corner || at === scope || (scope.matches(".mg-box") && !drive()));
    if (yes) open(scope.matches(".mg-box") ? scope.dataset.id : "");
    return !!yes;
  }
  const pickDrawn = (id) => {                                                  // of a loop the turn that is next
    const ids = P.nodes.get(id)?.ids ?? [id], { done } = walk.state(frame());
    pick(ids.find((one) => !done.has(one)) ?? ids[0]);
  };
  stage.addEventListener("focusin", (event) => {                               // who goes there by keyboard is followed by the camera
    const id = /** @type {Element} */ (event.target).closest(".mg-node")?.getAttribute("data-id"), box = P.nodes.get(id)?.box, room = sight(cam.k);
    if (box && !holds(room, box)) look(box.x + box.w / 2 - room.w / 2, box.y + box.h / 2 - room.h / 2, cam.k);
  }, on);
  stage.addEventListener("scroll", () => stage.scrollTo(0, 0), on);            // and moves the picture alone
  slider.addEventListener("input", () => scrub(Number(slider.value)), on);
  pace.addEventListener("change", () => { S.speed = Number(pace.value); }, on);
  root.addEventListener("submit", (event) => { event.preventDefault(); commit(event.target); }, on);
  root.addEventListener("keydown", (event) => {
    const at = /** @type {HTMLElement} */ (event.target), node = /** @type {SVGElement|null} */ (at.closest?.(".mg-node"));
    event.stopPropagation();
    if (event.ctrlKey || event.metaKey || event.altKey || (/^(INPUT|SELECT)$/.test(at.tagName) && at !== slider && event.key !== "Escape")) return;
    const pressed = at instanceof HTMLButtonElement, scope = at.closest?.(".mg-box, .mg-frame");
    const choose = node && drive() ? () => pickDrawn(node.dataset.id ?? "") : scope ? () => unfold(scope) : null;
    const act = {
      ArrowRight: event.shiftKey ? () => go(frame() + 1, true) : next, ArrowLeft: event.shiftKey ? () => go(frame() - 1) : prev,
      Home: actions.first, End: last, " ": pressed ? null : choose ?? play, Enter: choose,
      p: model.get("live") ? null : actions.predict, d: toggleDrive, f: actions.present, b: breakpoint,
      l: actions.lang, t: actions.theme, "+": () => hurry(1), "=": () => hurry(1), "-": () => hurry(-1), r: anyway, o: scope ? () => unfold(scope) : buttons.open.hidden ? null : actions.open, 0: actions.whole, c: () => run(event.shiftKey ? -1 : 1), Escape: () => (S.present ? present(false) : at.blur()),
    }[keyOf(event)];
    if (!act) return;
    event.preventDefault();
    act();
  }, on);
  document.addEventListener("fullscreenchange", () => { if (S.present && !document.fullscreenElement) present(false); }, on);

  const renew = () => {
    const atEnd = frame() >= walk.end, path = model.get("path"), fresh = model.get("steps").filter(({ id }) => !walk.truth.has(id));
    if (path.length) own("path", [...new Set([...path, ...fresh.map(({ id }) => id)])]);
    walk = new Walk(model.get("scene"), model.get("steps"), model.get("path"));
    if (atEnd || S.want) model.set("frame", walk.end);
    save(model);
    show();
  };
  const reroute = () => { if (!S.own) setPath(model.get("path")); follow(); };
  const watched = { "change:frame": follow, "change:path": reroute, "change:drive": reroute, "change:lang": show, "change:theme": show, "change:predict": show, "change:steps": renew };
  attend(model, life, watched, [root, stage], layout, show).observe(el, { attributeFilter: ["class"] });  // the kernel went, or came back
  el.append(root);
  turnTo("");
  if (model.widget_manager && gone())                                        // a stored player starts at the beginning
    for (const [name, value] of Object.entries({ frame: walk.start, path: [], refused: [], forced: [], answers: [] })) own(name, value);
  if (drive() && !model.get("path").length) setPath([]);
  layout();
  return () => {
    life.abort();
    stop();
  };
}

// ---------------------------------------------------------------- two runs side by side

/** What a player asks of its model, where the model is a part of another's. @param {Json} state */
function part(state) {
  const heard = /** @type {Record<string, (() => void)[]>} */ ({});
  const set = (name, value) => { if (state[name] !== value) { state[name] = value; heard["change:" + name]?.forEach((call) => call()); } };
  return { get: (name) => state[name], set, save_changes() {}, on: (event, call) => (heard[event] ??= []).push(call), off() {} };
}

/** Two players under one transport. A moment is a frame of each; where only one moves, the other waits.
 *  @param {{model: any, el: HTMLElement}} context */
function compared({ model, el }) {
  const life = new AbortController(), runs = model.get("runs"), moments = model.get("moments"), twins = model.get("twins"), ui = { ...runs[0].scene.ui, ...model.get("ui") };
  const models = runs.map((run) => part({ ...run, lang: model.get("lang"), theme: model.get("theme") }));
  const walks = runs.map((run) => new Walk(run.scene, run.steps, []));
  const stages = runs.map(() => h("div", { class: "mg-one" })), marks = runs.map(() => h("span", { class: "mg-sub mg-later" }, two(ui.only_one)));
  const heads = runs.map((run, i) => h("div", { class: "mg-head" }, h("b", {}, "AB"[i]), " ", h("code", {}, run.scene.call), " ",
    ...run.lines.map((line) => h("code", { class: "mg-its-line" }, line)), marks[i]));
  const table = h("div", { class: "mg-differences", "aria-live": "polite", tabindex: 0, role: "group", ...named(ui.grads) }), bar = h("div", { class: "mg-bar", role: "toolbar", ...named(ui.controls) });
  const slider = /** @type {HTMLInputElement} */ (h("input", { type: "range", min: 0, max: moments.length - 1, ...named(ui.slider) }));
  const count = h("span", { class: "mg-count" }), root = h("section", { class: "mg-comparison", tabindex: 0, role: "group",
    "aria-label": "minigrad.compare", "data-lm-suppress-shortcuts": "true" }, ...runs.map((_, i) => h("div", { class: "mg-run" }, heads[i], stages[i])), table, bar);
  const button = (name) => h("button", { type: "button", "data-do": name, ...named(ui[name], true) }, /lang|theme/.test(name) ? "◐" : icon(name));
  bar.append(...["first", "prev", "play", "next", "last"].map(button), slider, count, button("lang"), button("theme"));
  const at = () => Math.max(0, Math.min(moments.length - 1, model.get("frame"))), dark = () => stages[0].firstElementChild?.classList.contains("mg-dark");
  /** Where a node, or both together, is over. */
  const isStop = (i) => i === moments.length - 1 || [0, 1].some((run) => moments[i][run] !== moments[i - 1]?.[run] && walks[run].isEnd.has(moments[i][run]) && moments[i + 1][run] >= moments[i][run]);
  const stops = moments.map((_, i) => i).filter((i) => i === 0 || isStop(i));
  /** The place in the other run of a slot, or of a node. @param {string} name */
  const twin = (name) => name.replace(/[nt]\d+/, (id) => twins[id] ?? "-");
  const matched = [new Set(Object.keys(twins)), new Set(Object.values(twins))], called = (/** @type {number} */ run, /** @type {string} */ id) => runs[run].scene.nodes[id]?.formula;
  const both = [{}, {}];                                          // a leaf and its twin have one row, with both of their names
  for (const [mine, other] of Object.entries(twins)) both[0][mine] = both[1][other] = [...new Set([called(0, mine), called(1, other)])].join(" / ");
  let timer = 0;

  function show() {
    const i = at(), [a, b, who] = moments[i], now = [a, b];
    models.forEach((one, run) => { one.set("frame", now[run]); one.set("lang", model.get("lang")); one.set("theme", model.get("theme")); });
    const slots = stages.map((stage) => new Map([...stage.querySelectorAll("[data-slot].mg-set")].map((text) => [text.getAttribute("data-slot"), text])));
    const over = i === moments.length - 1, differing = new Set();
    for (const [slot, text] of slots[0]) {
      const other = slots[1].get(twin(slot));
      if (other ? other.textContent !== text.textContent : over) differing.add(text).add(other);
    }
    if (over) for (const [slot, text] of slots[1]) if (![...slots[0].keys()].some((one) => twin(one) === slot)) differing.add(text);
    stages.forEach((stage, run) => {
      for (const text of stage.querySelectorAll("[data-slot]")) text.classList.toggle("mg-differs", differing.has(text));
      for (const node of stage.querySelectorAll(".mg-node")) node.classList.toggle("mg-only", /^n/.test(node.dataset.id) && !matched[run].has(node.dataset.id));
      const waits = who !== "both" && who !== "ab"[run];
      stage.parentElement?.classList.toggle("mg-waits", waits);
      marks[run].classList.toggle("mg-later", who !== "ab"[run]);              // its place is kept: no area changes its size
    });
    showGrads(now);
    speak(root, model.get("lang"));
    root.classList.toggle("mg-dark", dark());
    root.classList.toggle("mg-narrow", root.clientWidth < 620);
    slider.value = String(i);
    slider.setAttribute("aria-valuetext", i + " / " + (moments.length - 1));
    count.textContent = i + " / " + (moments.length - 1);
    bar.querySelector("[data-do=play]")?.replaceChildren(icon(timer ? "pause" : "play"));
    for (const [name, off] of Object.entries({ first: !i, prev: !i, next: over, last: over })) disable(/** @type {Element} */ (bar.querySelector(`[data-do=${name}]`)), off);
  }
  /** `.grad` of both, as they are now; a sign says which differ. @param {number[]} now */
  function showGrads(now) {
    const grads = walks.map((walk, run) => {
      const st = walk.state(now[run]), leaves = Object.entries(walk.scene.nodes).filter(([, node]) => node.leaf);
      const value = (/** @type {string} */ id, /** @type {Json} */ node) => {    // what it says, and all of it, where that is known
        const text = st.slots.get("grad:" + node.leaf) ?? node.grad, line = st.done.has(id) && walk.steps.get(id)?.rows.findLast((one) => "exact" in one);
        return { text, all: text === "None" ? "" : line ? line.exact || line.digest || "" : null };
      };
      return { bad: walk.frames[walk.end].event.bad, over: now[run] === walk.end, of: new Map(leaves.map(([id, node]) => [both[run][id] ?? node.formula, value(id, node)])) };
    });
    const rows = [...new Set(grads.flatMap(({ of }) => [...of.keys()]))].map((name) => [name, ...grads.map(({ of }) => of.get(name) ?? { text: "–", all: "" })]);
    const body = rows.map(([name, mine, other]) => {
      const known = mine.all !== null && mine.all === other.all, differs = mine.text !== other.text || (!known && mine.all && other.all);
      return h("tr", { class: !!differs && "mg-differs" }, h("th", { scope: "row" }, h("code", {}, name)), h("td", {}, mine.text), h("td", {}, differs ? "≠" : known ? "=" : ""), h("td", {}, other.text));
    });
    const hidden = (yes, name = "") => ({ class: name + (yes ? " mg-later" : "") });
    const errors = grads.flatMap(({ bad, over }, run) => (bad ? [h("p", hidden(!over, "mg-failure"), h("b", {}, "AB"[run] + " ! "), h("code", {}, bad))] : []));
    const said = ui.said ? [h("p", hidden(at() < moments.length - 1), two(ui.said))] : [];
    announce(table, ...said, ...errors, h("table", {}, h("tr", {}, h("td", {}, two(ui.grads)), h("th", { scope: "col" }, "A"), h("td", {}), h("th", { scope: "col" }, "B")), ...body));
  }
  const go = (i) => { model.set("frame", Math.max(0, Math.min(moments.length - 1, i))); save(model); show(); };
  const stop = () => { clearTimeout(timer); timer = 0; };
  const onward = () => { go(at() + 1); if (at() === moments.length - 1) stop(); else timer = window.setTimeout(onward, 900); show(); };
  const actions = {
    first: () => go(0), last: () => go(moments.length - 1), next: () => go(stops.find((i) => i > at()) ?? moments.length - 1),
    prev: () => go(stops.findLast((i) => i < at()) ?? 0), play: () => { if (timer) { stop(); show(); } else { if (at() === moments.length - 1) go(0); onward(); } },
    lang: () => { model.set("lang", NEXT_TONGUE[model.get("lang")]); save(model); },
    theme: () => { model.set("theme", dark() ? "light" : "dark"); save(model); },
  };
  root.addEventListener("click", (event) => {
    const act = /** @type {HTMLElement|null} */ (/** @type {Element} */ (event.target).closest(".mg-comparison > .mg-bar [data-do]"));
    if (act) { if (act.dataset.do !== "play") stop(); actions[act.dataset.do ?? ""](); }
  }, { signal: life.signal });
  slider.addEventListener("input", () => { stop(); go(Number(slider.value)); }, { signal: life.signal });
  root.addEventListener("keydown", (event) => {                              // before the players hear of it
    const pressed = event.target instanceof HTMLButtonElement;
    const act = { ArrowRight: event.shiftKey ? () => go(at() + 1) : actions.next, ArrowLeft: event.shiftKey ? () => go(at() - 1) : actions.prev, Home: actions.first, End: actions.last,
      " ": pressed ? null : actions.play, l: actions.lang, t: actions.theme }[keyOf(event)];
    const opens = /^(Enter| )$/.test(event.key) && /** @type {Element} */ (event.target).matches(".mg-box, .mg-frame");
    if (event.ctrlKey || event.metaKey || event.altKey || event.key === "Tab" || opens) return;
    event.stopPropagation();
    if (!act) return;
    event.preventDefault();
    act();
  }, { signal: life.signal, capture: true });
  el.append(root);
  const ends = stages.map((stage, run) => render({ model: models[run], el: stage }));
  stages.forEach((stage, run) => {
    stage.querySelector(".mg-player")?.setAttribute("tabindex", "-1");       // keeps the focus where what had it is gone
    const { dataset } = /** @type {HTMLElement} */ (stage.querySelector(".mg-card"));
    for (const tongue of ["en", "zh"]) dataset[tongue] = "AB"[run] + " · " + dataset[tongue];
  });
  show();
  attend(model, life, { "change:frame": show, "change:lang": show, "change:theme": show }, [root], show, show);
  return () => { life.abort(); stop(); ends.forEach((end) => end()); };
}

// ---------------------------------------------------------------- the explorer: the stage without steps

const STOPS = ".mg-box, .mg-frame, .mg-op, .mg-acc, .mg-leaf, .mg-constant, .mg-nonleaf, .mg-hook, .mg-ghost";

/** A drawing whose boxes open: each picture says which other one each of its parts leads to (`to`).
 *  @param {{model: any, el: HTMLElement, close?: () => void}} context `close`: what shows the picture again */
function explore({ model, el, close }) {
  const life = new AbortController(), on = { signal: life.signal }, scene = model.get("scene"), { ui } = scene;
  const store = /** @type {Map<string, Json>} */ (new Map(model.get("pictures").map((one) => [one.key, { ...one }])));
  const fingers = /** @type {Map<number, Json>} */ (new Map()), asked = new Set();
  const [, wide, high] = /viewBox="\S+ \S+ (\S+) ([^"]+)/.exec(model.get("pictures")[0].svg)?.map(Number) ?? [];  // what is said of it stands beside it where only so all can be seen
  /** What only this view knows: a part that shall be seen, a picture that is waited for, what was found. */
  const S = { want: "", waits: /** @type {Json|null} */ (null), hits: /** @type {string[][]} */ ([]), hit: -1, dragged: false, timer: 0, began: /** @type {number[]} */ ([]), siblings: /** @type {string[]} */ ([]) };
  let P = /** @type {Json} */ ({ alias: {}, to: {}, many: {}, cards: {}, links: [], stops: [], spots: new Map() });  // none yet: a pointer may come first

  const stage = h("div", { class: "mg-stage" }), map = s("svg", { class: "mg-map", "aria-hidden": "true" });
  const card = h("div", { class: "mg-card", role: "group" }), say = h("p", { class: "mg-say", "aria-live": "polite" });
  const code = h("div", { class: "mg-code", role: "group", ...named(ui.code) });
  const bar = h("div", { class: "mg-bar", role: "toolbar", ...named(ui.controls) });
  const root = h("div", { class: "mg-player mg-explorer", tabindex: 0, role: "application",
    "aria-label": scene.title, "data-lm-suppress-shortcuts": "true" },
    h("div", { class: "mg-body" }, bar, stage, h("div", { class: "mg-dock" }, card, say), h("div", { class: "mg-side" }, map, code)));
  const cam = camera(map, () => P), { sight, look } = cam;
  const buttons = /** @type {Record<string, HTMLButtonElement>} */ ({});
  for (const [name, sign] of Object.entries({ record: "", forward: "", backward: "", open_all: "", fold_all: "", zoom_out: "−", fit: "", zoom_in: "+", lang: " ", theme: " ", ...(close && { close: "✕" }) }))
    buttons[name] = /** @type {HTMLButtonElement} */ (h("button", { type: "button", "data-do": name, ...named(ui[name], true) }, sign || two(ui[name])));
  const search = /** @type {HTMLInputElement} */ (h("input", { type: "search", ...named(ui.search) }));
  const { lang: tongue, theme: lamp, close: back, ...others } = buttons;
  bar.append(...Object.values(others), search, tongue, lamp, back ?? "");
  for (const [number, text, ids] of scene.code)
    code.append(h("button", { type: "button", class: "mg-origin", tabindex: code.childElementCount ? -1 : 0, "data-ids": ids.join(" ") }, h("span", { class: "mg-sub" }, String(number)), " ", text));
  const lines = /** @type {HTMLElement[]} */ ([...code.children]);

  const lang = () => model.get("lang"), words = (pair) => spoken(pair, lang());
  const drawn = (id) => P.alias[id] ?? id;
  const away = alone(model, el, life, () => { if (S.waits) turn(S.waits.key); });
  const set = (name, value) => { model.set(name, value); save(model); };

  // ------------------------------------------------------------ which picture
  /** Show a picture, the part `hold` where it was; the kernel is asked for one that is not here. @param {string} key */
  function turn(key, hold = "", keep = false) {
    const found = store.get(key), before = P.spots.get(hold)?.box, was = P, inside = stage.contains(document.activeElement);
    if (!found) {
      S.waits = away() ? null : { key, hold };
      ask(key);
      return tell(!away() ? ui.waits : model.widget_manager ? ui.gone : ui.elsewhere);
    }
    S.waits = null;
    P = found;
    if (typeof P.svg === "string") prepare();
    const anew = !cam.k || P.narrow !== was.narrow;
    if (anew) start(); else cam.hang();
    stage.replaceChildren(P.svg);
    if (!P.measured) measure();
    map.replaceChildren(...P.stops.map((stop) => stop.dot), P.window);
    const after = P.spots.get(hold)?.box;
    if (!anew && before && after) {
      place(after.x - before.x + cam.x, after.y - before.y + cam.y, cam.k);
      settle(was, before, after);
    } else if (P.view !== was.view) place(cam.x, cam.y, cam.k);
    else if (!anew) start();
    if (!keep && model.get("key") !== key) set("key", key);
    show();
    if (S.want) reveal(S.want);
    else if (inside) (P.spots.get(hold) ?? P.spots.get(model.get("chosen")) ?? { part: root }).part.focus({ preventScroll: true });
  }
  /** What is in sight and was there glides to its place beside the part that is held, what is new comes out of that, wires appear.
   *  @param {Json} was @param {Box} before @param {Box} after Where the held part stood and stands. */
  function settle(was, before, after) {
    const boxes = new Map(P.stops.map(({ part, box }) => [part, box])), seen = sight(cam.k);
    for (const part of calm() ? [] : P.svg.querySelectorAll("g[data-id]")) {
      const owner = P.spots.get(drawn(part.dataset.id.split(":")[0]));
      if (owner && !meet(seen, owner.box)) continue;
      const to = boxes.get(part), old = to && was.spots.get(part.dataset.id)?.box, from = old ?? before;
      const way = to && `translate(${from.x - before.x + after.x - to.x}px, ${from.y - before.y + after.y - to.y}px)`;
      part.animate({ ...(way && { transform: [way, "none"] }), ...(!old && { opacity: [0, 1] }) }, { duration: OPEN_MS, easing: "ease-out" });
    }
  }
  /** @param {string|undefined} key */
  function ask(key) {
    if (!key || store.has(key) || asked.has(key) || away()) return;
    try { model.send({ open: key }); asked.add(key); } catch { /* as above */ }
  }
  const answered = ({ picture: made }) => {
    if (!made) return;
    if (!store.has(made.key)) store.set(made.key, { ...made });                // each view draws its own
    if (S.waits?.key === made.key) { turn(made.key, S.waits.hold); suit(); }
  };
  /** Show the picture of the page's width: the kernel keeps one for all views, and they may have come and gone. */
  function suit() { if (root.classList.contains("mg-phone") !== P.narrow && P.to.narrow) turn(P.to.narrow); }
  /** Everything that changes a picture, before it is on the page: what is measured there is laid out once. */
  function prepare() {
    const svg = picture(P.svg), vb = svg.viewBox.baseVal;
    svg.setAttribute("role", "group");                                       // an image may hold nothing to press
    Object.assign(P, { svg, box: { x: vb.x, y: vb.y, w: vb.width, h: vb.height }, words: [], lang: "en",
      labelled: labelled(svg), window: s("rect", { class: "mg-window" }), parts: [...svg.querySelectorAll(STOPS)].filter(({ dataset: { id } }) => P.cards[id]) });
    for (const part of P.parts) {
      part.classList.add("mg-node");
      for (const [name, value] of Object.entries({ tabindex: "-1", role: P.to[part.dataset.id] ? "button" : "img" })) part.setAttribute(name, value);
    }
  }
  function measure() {
    Object.assign(P, { stops: [], spots: new Map(), measured: root.clientWidth > 0 });
    for (const part of P.parts) {
      const id = part.dataset.id, box = boxOf(part), dot = s("rect", { x: box.x, y: box.y, width: box.w, height: box.h, rx: 8 });
      if (part.matches(".mg-frame")) dot.setAttribute("class", "mg-hollow");
      P.stops.push({ id, part, box, dot });
      if (!P.spots.has(id)) P.spots.set(id, P.stops[P.stops.length - 1]);
    }
  }
  /** Open or fold what can be. @param {string} id */
  function toggle(id) {
    if (P.to[id]) turn(P.to[id], id);
    else if (P.many[id]) tell(fill(ui.too_many, { count: P.many[id] }));
  }
  /** Open whatever hides a part, then show it. @param {string} id */
  function reveal(id) {
    const here = drawn(id);
    S.want = "";
    if (here !== id && P.to[here] && P.spots.get(here)?.part.matches(".mg-box")) {
      S.want = id;
      if (!store.has(P.to[here]) && away()) S.want = "";
      return turn(P.to[here], here);
    }
    focus(here);
  }

  // ------------------------------------------------------------ the camera
  const fitting = () => Math.min(LARGEST, cam.w / P.box.w, cam.h / P.box.h), least = LEAST.page / TEXT;
  /** All of it if it can be read, else its beginning: where data come in, or where backward starts. */
  function start(k = Math.max(least, Math.min(1, fitting()))) {
    const room = { w: cam.w / k, h: cam.h / k }, { x, y, w, h: high } = P.box;
    place(w <= room.w ? x - (room.w - w) / 2 : P.view === "forward" ? x : x + w - room.w, high <= room.h ? y - (room.h - high) / 2 : y, k);
    S.began = model.get("place");
  }
  function place(x, y, k) {
    look(x, y, k);
    root.classList.toggle("mg-follows", !holds(grown(sight(k), 2), P.box));
    model.set("place", [x, y, k]);
    clearTimeout(S.timer);
    S.timer = window.setTimeout(() => save(model), GLIDE_MS);             // a drag is one message
  }
  /** @param {number} by @param {number} [px] What stays where it is, in px of the stage. @param {number} [py] */
  function zoom(by, px = cam.w / 2, py = cam.h / 2) {
    const k = Math.max(Math.min(fitting(), least) * 0.8, Math.min(4, cam.k * by));
    place(cam.x + px / cam.k - px / k, cam.y + py / cam.k - py / k, k);
  }
  /** @param {Box} box */
  function intoSight(box) {
    if (!cam.k || holds(sight(cam.k), box)) return;
    const room = sight(cam.k), x = box.x + Math.min(box.w, room.w) / 2 - room.w / 2, y = box.y + Math.min(box.h, room.h) / 2 - room.h / 2;
    place(x, y, cam.k);
  }

  // ------------------------------------------------------------ what is told of a part
  /** @param {Both} pair */
  const tell = (pair) => announce(say, two(pair));
  /** @param {string} id */
  function showCard(id) {
    const about = P.cards[id];
    for (const line of lines) line.classList.toggle("mg-linked", !!id && (line.dataset.ids ?? "").split(" ").some((one) => drawn(one) === id));
    const line = ([what, value]) => row(what && h("code", {}, what), typeof value === "string" ? h("span", {}, value) : muted(two(value)));
    card.setAttribute("aria-label", (about ?? scene).title);
    card.replaceChildren(...(about ? [h("h3", {}, about.title, " ", h("span", { class: "mg-sub" }, about.sub)), ...about.rows.map(line)]
      : [h("h3", {}, scene.title), ...scene.remarks.map((one) => h("div", {}, one)), h("div", { class: "mg-sub" }, two(ui.help))]));
    fits(card);
  }
  /** The part that is chosen: what the keys move from. @param {string} id */
  function focus(id) {
    const stop = P.spots.get(id);
    if (!stop) return;
    intoSight(stop.box);
    if (document.activeElement === search) chosen(id); else stop.part.focus({ preventScroll: true });
  }
  function chosen(id) {
    for (const stop of P.stops) stop.part.classList.toggle("mg-chosen", stop.id === id);
    if (model.get("chosen") !== id) set("chosen", id);
    showCard(id);
  }
  /** @param {string[]} ids */
  const light = (ids) => { const lit = new Set(ids.map(drawn)); for (const { id, part } of P.stops) part.classList.toggle("mg-linked", lit.has(id)); };

  function show() {
    if (!P.svg) return;                                                        // it was never on the page
    speak(root, lang());
    root.classList.toggle("mg-dark", isDark(model));
    translated(P, lang());
    for (const { id, part } of P.stops) {
      const state = !P.to[id] ? "" : ". " + words(part.matches(".mg-box") ? ui.opens : ui.folds);
      const said = P.to[id] && [...part.querySelectorAll("text")].map((one) => one.textContent).join(" ");  // what is seen of it
      part.setAttribute("aria-label", `${said || P.cards[id].title + " " + P.cards[id].sub}${state}`);
    }
    for (const name of ["record", "forward", "backward"]) {
      buttons[name].setAttribute("aria-pressed", String(P.view === name));
      disable(buttons[name], P.view !== name && !P.to[name]);
      if (P.view !== name && !P.to[name]) buttons[name].title = words(ui.numbers);
    }
    disable(buttons.open_all, !P.to.open && !P.many.open);
    disable(buttons.fold_all, !P.to.fold);
    search.placeholder = words(ui.search);
    lamp.textContent = isDark(model) ? "☀" : "☾";
    const [ops, boxes, folded] = P.counts;
    tell(join(fill(ui.counts, { ops, boxes, folded }), ...(scene.left_out ? [fill(ui.left_out, { count: scene.left_out })] : [])));
    showCard(model.get("chosen"));
  }
  function layout() {
    const phone = root.clientWidth < 620, had = cam.w && cam.h, was = { w: cam.w, h: cam.h }, [x, y, k] = model.get("place");
    root.classList.toggle("mg-phone", phone);
    if (!stage.clientWidth) return;                                            // nothing could be seen, and no place be kept
    const scale = (beside) => { root.classList.toggle("mg-beside", beside); return Math.min(1, stage.clientWidth / wide, stage.clientHeight / high); };
    if (scale(false) >= 1 || root.clientWidth < 800 || scale(true) < 1.1 * scale(false)) scale(false); else scale(true);
    fits(card);
    if (cam.w === stage.clientWidth && cam.h === stage.clientHeight && P.measured) return;
    Object.assign(cam, { w: stage.clientWidth, h: stage.clientHeight });
    const key = P.key ?? model.get("key");
    if (!P.measured) turn(store.has(key) ? key : model.get("pictures")[0].key, "", true);
    if (P.key !== key) turn(key);
    if (k && !had) place(x, y, k);
    else if (!k || String([x, y, k]) === String(S.began)) start();
    else place(x + (was.w - cam.w) / 2 / k, y + (was.h - cam.h) / 2 / k, k);   // the middle stays, as it was zoomed
    suit();
  }

  // ------------------------------------------------------------ moving by keys
  /** Along a wire, among those that go the same way, or to what lies above or below. @param {string} key */
  function step(key) {
    const id = model.get("chosen"), here = P.spots.get(id), [from, to] = key === "ArrowRight" ? [0, 1] : [1, 0];
    if (!here) return focus(P.stops[0]?.id);
    if (/Left|Right/.test(key)) {
      const ends = P.links.filter((link) => link[from] === id && P.spots.has(link[to])).map((link) => link[to]);
      if (ends.length) S.siblings = ends;
      return focus(ends[0]);
    }
    const down = key === "ArrowDown" ? 1 : -1, at = S.siblings.indexOf(id);
    if (at >= 0 && S.siblings[at + down]) return focus(S.siblings[at + down]);
    const middle = ({ box }) => [box.x + box.w / 2, box.y + box.h / 2], [x, y] = middle(here);
    const far = (stop) => { const [a, b] = middle(stop); return (b - y) * down > 4 ? (b - y) * down + 2 * Math.abs(a - x) : Infinity; };
    const next = [...P.stops].sort((a, b) => far(a) - far(b))[0];
    if (far(next) < Infinity) next.part.focus({ preventScroll: true }), intoSight(next.box);
  }
  /** Fold the frame around what is chosen. */
  function leave() {
    const here = P.spots.get(model.get("chosen")), inside = (stop) => stop.part.matches(".mg-frame") && P.to[stop.id] && holds(stop.box, here.box);
    const frame = here && P.stops.filter(inside).sort((a, b) => a.box.w * a.box.h - b.box.w * b.box.h)[0];
    if (frame) turn(P.to[frame.id], frame.id); else { chosen(""); root.focus({ preventScroll: true }); }
  }
  function find(sign = 0) {
    const text = search.value.trim().toLowerCase();
    if (!sign) Object.assign(S, { hit: -1, hits: text ? scene.index.filter(([name]) => name.toLowerCase().includes(text)) : [] });
    light(S.hits.map(([, id]) => id));
    if (!text) return show();
    if (!S.hits.length) return tell(ui.none);
    if (sign) S.hit = (S.hit + 1) % S.hits.length;
    const [name, id] = S.hits[Math.max(0, S.hit)];
    if (sign) { reveal(id); light(S.hits.map(([, one]) => one)); }
    tell(fill(ui.hits, { n: S.hit + 1, m: S.hits.length, name }));
  }
  const views = () => ["record", "forward", "backward"].filter((name) => P.to[name] || P.view === name);
  const actions = /** @type {Record<string, () => void>} */ ({
    ...Object.fromEntries(["record", "forward", "backward"].map((name) => [name, () => { if (P.to[name]) turn(P.to[name], model.get("chosen")); }])),
    open_all: () => toggle("open"), fold_all: () => toggle("fold"), zoom_in: () => zoom(1.25), zoom_out: () => zoom(0.8), fit: () => start(fitting()),
    view: () => { const all = views(); actions[all[(all.indexOf(P.view) + 1) % all.length]](); },
    lang: () => set("lang", NEXT_TONGUE[lang()]), theme: () => set("theme", isDark(model) ? "light" : "dark"), close,
  });

  // ------------------------------------------------------------ listening
  const stopAt = (target) => P.stops.find(({ part }) => part === target.closest(STOPS)) ?? P.spots.get(target.closest("[data-node]")?.dataset.node);
  root.addEventListener("click", (event) => {
    const at = /** @type {Element} */ (event.target), act = /** @type {HTMLElement|null} */ (at.closest("[data-do]"));
    if (act) return actions[act.dataset.do ?? ""]();
    if (at.closest(".mg-map")) return place(...cam.pressed(event), cam.k);
    const dragged = S.dragged && event.detail > 0;                             // a screen reader's click has no pointer
    const stop = stage.contains(at) && !dragged && stopAt(at);
    if (stop && (stop.part.matches(".mg-box") || at.matches(".mg-toggle, .mg-toggle + text")) && (P.to[stop.id] || P.many[stop.id])) toggle(stop.id);
    else if (stop) stop.part.focus({ preventScroll: true });
    else if (stage.contains(at) && !dragged) { chosen(""); root.focus({ preventScroll: true }); }
  }, on);
  root.addEventListener("focusin", (event) => {
    const at = /** @type {HTMLElement} */ (event.target), stop = stage.contains(at) && P.stops.find(({ part }) => part === at);
    if (at.matches(".mg-origin")) light((at.dataset.ids ?? "").split(" "));
    if (!stop) return;
    ask(P.to[stop.id]);
    chosen(stop.id);
    for (const one of P.stops) one.part.classList.toggle("mg-chosen", one === stop);
  }, on);
  root.addEventListener("pointerover", (event) => {
    const at = /** @type {HTMLElement} */ (event.target), line = /** @type {HTMLElement|null} */ (at.closest(".mg-origin"));
    if (line) return light((line.dataset.ids ?? "").split(" "));
    if (!stage.contains(at) || fingers.size) return;
    const stop = stopAt(at);
    ask(stop && P.to[stop.id]);
    showCard(stop ? stop.id : model.get("chosen"));
  }, on);
  for (const left of ["pointerleave", "focusout"]) code.addEventListener(left, () => light([]), on);
  stage.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey) return;                              // else the page scrolls
    event.preventDefault();
    const at = stage.getBoundingClientRect();
    zoom(Math.exp(-event.deltaY / 300), event.clientX - at.x, event.clientY - at.y);
  }, { passive: false, ...on });
  stage.addEventListener("pointerdown", (event) => {
    if (!fingers.size) S.dragged = false;
    fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
  }, on);
  stage.addEventListener("pointermove", (event) => {
    if (event.pointerType === "mouse" && !event.buttons) fingers.delete(event.pointerId);  // let go outside, before it was held
    const was = fingers.get(event.pointerId), now = { x: event.clientX, y: event.clientY };
    if (!was || (!S.dragged && Math.hypot(now.x - was.x, now.y - was.y) < 4)) return;
    S.dragged = true;
    stage.setPointerCapture(event.pointerId);
    fingers.set(event.pointerId, now);
    const other = [...fingers].find(([id]) => id !== event.pointerId)?.[1], at = stage.getBoundingClientRect();
    if (other) zoom(Math.hypot(now.x - other.x, now.y - other.y) / Math.max(1, Math.hypot(was.x - other.x, was.y - other.y)), other.x - at.x, other.y - at.y);
    else place(cam.x - (now.x - was.x) / cam.k, cam.y - (now.y - was.y) / cam.k, cam.k);
  }, on);
  for (const end of ["pointerup", "pointercancel"])
    stage.addEventListener(end, (event) => fingers.delete(/** @type {PointerEvent} */ (event).pointerId), on);
  search.addEventListener("input", () => find(), on);
  root.addEventListener("keydown", (event) => {
    const at = /** @type {HTMLElement} */ (event.target), line = lines.indexOf(at), pressed = at instanceof HTMLButtonElement;
    event.stopPropagation();                                                   // D D would delete the cell
    if (event.ctrlKey || event.metaKey || event.altKey || (at === search && !/^(Enter|Escape)$/.test(event.key)) || (at === card && /^Arrow/.test(event.key))) return;
    const open = () => toggle(model.get("chosen"));
    const act = at === search ? { Enter: () => find(1), Escape: () => { search.value = ""; find(); root.focus({ preventScroll: true }); } }[event.key]
      : line >= 0 && /^Arrow/.test(event.key) ? () => lines[line + (/Down|Right/.test(event.key) ? 1 : -1)]?.focus()
      : { ArrowRight: step, ArrowLeft: step, ArrowUp: step, ArrowDown: step, Enter: pressed ? null : open, " ": pressed ? null : open, Escape: leave, Home: () => focus(P.stops[0]?.id),
        "+": actions.zoom_in, "=": actions.zoom_in, "-": actions.zoom_out, 0: actions.fit, "/": () => search.focus(), v: actions.view,
        o: actions.open_all, c: actions.fold_all, l: actions.lang, t: actions.theme }[keyOf(event)];
    if (!act) return;
    event.preventDefault();
    act(event.key);
  }, on);

  const watched = { "change:lang": show, "change:theme": show, "change:key": () => { if (model.get("key") !== P.key) turn(model.get("key"), model.get("chosen")); }, "msg:custom": answered };
  attend(model, life, watched, [root, stage], layout, show);
  el.append(root);
  layout();
  return () => {
    life.abort();
    clearTimeout(S.timer);
  };
}

/** A drawing as a notebook shows it: the picture and, once that is pressed, its explorer in the same place.
 *  @param {{model: any, el: HTMLElement}} context */
function pictured({ model, el }) {
  const life = new AbortController(), on = { signal: life.signal }, { drawing, ui } = model.get("scene");
  const words = (pair) => spoken(pair, model.get("lang")), src = `data:image/svg+xml,${encodeURIComponent(drawing)}`;
  const told = [...new DOMParser().parseFromString(drawing, "image/svg+xml").querySelectorAll("svg > :is(title, desc)")];
  const image = /** @type {HTMLImageElement} */ (h("img", { src, alt: told.map((one) => one.textContent).join(". ") }));
  const hint = h("span", { class: "mg-hint", "aria-live": "polite" }), place = h("div");
  const button = h("button", { type: "button", "data-lm-suppress-shortcuts": "true" }, image, hint);
  const root = h("div", { class: "mg-drawing" }, button, place);
  let end = /** @type {(() => void)|null} */ (null), asked = false;

  const away = alone(model, el, life, show);
  async function show() {
    root.classList.toggle("mg-dark", isDark(model));
    image.style.colorScheme = isDark(model) ? "dark" : "light";
    button.classList.toggle("mg-asked", asked);
    hint.textContent = words(!asked ? ui.explore : away() ? ui.gone : ui.waits);
    const name = model.get("opened") && model.get("explorer");
    button.hidden = !!name;
    if (!name === !end) return;
    end?.();
    end = null;
    place.replaceChildren();
    if (!name) return;
    end = () => undefined;                                                     // until its model has been found
    const explorer = await model.widget_manager.get_model(name.replace("IPY_MODEL_", ""));
    if (life.signal.aborted || !end) return;
    end = explore({ model: explorer, el: place, close: () => { press(false); button.focus({ preventScroll: true }); } });
    if (!asked) return;
    root.scrollIntoView({ block: "nearest" });                                 // where it was pressed there may be nothing any more
    /** @type {HTMLElement} */ (place.firstChild).focus({ preventScroll: true });
  }
  /** @param {boolean} yes */
  function press(yes) {
    asked = yes;
    model.set("opened", yes);
    save(model);
    show();
  }
  button.addEventListener("click", () => press(true), on);
  button.addEventListener("keydown", (event) => event.stopPropagation(), on);
  el.append(root);
  attend(model, life, { "change:opened": show, "change:explorer": show }, [], show, show);
  show();
  return () => { life.abort(); end?.(); };
}

/** Which of them a model is. @param {{model: any, el: HTMLElement}} context */
function shown(context) {
  const scene = context.model.get("scene");
  return (context.model.get("runs") ? compared : scene.drawing ? pictured : scene.explore ? explore : render)(context);
}

export default { render: shown };

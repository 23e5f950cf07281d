// @ts-check
/**
 * The small widgets of the course: each asks, waits for an answer, and shows what came of it.
 *
 * Python makes every scene: a list of parts, of the kinds below. A click or a key sends what was filled in
 * (`do`, `at`, `values`), and the kernel answers with the next scene, or with a sentence that refuses. The
 * trait `scene` stays the opening one: a widget that is opened again has not been answered.
 */

/** What can be chosen, or only read: a state is a class and words. @param {Json} one @param {number} i @param {Json} part */
function option(one, i, { name, many, code }) {
  const input = name && h("input", { type: many ? "checkbox" : "radio", name, value: i, checked: one.checked });
  const words = code ? h("code", {}, one.text || " ") : h("span", {}, ...rich(one.text));
  return h(name ? "label" : "div", { class: "mg-option" + (one.state ? " mg-" + one.state : "") }, input,
    code && !one.free && h("span", { class: "mg-nr", "aria-hidden": "true" }, String(i + 1)),
    h("span", { class: "mg-words" }, words, one.note && h("span", { class: "mg-beside" }, ...rich(one.note))));
}

/** @param {Json|string} one @param {string} tag @param {number} i */
function cell(one, tag, i) {
  const { text, name, label, value, heat, state, one: only } = typeof one === "string" ? { text: one } : one;
  const style = heat === undefined ? null : `--mg-heat:${Math.round(heat * 45)}%`;
  const kind = text || name ? tag : "td";                                  // what is empty heads nothing
  const props = { style, class: heat === undefined ? state && "mg-" + state : "mg-heat", scope: kind === "th" && (i ? "col" : "row") };
  return h(kind, props, name ? h("label", {}, h("input", { type: only ? "radio" : "checkbox", name, value, "aria-label": label })) : text);
}

/** The kinds of parts. @type {Record<string, (part: Json) => HTMLElement>} */
const PARTS = {
  text: ({ text, role }) => h("p", { class: "mg-" + role }, ...rich(text)),
  picture: ({ svg, wide }) => {                                            // a wide one may scroll: by keys, too
    const drawn = picture(svg), label = drawn.querySelector("title")?.textContent;
    return h("div", wide ? { class: "mg-picture mg-wide", tabindex: 0, role: "group", "aria-label": label } : { class: "mg-picture" }, drawn);
  },
  options: (part) => h("fieldset", { class: part.code ? "mg-code" : "mg-pills" },
    part.label && h("legend", {}, ...rich(part.label)), ...part.options.map((one, i) => option(one, i, part))),
  field: ({ name, label }) => h("label", { class: "mg-field" }, h("span", {}, ...rich(label)),
    h("input", { name, type: "text", inputmode: "decimal", autocomplete: "off", size: 9 })),
  slider: ({ name, label, spots, value }) => h("label", { class: "mg-field mg-slider" }, h("span", {}, ...rich(label)),
    h("input", { name, type: "range", min: 0, max: spots.length - 1, value }), h("output", {})),
  table: ({ head, rows, label }) => h("div", { class: "mg-picture" }, h("table", {}, label && h("caption", {}, ...rich(label)),
    h("tr", {}, ...head.map((one, i) => cell(one, "th", i + 1))),
    ...rows.map((row) => h("tr", {}, ...row.map((one, i) => cell(one, i ? "td" : "th", i)))))),
  buttons: ({ buttons }) => h("div", { class: "mg-bar" }, ...buttons.map(([act, text], i) =>
    h("button", { type: i ? "button" : "submit", "data-do": act, class: i ? null : "mg-main" }, text))),
  columns: ({ of }) => h("div", { class: "mg-columns" }, ...of.map((parts) => h("div", {}, ...parts.map(part)))),
};
/** @param {Json} one */
const part = (one) => PARTS[one.kind](one);
/** @param {Json[]} parts @returns {Json[]} */
const flat = (parts) => parts.flatMap((one) => (one.kind === "columns" ? one.of.flatMap(flat) : [one]));

export default () => {
  let scene = /** @type {Json|null} */ (null), told = "";                 // for all views of this widget, until the page goes
  /** @param {{model: any, el: HTMLElement}} context */
  function render({ model, el }) {
    const life = new AbortController(), on = { signal: life.signal }, { title, ui, lang } = model.get("scene");
    const form = /** @type {HTMLFormElement} */ (h("form", { novalidate: true }));
    const say = h("p", { class: "mg-say", "aria-live": "polite" });
    const root = h("section", { class: "mg-moment mg-auto", tabindex: 0, role: "group", "aria-label": title, lang,
      "data-lm-suppress-shortcuts": "true" }, h("h3", {}, h("code", {}, title)), form, say);
    let timer = 0;
    const now = () => scene ?? model.get("scene");
    const tell = (text) => say.replaceChildren(...rich(text));
    /** What asks for something else stands below all the rest, which may be out of sight. @param {string} text */
    const refuse = (text) => { tell(text); say.scrollIntoView({ block: "nearest" }); };

    function draw() {
      const inside = root.contains(document.activeElement);
      form.replaceChildren(...now().parts.map(part));
      tell(told);
      for (const { kind, spots, labels } of flat(now().parts)) if (kind === "slider") slide(spots, labels);
      const first = ["[type=text]", "[type=radio]", "[type=checkbox]", "button"].map((kind) => form.querySelector(kind)).find(Boolean);
      if (inside) /** @type {HTMLElement} */ (first ?? root).focus({ preventScroll: true });
    }
    /** The dot and its words follow the slider, and a pointer on the picture moves both. */
    function slide(spots, labels) {
      const input = /** @type {HTMLInputElement} */ (form.querySelector("input[type=range]"));
      const dot = form.querySelector("[data-dot]"), board = dot?.closest("svg");
      const show = () => {
        const i = Number(input.value), spot = spots[i];
        /** @type {HTMLElement} */ (input.nextElementSibling).textContent = labels[i];
        input.setAttribute("aria-valuetext", labels[i]);
        dot?.setAttribute("visibility", spot ? "visible" : "hidden");
        if (spot) dot?.setAttribute("transform", `translate(${spot})`);
      };
      const drag = (event) => {
        if (!board || !(event.buttons & 1)) return;
        const { x } = new DOMPoint(event.clientX, event.clientY).matrixTransform(board.getScreenCTM()?.inverse());
        const away = spots.map((spot) => (spot ? Math.abs(spot[0] - x) : Infinity));
        input.value = String(away.indexOf(Math.min(...away)));
        show();
      };
      input.addEventListener("input", show, on);
      for (const type of ["pointerdown", "pointermove"]) board?.addEventListener(type, drag, on);
      show();
    }
    /** @param {string} act */
    function send(act) {
      const values = {};
      for (const [name, value] of new FormData(form)) (values[name] ??= []).push(value);
      clearTimeout(timer);
      timer = window.setTimeout(() => refuse(model.send ? ui.no_kernel : ui.no_notebook), model.send ? 3000 : 0);
      model.send?.({ do: act, at: now().at, values });
    }
    const heard = (message) => {
      clearTimeout(timer);
      told = message.refused ?? message.scene.said ?? "";
      if (message.refused) return refuse(told);
      scene = message.scene;
      draw();
    };

    form.addEventListener("submit", (event) => { event.preventDefault(); send("answer"); }, on);
    form.addEventListener("click", (event) => {
      const button = /** @type {Element} */ (event.target).closest("button[type=button]");
      if (button instanceof HTMLElement) send(button.dataset.do ?? "");
    }, on);
    root.addEventListener("keydown", (event) => {
      const at = /** @type {HTMLInputElement} */ (event.target), act = now().keys?.[event.key.toLowerCase()];
      event.stopPropagation();
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const pill = at.type !== "text" && form.querySelectorAll("input[type=radio]")[Number(event.key) - 1];
      if (event.key === "Escape") at.blur();
      else if (pill instanceof HTMLInputElement) { pill.checked = true; pill.focus(); }
      else if (act) { event.preventDefault(); send(act); }
    }, on);
    model.on("msg:custom", heard);
    el.append(root);
    draw();
    return () => { life.abort(); clearTimeout(timer); model.off("msg:custom", heard); };
  }
  return { render };
};

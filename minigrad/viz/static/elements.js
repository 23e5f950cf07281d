// @ts-check
/** What every widget is made of: Python puts this before the widget's own script. */

/** @typedef {Record<string, any>} Json */

/** An element; `false` and null leave an attribute, or a kid, out. @param {string} tag @param {Json} [props]
 *  @param {...(Node|string|null|undefined|false)} kids */
function h(tag, props = {}, ...kids) {
  const el = document.createElement(tag);
  for (const [key, value] of Object.entries(props))
    if (value !== false && value != null) el.setAttribute(key, value === true ? "" : String(value));
  el.append(.../** @type {(Node|string)[]} */ (kids.filter((kid) => kid || kid === "")));
  return el;
}

/** Text with `code` between backticks. @param {string} text */
const rich = (text) => text.split("`").map((part, i) => (i % 2 ? h("code", {}, part) : part));

/** A picture of Python's, without anything that could run. @param {string} source */
function picture(source) {
  const el = new DOMParser().parseFromString(source, "image/svg+xml").documentElement;
  for (const bad of el.querySelectorAll("script, foreignObject, style")) bad.remove();  // the style is in the widget's
  for (const any of [el, ...el.querySelectorAll("*")])
    for (const { name, value } of [...any.attributes])
      if (/^on|href$/i.test(name) && !value.startsWith("#")) any.removeAttribute(name);
  return /** @type {SVGSVGElement} */ (/** @type {unknown} */ (document.importNode(el, true)));
}


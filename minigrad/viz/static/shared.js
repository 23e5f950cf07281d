// What each widget brings along: it runs the code that all of its kind share, a model of its own (`viz/code.py`).

/** The module in a model, and its stylesheet on the page. @param {any} code */
async function read(code) {
  const bytes = Uint8Array.from(atob(code.get("packed")), (letter) => letter.charCodeAt(0));
  const json = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const [module, style] = await new Response(json).json(), id = `minigrad-${code.model_id}`;
  if (!document.getElementById(id)) document.head.append(Object.assign(document.createElement("style"), { id, textContent: style }));
  return (await import(URL.createObjectURL(new Blob([module], { type: "text/javascript" })))).default;
}

export default () => {
  let widget = /** @type {any} */ (null);                         // for all views of this one
  return {
    /** @param {{model: any, el: HTMLElement}} context */
    async render(context) {
      const { model } = context, code = await model.widget_manager.get_model(model.get("_code").replace("IPY_MODEL_", ""));
      const shared = await (code.minigrad ??= read(code));
      widget ??= typeof shared === "function" ? shared() : shared;
      return widget.render(context);
    },
  };
};

"""A widget of the course in a bare page: its own module, and Python behind it as the kernel would be."""

from __future__ import annotations

from typing import Any

SHOW = """async ([module, style, scene, kernel]) => {
    document.head.append(Object.assign(document.createElement("style"), { textContent: style }));
    const heard = [], send = (content) => window.ask(content).then((said) => heard.forEach((call) => call(said)));
    const model = { get: () => scene, on: (_, call) => heard.push(call), off: () => {}, ...(kernel ? { send } : {}) };
    const url = URL.createObjectURL(new Blob([module], { type: "text/javascript" }));
    const widget = (await import(url)).default();
    window.again = () => widget.render({ model, el: document.querySelector("main") });
    window.close_view = window.again();
}"""
HTML = "<!DOCTYPE html><html><body style='margin:8px'><button id=before>before</button><main></main></body></html>"


def show(page: Any, widget: Any, dark: bool = False, width: int = 1100, kernel: bool = True) -> Any:
    """Put the widget into the page, as anywidget would; the locator of its root."""
    replies: list[Any] = []
    widget.send = replies.append

    def ask(content: dict[str, Any]) -> Any:
        widget._asked(widget, content, None)
        return replies.pop()

    page.set_viewport_size({"width": width, "height": 900})
    page.goto("about:blank")
    page.set_content(HTML)
    page.evaluate(f"document.body.dataset.jpThemeLight = '{str(not dark).lower()}'")
    page.expose_function("ask", ask)
    page.evaluate(SHOW, [widget.MODULE, widget.STYLE, dict(widget.scene), kernel])
    return page.locator(".mg-moment")

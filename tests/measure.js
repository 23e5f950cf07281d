// What a real browser finds wrong in a picture: texts over texts or boxes, wires through boxes or to nowhere.
() => {
  const defects = [], page = document.querySelector("svg"), frame = page.getBoundingClientRect();
  const box = (e) => e.getBoundingClientRect(), words = (e) => e.textContent.trim().slice(0, 30);
  const own = ".mg-op,.mg-acc,.mg-leaf,.mg-constant,.mg-nonleaf,.mg-saved,.mg-hook,.mg-sum,.mg-expand,.mg-copy,.mg-box,.mg-ghost";
  const boxes = [...page.querySelectorAll(own)].filter((g) => !g.closest(".mg-legend"))
    .map((g) => ({ g, id: g.dataset.id, at: box(g.querySelector(".mg-shape")), name: g.getAttribute("class") + " " + g.dataset.id }));
  const texts = [...page.querySelectorAll("text")].filter((t) => words(t)).map((t) => ({ t, at: box(t), g: t.parentNode }));
  const size = (t) => Math.min(...[t, ...t.querySelectorAll("tspan")].map((s) => parseFloat(getComputedStyle(s).fontSize)));
  for (const { t, at, g } of texts) {
    if (at.left < frame.left - 0.5 || at.right > frame.right + 0.5 || at.top < frame.top || at.bottom > frame.bottom + 0.5)
      defects.push(["off the picture", words(t)]);
    if (size(t) < 12) defects.push(["small", words(t)]);
    if (g.closest(".mg-legend, .mg-order, .mg-frame")) continue;
    for (const b of boxes) {
      const inside = at.left > b.at.left - 1 && at.right < b.at.right + 1 && at.top > b.at.top - 4 && at.bottom < b.at.bottom + 4;
      const apart = at.right < b.at.left + 1.5 || at.left > b.at.right - 1.5 || at.bottom < b.at.top + 4 || at.top > b.at.bottom - 4;
      if (b.g === g ? !inside && !apart && !g.matches(".mg-hook,.mg-sum,.mg-expand,.mg-copy,.mg-saved") : !apart
          && !(b.g.matches(".mg-box") && inside && g.matches(".mg-leaf,.mg-acc"))) defects.push(["text over box", words(t), b.name]);
    }
  }
  texts.forEach(({ t, at: a }, i) => texts.slice(i + 1).forEach(({ t: u, at: b }) => {
    if (Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 4.5)
      defects.push(["text over text", words(t), words(u)]);
  }));
  const root = page.getScreenCTM(), place = (p) => [p.x * root.a + root.e, p.y * root.d + root.f];
  const ends = [...page.querySelectorAll("circle, .mg-plus, .mg-sheet, .mg-hook .mg-shape, .mg-scissors")].map(box).concat(boxes.map((b) => b.at));
  const touches = ([x, y]) => ends.some((b) => x > b.left - 5 && x < b.right + 5 && y > b.top - 5 && y < b.bottom + 5);
  for (const g of page.querySelectorAll(".mg-edge")) {
    const line = g.querySelector(":scope > path"), total = line ? line.getTotalLength() : 0;
    if (!line) continue;
    if (total < 4) { defects.push(["no length", g.dataset.id]); continue; }
    const last = place(line.getPointAtLength(total)), first = place(line.getPointAtLength(0));
    if (!touches(last) || (!g.matches(".mg-seed") && !touches(first))) defects.push(["ends on nothing", g.dataset.id, last, first]);
    for (let k = 12; k < total - 12; k += 6) {
      const [x, y] = place(line.getPointAtLength(k));
      const hit = boxes.find((b) => !b.g.matches(".mg-sum,.mg-expand,.mg-hook") && x > b.at.left + 2.5 && x < b.at.right - 2.5
        && y > b.at.top + 2.5 && y < b.at.bottom - 2.5);
      if (hit) { defects.push(["wire through box", g.dataset.id, hit.name]); break; }
    }
  }
  return defects.map((d) => d.join(" | "));
}

// What a real browser finds wrong in a picture: texts over texts, boxes or wires, boxes over boxes, wires to nowhere.
() => {
  const defects = [], page = document.querySelector("svg"), frame = page.getBoundingClientRect();
  const box = (e) => e.getBoundingClientRect(), words = (e) => e.textContent.trim().slice(0, 30);
  const name = (g) => g.getAttribute("class") + " " + g.dataset.id, key = (g) => g.closest(".mg-legend");
  const own = ".mg-op,.mg-acc,.mg-leaf,.mg-constant,.mg-nonleaf,.mg-saved,.mg-hook,.mg-sum,.mg-expand,.mg-copy,.mg-box,.mg-ghost";
  const boxes = [...page.querySelectorAll(own)].filter((g) => !key(g)).map((g) => ({ g, at: box(g.querySelector(".mg-shape")) }));
  const texts = [...page.querySelectorAll("text")].filter((t) => words(t)).map((t) => ({ t, at: box(t), g: t.parentNode }));
  const size = (t) => Math.min(...[t, ...t.querySelectorAll("tspan")].map((s) => parseFloat(getComputedStyle(s).fontSize)));
  const wide = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left);
  const high = (a, b) => Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
  const within = (a, b, more = 1) => a.left > b.left - more && a.right < b.right + more && a.top > b.top - 4 && a.bottom < b.bottom + 4;
  for (const { t, at, g } of texts) {
    if (at.left < frame.left - 0.5 || at.right > frame.right + 0.5 || at.top < frame.top || at.bottom > frame.bottom + 0.5)
      defects.push(["off the picture", words(t)]);
    if (size(t) < 12) defects.push(["small", words(t)]);
    if (g.closest(".mg-legend, .mg-order")) continue;
    for (const b of boxes) {
      const apart = at.right < b.at.left + 1.5 || at.left > b.at.right - 1.5 || at.bottom < b.at.top + 4 || at.top > b.at.bottom - 4;
      const inside = within(at, b.at);
      if (b.g === g ? !inside && !apart && !g.matches(".mg-hook,.mg-sum,.mg-expand,.mg-copy,.mg-saved") : !apart
          && !(b.g.matches(".mg-box") && inside && g.matches(".mg-leaf,.mg-acc"))) defects.push(["text over box", words(t), name(b.g)]);
      if (b.g === g && inside && !apart && at.right > b.at.right - 2) defects.push(["text at the edge", words(t), name(g)]);
    }
  }
  texts.forEach(({ t, at: a }, i) => texts.slice(i + 1).forEach(({ t: u, at: b }) => {
    if (wide(a, b) > 1 && high(a, b) > 4.5) defects.push(["text over text", words(t), words(u)]);
  }));
  boxes.forEach((a, i) => boxes.slice(i + 1).forEach((b) => {
    const chip = [a, b].some((one) => one.g.matches(".mg-box")) && (within(a.at, b.at, 0) || within(b.at, a.at, 0));
    if (wide(a.at, b.at) > 2.5 && high(a.at, b.at) > 2.5 && !chip) defects.push(["box over box", name(a.g), name(b.g)]);
  }));
  for (const g of page.querySelectorAll(".mg-order")) {
    const badge = box(g.querySelector("rect")), over = (at, most) => wide(at, badge) > 1 && high(at, badge) > most;
    for (const { t, at, g: mine } of texts) if (mine !== g && over(at, 4.5) && !key(mine)) defects.push(["badge over text", g.dataset.id, words(t)]);
    for (const b of boxes) if (g.dataset.id !== `order:${b.g.dataset.id}` && over(b.at, 3)) defects.push(["badge over box", g.dataset.id, name(b.g)]);
  }
  for (const frame of [...page.querySelectorAll(".mg-frame")].map((g) => box(g.querySelector(".mg-shape"))))
    for (const { t, at, g } of texts) if (wide(at, frame) > 1 && high(at, frame) > 3 && !within(at, frame) && !g.matches(".mg-order"))
      defects.push(["text over frame", words(t), name(g)]);

  const root = page.getScreenCTM(), place = ([x, y]) => [x * root.a + root.e, y * root.d + root.f];
  const along = (data) => {                                                // points of a path, 4 px apart
    const points = [], items = data.match(/[a-zA-Z]|-?[\d.]+/g);
    let i = 0, letter = "", x = 0, y = 0;
    const next = () => parseFloat(items[i++]);
    const curve = (a, b, c, d, e, f) => {
      const [p, q] = [x, y], steps = Math.max(2, Math.ceil(Math.hypot(e - x, f - y) / 4));
      for (let k = 1; k <= steps; k++) {
        const t = k / steps, s = 1 - t;
        points.push([s ** 3 * p + 3 * s * s * t * a + 3 * s * t * t * c + t ** 3 * e, s ** 3 * q + 3 * s * s * t * b + 3 * s * t * t * d + t ** 3 * f]);
      }
      [x, y] = [e, f];
    };
    const line = (a, b) => curve(x + (a - x) / 3, y + (b - y) / 3, a - (a - x) / 3, b - (b - y) / 3, a, b);
    while (i < items.length) {
      if (/[a-zA-Z]/.test(items[i])) letter = items[i++];
      if (letter === "M") points.push([x, y] = [next(), next()]);
      else if (letter === "C") curve(next(), next(), next(), next(), next(), next());
      else line(letter === "V" ? x : next(), letter === "H" ? y : next());
    }
    return points.map(place);
  };
  const round = ({ g, at }) => Math.min(parseFloat(g.querySelector(".mg-shape").getAttribute("rx")) || 0, at.height / 2) + 2.5;
  const solid = boxes.filter((b) => !b.g.matches(".mg-sum,.mg-expand,.mg-hook")).map((b) => ({ ...b, r: round(b) }));
  const inside = ({ at, r }, x, y) => {                                    // of a shape with round corners
    const dx = Math.max(at.left + r - x, x - at.right + r, 0), dy = Math.max(at.top + r - y, y - at.bottom + r, 0);
    return Math.hypot(dx, dy) < r - 2.5 && x > at.left + 2.5 && x < at.right - 2.5 && y > at.top + 2.5 && y < at.bottom - 2.5;
  };
  const bare = texts.filter(({ t, at, g }) => !key(t) && !boxes.some((b) => b.g === g && within(at, b.at, 3)));
  const ends = [...page.querySelectorAll("circle, .mg-plus, .mg-sheet, .mg-hook .mg-shape, .mg-scissors")].map(box).concat(boxes.map((b) => b.at));
  const touches = ([x, y]) => ends.some((b) => x > b.left - 5 && x < b.right + 5 && y > b.top - 5 && y < b.bottom + 5);
  for (const g of page.querySelectorAll(".mg-edge, .mg-loop, .mg-input, .mg-round, .mg-none")) {
    const path = g.querySelector(":scope > path");
    if (!path) continue;
    const points = along(path.getAttribute("d")), first = points[0], last = points[points.length - 1];
    if (points.length < 4 && Math.hypot(last[0] - first[0], last[1] - first[1]) < 4) { defects.push(["no length", g.dataset.id]); continue; }
    if (g.matches(".mg-edge") && !(touches(last) && (g.matches(".mg-seed") || touches(first)))) defects.push(["ends on nothing", g.dataset.id]);
    const [xs, ys] = [0, 1].map((axis) => points.map((point) => point[axis]));
    const around = { left: Math.min(...xs), right: Math.max(...xs), top: Math.min(...ys), bottom: Math.max(...ys) };
    const near = ({ at }) => wide(at, around) >= 0 && high(at, around) >= 0;
    const way = points.slice(3, -3), box = solid.find((b) => near(b) && way.some(([x, y]) => inside(b, x, y)));
    if (box) defects.push(["wire through box", g.dataset.id, name(box.g)]);
    for (const { t, at, g: mine } of bare.filter(near)) if (mine !== g && points.some(([x, y]) => x > at.left + 1.5 && x < at.right - 1.5
        && y > at.top + 4 && y < at.bottom - 4)) defects.push(["wire through text", g.dataset.id, words(t), name(mine)]);
  }
  return defects.map((d) => d.join(" | "));
}

// What is wrong with a frame of the player: texts over texts or boxes, cut or small, a stage that is covered, a page that scrolls.
(least, root = document.querySelector(".mg-player")) => {
  const defects = [], stage = root.querySelector(".mg-stage");
  const box = (e) => e.getBoundingClientRect(), words = (e) => e.textContent.trim().slice(0, 40), shown = box(stage);
  const seen = (e) => e.checkVisibility({ visibilityProperty: true }) && e.textContent.trim();
  const beyond = (a, b) => a.left < b.left - 1 || a.right > b.right + 1 || a.top < b.top - 1.5 || a.bottom > b.bottom + 1.5;
  const apart = (a, b, x = 1.5, y = 4.5) => a.right < b.left + x || a.left > b.right - x || a.bottom < b.top + y || a.top > b.bottom - y;
  const page = document.scrollingElement;
  if (page.scrollHeight > innerHeight + 1 || page.scrollWidth > innerWidth + 1) defects.push("the page scrolls");
  const scale = stage.firstElementChild.getScreenCTM().a, texts = [...stage.querySelectorAll("text")].filter(seen)
    .map((t) => ({ t, g: t.parentNode, at: box(t) })).filter(({ at }) => !apart(at, shown, 0, 0));
  const own = ".mg-op,.mg-acc,.mg-leaf,.mg-constant,.mg-nonleaf,.mg-saved,.mg-hook,.mg-sum,.mg-copy,.mg-box,.mg-ghost";
  const boxes = [...stage.querySelectorAll(own)].map((g) => ({ g, at: box(g.querySelector(".mg-shape")) })).filter((b) => !apart(b.at, shown, 0, 0));
  for (const { t, g, at } of texts) {
    if (parseFloat(getComputedStyle(t).fontSize) * scale < least - 0.05) defects.push("small: " + words(t));
    if (beyond(at, shown)) defects.push("cut: " + words(t));
    if (g.closest(".mg-frame, .mg-badge")) continue;
    for (const b of boxes) {
      const inside = !beyond(at, { left: b.at.left, right: b.at.right, top: b.at.top - 3, bottom: b.at.bottom + 3 });
      const mine = b.g === g ? inside || apart(at, b.at) || g.matches(".mg-hook,.mg-sum,.mg-copy,.mg-saved") : apart(at, b.at)
        || (b.g.matches(".mg-box") && inside && g.matches(".mg-leaf,.mg-acc"));
      if (!mine) defects.push(`over a box: ${words(t)} | ${b.g.getAttribute("class")} ${b.g.dataset.id}`);
    }
  }
  texts.forEach(({ t, at }, i) => texts.slice(i + 1).forEach((u) => {
    if (!apart(at, u.at, 1, 4.5)) defects.push(`over each other: ${words(t)} | ${words(u.t)}`);
  }));
  const parts = [...root.querySelectorAll(".mg-pins, .mg-stage, .mg-side, .mg-dock, .mg-bar")].filter((e) => e.checkVisibility() && e.clientWidth);
  parts.forEach((a, i) => parts.slice(i + 1).forEach((b) => {
    if (!apart(box(a), box(b), 0, 0)) defects.push(`${a.className} covers ${b.className}`);
  }));
  const smallest = parseFloat(getComputedStyle(root.querySelector(".mg-card")).fontSize) <= least;  // then it may scroll
  for (const e of root.querySelectorAll((smallest ? "" : ".mg-card, ") + ".mg-say, .mg-queue, .mg-side, .mg-pins, .mg-bar"))
    if (e.checkVisibility() && e.clientWidth > 1 && (e.scrollHeight > e.clientHeight + 2 || e.scrollWidth > e.clientWidth + 2)) defects.push("does not fit: " + e.className);
  for (const e of root.querySelectorAll("button, input, .mg-say"))
    if (e.checkVisibility() && beyond(box(e), { left: 0, top: 0, right: innerWidth, bottom: innerHeight })) defects.push("out of sight: " + words(e));
  for (const e of root.querySelectorAll(".mg-dock *, .mg-side *, .mg-pins *, .mg-bar *"))
    if (seen(e) && [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim()) && parseFloat(getComputedStyle(e).fontSize) < least - 0.05)
      defects.push("small: " + words(e));
  for (const line of stage.querySelectorAll(".mg-edge > path")) {
    const m = line.getScreenCTM(), at = line.getPointAtLength(line.getTotalLength() / 2), x = at.x * m.a + m.e, y = at.y * m.d + m.f;
    if (x > shown.left && x < shown.right && y > shown.top && y < shown.bottom && !stage.contains(document.elementFromPoint(x, y)))
      defects.push("covered: " + line.parentNode.dataset.id);
  }
  return defects;
}

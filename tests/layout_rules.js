/**
 * The rules of docs/web.md ("Sizes"), checked by geometry. Shows positions one after the other on a table's page, and
 * returns what breaks a rule: position, rule, selector, measure.
 */
async ([positions, size]) => {
  const TOLERANCE = 1.5; // pixels: boxes are rounded, and lines have a width
  const LIFTED = 12; // pixels by which a piece that can be played reaches out of its area
  const MIN_WORDS = 12, MIN_NUMERALS = 8; // pixels of a font
  const MAX_SCROLL = 8;
  const MIN_WATCHED_SHARE = 0.15; // of the board's area, on a tablet or desktop
  const MAX_WHOLE_RESULT = 4; // players whose results are seen without scrolling
  const LONG_NAME = 8; // characters: longer names may be cut
  const page = document.querySelector("table-page");
  const found = [];

  const nameOf = (element) => {
    const name = (each) => each.localName + (typeof each.className === "string" && each.className ? `.${each.className.trim().split(/\s+/).slice(0, 2).join(".")}` : "");
    return [element.parentElement, element].filter(Boolean).map(name).join(" > ");
  };
  const isShown = (element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true, contentVisibilityAuto: true })
    && !element.closest(".visually-hidden, .skip, .ghost, #announcements, .toasts, [hidden]");
  const intersection = (one, other) => {
    const [left, right] = [Math.max(one.left, other.left), Math.min(one.right, other.right)];
    const [top, bottom] = [Math.max(one.top, other.top), Math.min(one.bottom, other.bottom)];
    return { left, right, top, bottom, width: right - left, height: bottom - top };
  };
  const overlap = (one, other, tolerance = TOLERANCE) => {
    const { width, height } = intersection(one, other);
    return width > tolerance && height > tolerance;
  };
  const round = (box) => [box.left, box.top, box.right, box.bottom].map(Math.round).join(" ");

  /** All visible texts: their element, and the box of their letters. */
  const textsIn = (root) => {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    const texts = [];
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const text = node.textContent.trim(), element = node.parentElement;
      if (!text || ["SCRIPT", "STYLE", "TITLE"].includes(element.tagName) || !isShown(element)) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      const box = range.getBoundingClientRect();
      const seen = intersection(box, clipOf(element)?.getBoundingClientRect() ?? box);
      if (seen.width > 1 && seen.height > 2) texts.push({ text, element, box, seen });
    }
    return texts;
  };

  const isLookingBack = () => table.resting !== null || table.phase === "over";
  const isWhole = () => (isLookingBack() ? size.isWholeAtRest : size.isWhole);

  /** The nearest element around it that cuts off what is outside of it; one that scrolls shows it in another way. */
  const clipOf = (element) => {
    for (let each = element; each && each !== document.body; each = each.parentElement) {
      const { overflowX, overflowY } = getComputedStyle(each);
      if ([overflowX, overflowY].some((value) => value === "auto" || value === "scroll")) return null;
      if (overflowX === "hidden" || overflowX === "clip") return each;
    }
    return null;
  };

  const RULES = {
    "nothing scrolls sideways": (report) => {
      const { scrollWidth } = document.documentElement;
      if (scrollWidth > innerWidth) {
        const wide = [...document.querySelectorAll(".table-page *")].filter((each) => each.getBoundingClientRect().right > innerWidth + 1);
        report(wide.at(-1) ?? document.body, `${scrollWidth} wide`);
      }
    },
    "the whole table is visible without scrolling": (report) => {
      const below = document.documentElement.scrollHeight - innerHeight;
      if (isWhole() && below > MAX_SCROLL) report(page.board, `${below} below the screen`);
      const holder = document.querySelector("board-holder"), hidden = holder.scrollHeight - holder.clientHeight;
      if (isWhole() && hidden > MAX_SCROLL) report(holder, `${hidden} to be scrolled to`);
    },
    "own pieces and the prompt are visible without scrolling": (report) => {
      const dock = document.querySelector(".coached, table-dock, .rest");
      const panel = dock.getBoundingClientRect();
      if (panel.bottom > innerHeight + MAX_SCROLL) report(dock, round(panel));
      if (!size.isWhole || isLookingBack()) return;
      for (const piece of document.querySelectorAll(".own .piece, .edge.mine .disc-button")) {
        const box = piece.getBoundingClientRect();
        const isOutside = box.bottom > innerHeight + MAX_SCROLL || box.top < -LIFTED || overlap(box, panel, MAX_SCROLL);
        if (isShown(piece) && isOutside) report(piece, `${round(box)}, the dock is at ${round(panel)}`);
      }
    },
    "areas do not overlap": (report) => {
      const areas = [...document.querySelectorAll(".toolbar, .board .strip, .board > .common, .board > .own, .board > .edge, .board > .plank, table-dock, .rest, .drawer")].filter(isShown);
      areas.forEach((one, index) => {
        for (const other of areas.slice(index + 1)) {
          const [a, b] = [one.getBoundingClientRect(), other.getBoundingClientRect()];
          const isPanel = other.matches("table-dock, .rest") && !isWhole(); // sticks above what one scrolls to
          if (!isPanel && overlap(a, b, 3)) report(other, `${round(b)} over ${nameOf(one)} ${round(a)}`);
        }
      });
    },
    "pieces lie within their area": (report) => {
      for (const area of document.querySelectorAll(".board .strip, .board > .common, .board > .own")) {
        const outer = area.getBoundingClientRect();
        for (const piece of area.querySelectorAll(".piece, .strip-name, .strip-score, .strip-zones > *")) {
          if (!isShown(piece)) continue;
          const box = piece.getBoundingClientRect();
          const out = Math.max(outer.left - box.left, box.right - outer.right, outer.top - box.top, box.bottom - outer.bottom);
          if (box.width && out > LIFTED / 2) report(piece, `${round(box)} outside of ${nameOf(area)} ${round(outer)}`);
        }
      }
    },
    "no text is cut off": (report, texts) => {
      for (const { text, element, box, seen } of texts) {
        const clip = clipOf(element);
        if (!clip || element.closest(".drawer")) continue;
        if (clip.matches(".strip-name, .bar-name, .pile-name, figcaption span") && text.length > LONG_NAME) continue;
        const outer = clip.getBoundingClientRect();
        if (clip.matches(".last-events") && text.includes(". ")) continue; // several events; the log has them all
        if (clip.matches(".bot-mark") && seen.height < 8) continue; // a level that does not fit is below the line
        const isCut = clip.scrollWidth > clip.clientWidth + 1 && getComputedStyle(clip).textOverflow === "ellipsis";
        const out = Math.max(outer.left - box.left, box.right - outer.right);
        if (isCut || out > 2) report(element, `"${text.slice(0, 60)}" ${round(box)} in ${round(outer)}`);
      }
    },
    "spectators see the players large": (report) => {
      const strips = [...document.querySelectorAll(".board .strip")];
      if (table.viewer >= 0 || !strips.length || innerWidth < 700 || innerHeight < 520) return;
      const area = (element) => element.offsetWidth * element.offsetHeight;
      const share = strips.reduce((sum, strip) => sum + area(strip), 0) / area(page.board);
      if (share < MIN_WATCHED_SHARE) report(page.board, `the players have ${Math.round(100 * share)} % of it`);
    },
    "results are as wide as their panel": (report) => {
      for (const panel of document.querySelectorAll(".rest, .rest .table-scroll")) {
        if (panel.scrollWidth > panel.clientWidth + 1) report(panel, `${panel.scrollWidth} in ${panel.clientWidth}`);
      }
    },
    "the result of a round fits its panel": (report) => {
      const [panel, rows] = [document.querySelector(".rest:not(.game-over)"), document.querySelectorAll(".rest tbody tr")];
      if (!panel || !isWhole() || rows.length > MAX_WHOLE_RESULT) return;
      const below = rows[rows.length - 1].getBoundingClientRect().bottom - panel.getBoundingClientRect().bottom;
      if (below > TOLERANCE) report(panel, `${Math.round(below)} to be scrolled to`);
    },
    "marks cover no text": (report, texts) => {
      for (const mark of document.querySelectorAll(".strip-head [role=img]")) {
        if (!isShown(mark)) continue;
        const box = mark.getBoundingClientRect();
        const covered = texts.find(({ element, seen }) => !mark.contains(element) && overlap(box, seen, 2));
        if (covered) report(mark, `${round(box)} over "${covered.text.slice(0, 30)}" ${round(covered.seen)}`);
      }
    },
    "no text is outside of the screen": (report, texts) => {
      for (const { text, element, seen: box } of texts) {
        const isScrolled = element.closest(".drawer, .table-scroll, .choice-list");
        if (!isScrolled && (box.left < -1 || box.right > innerWidth + 1)) report(element, `"${text.slice(0, 60)}" ${round(box)}`);
      }
    },
    "texts do not overlap": (report, texts) => {
      const isFree = ({ element }) => !element.closest(".drawer, .table-scroll");
      const lines = texts.filter(isFree);
      lines.forEach((one, index) => {
        for (const other of lines.slice(index + 1)) {
          const [a, b] = [one.element.closest(".piece, .tab, .fan"), other.element.closest(".piece, .tab, .fan")];
          if (one.element === other.element || (a && b)) continue; // pieces may lie on each other
          const { width, height } = intersection(one.seen, other.seen);
          if (width > 2 && height > 4 && !isUnderPanel(one, other)) report(other.element, `"${other.text.slice(0, 30)}" over "${one.text.slice(0, 30)}"`);
        }
      });
    },
    "texts are large enough": (report, texts) => {
      for (const { text, element } of texts) {
        const pixels = parseFloat(getComputedStyle(element).fontSize);
        const isWord = /\p{L}{3}/u.test(text) && !element.closest(".piece, svg");
        if (pixels < (isWord ? MIN_WORDS : MIN_NUMERALS) - 0.1) report(element, `"${text.slice(0, 30)}" has ${pixels} px`);
      }
    },
    "what can be touched is large enough": (report) => {
      const element = document.querySelector(".coached, table-dock, .rest"), panel = element.getBoundingClientRect();
      const least = size.isTouched ? 42 : 23; // 44 and 24 px, measured between the outermost pixels
      for (const target of document.querySelectorAll(":is(.board, table-dock, .rest, .toolbar) :is(button, a[href], input)")) {
        if (!isShown(target) || target.disabled || target.closest(".table-scroll")) continue;
        if (isLookingBack() && target.matches(".piece, .hole, .fan")) continue; // nothing is played now
        const box = target.getBoundingClientRect();
        if (!box.width || box.bottom > innerHeight || box.top < 0) continue;
        if (!isWhole() && overlap(box, panel) && !element.contains(target)) continue;
        const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
        if (!isHit(target, x, y)) {
          if (isWhole()) report(target, `covered at ${Math.round(x)} ${Math.round(y)}`);
          continue;
        }
        const [width, height] = [reach(target, x, y, 1, 0) + reach(target, x, y, -1, 0), reach(target, x, y, 0, 1) + reach(target, x, y, 0, -1)];
        if (Math.min(width, height) < least) report(target, `${Math.round(box.width)} by ${Math.round(box.height)}, ${width} by ${height} to touch`);
      }
    },
  };

  const isHit = (target, x, y) => {
    const hit = document.elementFromPoint(x, y);
    return target.contains(hit) || hit?.closest("button, a") === target;
  };

  /** How far a target reaches from a point in one direction, at most 44 px. */
  const reach = (target, x, y, right, down) => {
    for (const step of [43, 21, 18, 14, 11, 6, 3]) {
      if (isHit(target, x + right * step, y + down * step)) return step;
    }
    return 0;
  };

  /** Of a table that does not fit, the panel sticks above what one scrolls to. */
  const isUnderPanel = (one, other) => !isWhole() && Boolean(one.element.closest("table-dock, .rest")) !== Boolean(other.element.closest("table-dock, .rest"));

  let table;
  for (const { name, shown, log } of positions) {
    table = shown;
    const { watched } = page;
    Object.assign(watched, { table, log, events: [], isUpToDate: true });
    page.tableChanged();
    await page.updateComplete;
    await page.querySelector("board-holder").updateComplete;
    while (!page.board) await new Promise(requestAnimationFrame);
    await page.board.updateComplete;
    await page.querySelector("table-dock")?.updateComplete;
    scrollTo(0, 0);
    for (const animation of document.getAnimations()) animation.finish();
    const texts = textsIn(document.querySelector(".table-page"));
    for (const [rule, check] of Object.entries(RULES)) {
      const broken = new Map();
      check((element, measure) => broken.set(nameOf(element), [...(broken.get(nameOf(element)) ?? []), measure]), texts);
      for (const [selector, measures] of broken) {
        found.push(`${name}: ${rule}: ${selector}: ${measures[0]}${measures.length > 1 ? ` (and ${measures.length - 1} more)` : ""}`);
      }
    }
  }
  return found;
}

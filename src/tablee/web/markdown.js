/** The Markdown that rulebooks use, as templates: text stays text, so nothing in it can become markup or script. */

import { html, nothing } from "./vendor/lit.js";

const INLINE = /(!?)\[([^\]]*)\]\(([^)\s]+)\)|\*\*(.+?)\*\*|\*(.+?)\*|`([^`]+)`/g;
const CLAUSE = /^\*\*([A-Z]+\d+)\.\*\*/;

/**
 * Draw a document.
 * @param {string} text
 * @param {string} base where relative pictures are
 * @param {(clause: string) => unknown} [after] what comes below a clause
 */
export function markdown(text, base, after = () => nothing) {
  const blocks = text
    .replace(/\r/g, "")
    .split(/\n{2,}/)
    .map((block) => block.trim())
    .filter(Boolean);
  return blocks.map((block) => [drawBlock(block, base), below(block, after)]);
}

/**
 * Show a clause in a document that is drawn.
 * @param {HTMLElement} page
 * @param {string} clause
 */
export function cite(page, clause) {
  const place = page.querySelector(`#clause-${CSS.escape(clause)}`);
  if (!(place instanceof HTMLElement)) return;
  for (const other of page.querySelectorAll(".is-cited")) other.classList.remove("is-cited");
  place.classList.add("is-cited");
  place.scrollIntoView({ block: "center" });
  place.focus({ preventScroll: true });
}

/**
 * @param {string} block
 * @param {(clause: string) => unknown} after
 */
function below(block, after) {
  const clause = block.match(CLAUSE);
  return clause ? after(clause[1]) : nothing;
}

/**
 * @param {string} block
 * @param {string} base
 */
function drawBlock(block, base) {
  const heading = block.match(/^(#{1,4}) (.+)$/s);
  if (heading) return drawHeading(heading[1].length, heading[2], base);
  const lines = block.split("\n");
  if (lines.every((line) => line.startsWith("|"))) return drawTable(lines, base);
  if (/^[-*] /.test(block))
    return html`<ul>
      ${items(block, /^[-*] /).map((item) => html`<li>${inline(item, base)}</li>`)}
    </ul>`;
  if (/^\d+\. /.test(block))
    return html`<ol>
      ${items(block, /^\d+\. /).map((item) => html`<li>${inline(item, base)}</li>`)}
    </ol>`;
  if (block.startsWith("> ")) return html`<blockquote>${inline(block.replace(/^> ?/gm, ""), base)}</blockquote>`;
  if (/^-{3,}$/.test(block)) return html`<hr />`;
  const clause = block.match(CLAUSE);
  return html`<p id=${clause ? `clause-${clause[1]}` : nothing} tabindex=${clause ? -1 : nothing}>
    ${inline(block, base)}
  </p>`;
}

/**
 * A document stands below the heading of the page.
 * @param {number} level
 * @param {string} text
 * @param {string} base
 */
function drawHeading(level, text, base) {
  const content = inline(text, base);
  if (level === 1) return html`<h2>${content}</h2>`;
  return level === 2 ? html`<h3>${content}</h3>` : html`<h4>${content}</h4>`;
}

/**
 * @param {string} block
 * @param {RegExp} mark
 */
function items(block, mark) {
  /** @type {string[]} */
  const found = [];
  for (const line of block.split("\n")) {
    if (mark.test(line)) found.push(line.replace(mark, ""));
    else found[found.length - 1] += ` ${line.trim()}`;
  }
  return found;
}

/**
 * @param {string[]} lines
 * @param {string} base
 */
function drawTable(lines, base) {
  const rows = lines.map((line) =>
    line
      .replace(/^\||\|$/g, "")
      .split("|")
      .map((cell) => cell.trim()),
  );
  const [head, rule, ...body] = rows;
  const hasHead = rule?.every((cell) => /^:?-+:?$/.test(cell));
  return html`<div class="table-scroll" tabindex="0" role="group">
    <table>
      ${
        hasHead
          ? html`<thead>
              <tr>
                ${head.map((cell) => drawHead(cell, base))}
              </tr>
            </thead>`
          : nothing
      }
      <tbody>
        ${(hasHead ? body : rows).map(
          (row) =>
            html`<tr>
              ${row.map((cell) => html`<td>${inline(cell, base)}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

/**
 * A head that says nothing is none.
 * @param {string} cell
 * @param {string} base
 */
function drawHead(cell, base) {
  return cell ? html`<th scope="col">${inline(cell, base)}</th>` : html`<td></td>`;
}

/**
 * @param {string} text
 * @param {string} base
 * @returns {unknown[]}
 */
function inline(text, base) {
  const parts = [];
  let end = 0;
  for (const match of text.matchAll(INLINE)) {
    parts.push(text.slice(end, match.index), drawInline(match, base));
    end = match.index + match[0].length;
  }
  return [...parts, text.slice(end)];
}

/**
 * @param {RegExpMatchArray} match
 * @param {string} base
 */
function drawInline([, picture, label, target, strong, emphasis, code], base) {
  if (strong !== undefined) return html`<strong>${inline(strong, base)}</strong>`;
  if (emphasis !== undefined) return html`<em>${inline(emphasis, base)}</em>`;
  if (code !== undefined) return html`<code>${code}</code>`;
  const isRelative = /^[\w./-]+$/.test(target) && !target.includes("..");
  if (picture) return isRelative ? html`<img src=${base + target} alt=${label} loading="lazy" />` : label;
  return /^https:\/\//.test(target) ? html`<a href=${target} rel="noreferrer">${label}</a>` : label;
}

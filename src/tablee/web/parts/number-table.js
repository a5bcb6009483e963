/** A table of numbers that scrolls sideways where it does not fit; the first column names the rows. */

import { html, nothing } from "../vendor/lit.js";

/**
 * @param {string} label for screen readers
 * @param {{headings: (string | number)[], rows: (string | number)[][]}} table
 * @param {boolean} hasCaption whether the label is shown above the table
 */
export function numberTable(label, { headings, rows }, hasCaption = false) {
  return html`<div class="table-scroll" tabindex="0" role="group" aria-label=${label}>
    <table class="scores">
      ${hasCaption ? html`<caption>${label}</caption>` : nothing}
      <thead>
        <tr>
          ${headings.map((heading) => html`<th scope="col">${heading}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          ([first, ...others]) =>
            html`<tr>
              <th scope="row">${first}</th>
              ${others.map((cell) => html`<td>${cell}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

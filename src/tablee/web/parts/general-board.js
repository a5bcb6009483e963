/** Draws every game from its view: the others above, what is common in the middle, one's own things below. */

import { classMap, html, nothing, repeat } from "../vendor/lit.js";
import { say } from "../words.js";
import { Board } from "./board.js";
import { isBack, pieceClass, pieceFace } from "./piece.js";

/** @typedef {import("../types.js").Zone} Zone */

const CROWDED = 4; // zones in the middle that are drawn smaller, to fit
const MANY = 9; // pieces in one zone that are drawn smaller, to fit

export class GeneralBoard extends Board {
  commonThings() {
    const common = this.zonesOf(null);
    return html`<div class=${common.length > CROWDED ? "zones crowded" : "zones"}>
      ${common.map((zone) => this.zone(zone))}
    </div>`;
  }

  ownThings() {
    return html`<div class="zones">${this.zonesOf(this.own).map((zone) => this.zone(zone))}</div>`;
  }

  /** @param {number} seat */
  thingsOf(seat) {
    return this.zonesOf(seat).map((zone) => this.zone(zone));
  }

  // Zones

  /** @param {Zone} zone */
  zone(zone) {
    const isNext = this.next.has(zone.id);
    const isVacant = !zone.pieces.length && zone.kind !== "counter" && zone.kind !== "stack" && !isNext;
    const classes = {
      zone: true,
      [`zone-${zone.kind}`]: true,
      "is-next-zone": isNext,
      vacant: isVacant,
      many: zone.pieces.length > MANY,
    };
    const label = `${zone.label}${zone.count === null ? "" : `, ${zone.count}`}`;
    return html`<div
      class=${classMap(classes)}
      role="group"
      aria-label=${label}
      data-zone=${zone.id}
      data-columns=${zone.columns || nothing}
      .style=${zone.columns ? `--columns: ${zone.columns}` : ""}
    >
      ${this.caption(zone)}
      <div class="pieces">${this.content(zone)}</div>
      ${isNext && zone.kind !== "stack" && !this.picked.length ? this.zoneButton(zone) : nothing}
    </div>`;
  }

  /** @param {Zone} zone */
  caption(zone) {
    const count =
      zone.count !== null && zone.kind !== "counter" ? html`<span class="count">${zone.count}</span>` : nothing;
    return html`<div class="caption" aria-hidden="true"><span class="caption-text">${zone.label}</span>${count}</div>`;
  }

  /** A choice that concerns a whole zone is said in words beside it. @param {Zone} zone */
  zoneButton(zone) {
    const choices = this.view.choices.filter(({ targets }) => targets[0] === zone.id);
    const label = choices.length === 1 ? choices[0].label : zone.label;
    return html`<button class="zone-target" data-id=${zone.id} @click=${() => this.touch(zone.id)}>${label}</button>`;
  }

  /** @param {Zone} zone */
  content(zone) {
    if (zone.kind === "counter") return this.counter(zone);
    if (zone.kind === "stack") return this.stack(zone);
    if (this.isClosedHand(zone)) return this.closedHand(zone);
    if (!zone.pieces.length) return this.emptyPlace(zone);
    return repeat(
      zone.pieces,
      (piece) => piece.id,
      (piece, place) =>
        this.button(piece, { isFirst: place === 0, isNext: this.leadsTo(zone) || this.next.has(piece.id) }),
    );
  }

  /** An empty place; something may be put there. @param {Zone} zone */
  emptyPlace(zone) {
    if (!this.next.has(zone.id) || !this.picked.length) return html`<span class="slot" aria-hidden="true"></span>`;
    const place = { id: zone.id, label: zone.label, face: null, colour: null, symbol: null, marks: ["empty"] };
    return this.button(place, { isFirst: true });
  }

  /** @param {Zone} zone */
  counter(zone) {
    return html`<output class="counter">${zone.count}</output>
      ${zone.pieces.map((piece) => html`<span class=${`chip ${pieceClass(piece)}`} role="img" aria-label=${piece.label}>${pieceFace(piece)}</span>`)}`;
  }

  /** @param {Zone} zone */
  stack(zone) {
    const top = zone.pieces.at(-1);
    const isTopTarget = top !== undefined && this.view.choices.some(({ targets }) => targets.includes(top.id));
    const id = top && isTopTarget ? top.id : zone.id;
    const label = [zone.label, top?.label, zone.count === null ? "" : say("table.in_stack", { n: zone.count })]
      .filter(Boolean)
      .join(", ");
    const shown = top ?? {
      id,
      label,
      face: null,
      colour: null,
      symbol: null,
      marks: zone.count === 0 ? ["empty"] : [],
    };
    return this.button(shown, { id, label, isFirst: true });
  }

  /** Backs that nobody can touch are one thing with a number. @param {Zone} zone */
  isClosedHand(zone) {
    const isTarget = zone.pieces.some(({ id }) => this.next.has(id) || this.touched.has(id));
    return (
      zone.kind === "fan" &&
      zone.pieces.length > 1 &&
      !isTarget &&
      zone.pieces.every((piece) => isBack(piece) && !piece.colour)
    );
  }

  /** @param {Zone} zone */
  closedHand(zone) {
    const shown = zone.pieces.slice(0, 5);
    return html`<span class="closed-hand" role="img" aria-label=${say("table.hidden", { n: zone.pieces.length })}>
      ${shown.map((piece) => html`<span class=${pieceClass(piece)}>${pieceFace(piece)}</span>`)}
    </span>`;
  }

  // Pieces

  /** Whether touching any of its pieces means the zone: a card goes on that pile. @param {Zone} zone */
  leadsTo(zone) {
    return this.picked.length > 0 && this.next.has(zone.id);
  }
}

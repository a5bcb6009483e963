/** The board of games without one of their own: draws any view, zone by zone. */

import { classMap, html, nothing, repeat } from "../vendor/lit.js";
import { translate } from "../words.js";
import { Board } from "./board.js";
import { isBack, pieceClass, pieceFace } from "./piece.js";

/** @typedef {import("../types.js").Zone} Zone */

const MAX_LARGE_ZONES = 4; // common zones; more are drawn smaller
const MAX_LARGE_PIECES = 9; // in a zone; more are drawn smaller

export class GeneralBoard extends Board {
  commonArea() {
    const common = this.zonesOf(null);
    return html`<div class=${common.length > MAX_LARGE_ZONES ? "zones crowded" : "zones"}>
      ${common.map((zone) => this.zone(zone))}
    </div>`;
  }

  ownArea() {
    return html`<div class="zones">${this.zonesOf(this.own).map((zone) => this.zone(zone))}</div>`;
  }

  /** @param {number} seat */
  seatArea(seat) {
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
      many: zone.pieces.length > MAX_LARGE_PIECES,
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
      ${isNext && zone.kind !== "stack" && !this.selected.length ? this.zoneButton(zone) : nothing}
    </div>`;
  }

  /** @param {Zone} zone */
  caption(zone) {
    const count =
      zone.count !== null && zone.kind !== "counter" ? html`<span class="count">${zone.count}</span>` : nothing;
    return html`<div class="caption" aria-hidden="true"><span class="caption-text">${zone.label}</span>${count}</div>`;
  }

  /** The button of a choice whose target is the zone itself. @param {Zone} zone */
  zoneButton(zone) {
    const choices = this.view.choices.filter(({ targets }) => targets[0] === zone.id);
    const label = choices.length === 1 ? choices[0].label : zone.label;
    return html`<button class="zone-target" data-id=${zone.id} @click=${() => this.select(zone.id)}>${label}</button>`;
  }

  /** @param {Zone} zone */
  content(zone) {
    if (zone.kind === "counter") return this.counter(zone);
    if (zone.kind === "stack") return this.stack(zone);
    if (this.isClosedHand(zone)) return this.closedHand(zone);
    if (!zone.pieces.length) return this.emptySlot(zone);
    return repeat(
      zone.pieces,
      (piece) => piece.id,
      (piece, index) =>
        this.button(piece, { isTabStop: index === 0, isNext: this.isZoneNext(zone) || this.next.has(piece.id) }),
    );
  }

  /** An empty zone, a button if a piece can be put there. @param {Zone} zone */
  emptySlot(zone) {
    if (!this.next.has(zone.id) || !this.selected.length) return html`<span class="slot" aria-hidden="true"></span>`;
    const slot = { id: zone.id, label: zone.label, face: null, colour: null, symbol: null, marks: ["empty"] };
    return this.button(slot, { isTabStop: true });
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
    const label = [zone.label, top?.label, zone.count === null ? "" : translate("table.in_stack", { n: zone.count })]
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
    return this.button(shown, { id, label, isTabStop: true });
  }

  /** Whether a hand is all backs that cannot be selected; they are drawn as one element with a count. @param {Zone} zone */
  isClosedHand(zone) {
    const isTarget = zone.pieces.some(({ id }) => this.next.has(id) || this.selectedIds.has(id));
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
    return html`<span class="closed-hand" role="img" aria-label=${translate("table.hidden", { n: zone.pieces.length })}>
      ${shown.map((piece) => html`<span class=${pieceClass(piece)}>${pieceFace(piece)}</span>`)}
    </span>`;
  }

  // Pieces

  /** Whether clicking any of its pieces selects the zone, such as the pile that a card goes to. @param {Zone} zone */
  isZoneNext(zone) {
    return this.selected.length > 0 && this.next.has(zone.id);
  }
}

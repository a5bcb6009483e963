/** Draws every game from its view: the others above, what is common in the middle, one's own things below. */

import { classMap, html, nothing, repeat } from "../vendor/lit.js";
import { say } from "../words.js";
import { Board } from "./board.js";
import { isBack, pieceClass, pieceFace } from "./piece.js";
import { icon } from "./symbols.js";

/** @typedef {import("../types.js").Zone} Zone */
/** @typedef {import("../types.js").Piece} Piece */

const CROWDED = 4; // zones in the middle that are drawn smaller, to fit
const MANY = 9; // pieces in one zone that are drawn smaller, to fit

export class GeneralBoard extends Board {
  static properties = { unfolded: { state: true } };

  constructor() {
    super();
    /** @type {number | null} the strip that is shown large */
    this.unfolded = null;
    /** @type {Set<string>} what can be touched now */
    this.next = new Set();
    /** @type {Set<string>} what has been touched */
    this.touched = new Set();
    /** @type {Set<string>} where the last move led */
    this.lastPlaces = new Set();
  }

  /** Whose things lie below: the viewer's, and nobody's for those who watch. */
  get own() {
    return this.view.viewer;
  }

  render() {
    if (!this.view) return nothing;
    const { next, picked } = this.picking;
    this.next = next;
    this.touched = new Set(picked);
    this.lastPlaces = new Set(this.told.flatMap((event) => event.path.slice(-1)));
    const common = this.zonesOf(null);
    const others = Array.from(
      { length: this.view.seats },
      (_, step) => (Math.max(this.own, 0) + step) % this.view.seats,
    );
    return html`
      <div class="others" data-count=${others.length - (this.own < 0 ? 0 : 1)}>
        ${others.filter((seat) => seat !== this.own).map((seat) => this.strip(seat))}
      </div>
      <section class=${classMap({ common: true, crowded: common.length > CROWDED })} aria-label=${say("table.common")}>
        ${common.map((zone) => this.zone(zone))}
      </section>
      ${this.own < 0 ? nothing : this.ownPlace()}
    `;
  }

  ownPlace() {
    const isLit = this.view.to_move === this.own || this.view.choices.length > 0;
    return html`<section class=${classMap({ own: true, "on-turn": isLit })} aria-label=${say("table.own")}>
      ${this.zonesOf(this.own).map((zone) => this.zone(zone))}
    </section>`;
  }

  /** @param {number | null} seat @returns {Zone[]} */
  zonesOf(seat) {
    return this.view.zones.filter((zone) => zone.owner === seat);
  }

  /** @param {number} seat */
  strip(seat) {
    const isUnfolded = this.unfolded === seat;
    const name = this.nameOf(seat);
    const isBot = this.seats[seat]?.kind === "bot" || this.seats[seat]?.is_covered;
    const isOnTurn = this.view.to_move === seat;
    return html`<section
      class=${classMap({ strip: true, "on-turn": isOnTurn, unfolded: isUnfolded })}
      aria-label=${name}
    >
      <button class="strip-head" aria-expanded=${isUnfolded} @click=${() => (this.unfolded = isUnfolded ? null : seat)}>
        <span class="strip-name">${name}</span>
        ${isBot ? html`<span class="tag" role="img" aria-label=${say("table.bot")}>${icon("bot")}</span>` : nothing}
        ${isOnTurn ? html`<span class="visually-hidden">${say("table.on_turn")}</span>` : nothing}
        <span class="strip-score"
          ><span class="visually-hidden">${say("table.points")}</span>${this.view.scores[seat]}</span
        >
      </button>
      <div class="strip-zones">${this.zonesOf(seat).map((zone) => this.zone(zone))}</div>
    </section>`;
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
      (piece, place) => this.button(piece, piece.id, piece.label, place === 0, this.leadsTo(zone)),
    );
  }

  /** An empty place; something may be put there. @param {Zone} zone */
  emptyPlace(zone) {
    if (!this.next.has(zone.id) || !this.picked.length) return html`<span class="slot" aria-hidden="true"></span>`;
    return this.button(
      { id: zone.id, label: zone.label, face: null, colour: null, symbol: null, marks: ["empty"] },
      zone.id,
      zone.label,
      true,
    );
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
    return this.button(shown, id, label, true);
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

  /**
   * @param {Piece} piece
   * @param {string} id
   * @param {string} label
   * @param {boolean} isFirst
   * @param {boolean} [isOnTarget]
   */
  button(piece, id, label, isFirst, isOnTarget = false) {
    const isNext = isOnTarget || this.next.has(id);
    const isPicked = this.touched.has(id);
    const isLast = piece.marks.includes("last") || this.lastPlaces.has(id) || this.lastPlaces.has(piece.id);
    const classes = `${pieceClass(piece)}${isNext ? " is-next" : ""}${isPicked ? " is-picked" : ""}${isLast ? " is-last" : ""}`;
    return html`<button
      class=${classes}
      data-id=${id}
      aria-label=${label}
      aria-pressed=${isPicked ? "true" : nothing}
      aria-disabled=${isNext || isPicked ? nothing : "true"}
      tabindex=${isNext || isPicked || isFirst ? 0 : -1}
      @click=${() => this.touch(id)}
    >
      ${pieceFace(piece)}
    </button>`;
  }
}

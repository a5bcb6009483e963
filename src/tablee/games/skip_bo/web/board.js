/** Skip-Bo: four series in the middle; stock, four discard piles and hand of each player. */

import { html, nothing, repeat } from "/vendor/lit.js";
import { Board } from "/parts/board.js";
import { deal } from "/parts/motion.js";
import { pieceClass, pieceFace } from "/parts/piece.js";
import { icon } from "/parts/symbols.js";
import { translate } from "/words.js";

/** @typedef {import("/types.js").Piece} Piece */
/** @typedef {import("/types.js").Zone} Zone */
/** @typedef {import("/types.js").GameEvent} GameEvent */

const PILES = ["a", "b", "c", "d"];
const TABS_PER_COLUMN = 4; // of the buried cards of a discard pile
const MAX_LAYERS = 4; // edges drawn below the top card of a stock
const ROUND_ENDS = [
  ["emptied", "all_passed", "stalled", "endless_turn"],
  ["scored", "nobody_scores"],
];

export default class extends Board {
  constructor() {
    super();
    /** @type {string | null} the hand card that was clicked last, of several equal ones */
    this.held = null;
  }

  // The choices name only the first of several equal cards.

  /** The first hand card equal to this one. @param {string} id */
  firstEqual(id) {
    const hand = this.zoneOf(`seat${this.own}.hand`)?.pieces ?? [];
    const card = hand.find((piece) => piece.id === id);
    return hand.find((piece) => piece.face === card?.face)?.id ?? id;
  }

  /** @param {string} id */
  select(id) {
    const isEqualToPicked = this.selectedIds.has(this.firstEqual(id)) && this.isHandCard(id) && this.held !== id;
    if (this.isHandCard(id)) this.held = id;
    this.roundSummary = nothing; // it covers the series
    if (isEqualToPicked) this.requestUpdate();
    else super.select(this.firstEqual(id));
  }

  /** @param {string} id */
  pickUp(id) {
    if (this.isHandCard(id)) this.held = id;
    return super.pickUp(this.firstEqual(id));
  }

  /**
   * @param {string} id
   * @param {string[]} targets
   */
  drop(id, targets) {
    super.drop(this.firstEqual(id), targets);
  }

  /** @param {string} id */
  isHandCard(id) {
    return id.startsWith(`seat${this.own}.hand.`);
  }

  // The middle of the table

  commonArea() {
    const series = this.view.zones.filter(({ id }) => id.startsWith("series"));
    return html`<div class="middle">${series.map((zone, index) => this.series(zone, index))} ${this.drawPile()}</div>`;
  }

  /**
   * A series: its top card, and faintly below it the next number.
   * @param {Zone} zone
   * @param {number} index
   */
  series(zone, index) {
    const top = zone.pieces[0];
    const next = this.view.facts.next[index];
    const label = [zone.label, top?.label].filter(Boolean).join("; ");
    const face = top ? undefined : html`<span class="numeral next-number" aria-hidden="true">${next}</span>`;
    return html`<div class="series" role="group" aria-label=${zone.label} data-zone=${zone.id}>
      ${this.button(top ?? emptyPiece(zone), { id: zone.id, label, face, isTabStop: true })}
      ${top ? html`<span class="coming" aria-hidden="true">${next}</span>` : nothing}
    </div>`;
  }

  /** The draw pile, and the count of completed series. */
  drawPile() {
    const draw = /** @type {Zone} */ (this.zoneOf("draw"));
    const completed = /** @type {Zone} */ (this.zoneOf("completed"));
    return html`<div class="drawing">
      <span class="pile-holder" role="img" aria-label="${draw.label}, ${draw.count}" data-zone="draw">
        ${draw.count ? this.back() : html`<span class="slot"></span>`}
        <span class="edge-count">${draw.count}</span>
      </span>
      <span class="set-aside" role="img" aria-label="${completed.label}, ${completed.count}" data-zone="completed">
        ${icon("done")} ${completed.count}
      </span>
    </div>`;
  }

  back() {
    return html`<span class="piece is-back"><span class="linen"></span></span>`;
  }

  // The cards of a player

  /** @param {number} seat */
  seatArea(seat) {
    const hand = /** @type {Zone} */ (this.zoneOf(`seat${seat}.hand`));
    return html`
      ${this.stock(seat)}
      <div class="piles">${this.pilesOf(seat).map((zone) => this.othersPile(zone))}</div>
      <span class="held-cards" role="img" aria-label="${hand.label}, ${hand.count}" data-zone=${hand.id}>
        ${hand.pieces.map(() => this.back())}
      </span>
      ${this.progress(seat)}
    `;
  }

  ownArea() {
    return html`
      <div class="own-stock">${this.stock(this.own)} ${this.progress(this.own)}</div>
      <div class="piles">${this.pilesOf(this.own).map((zone) => this.ownPile(zone))}</div>
      ${this.hand()}
    `;
  }

  /** The top card of a stock, with the number of cards left. @param {number} seat */
  stock(seat) {
    const zone = /** @type {Zone} */ (this.zoneOf(`seat${seat}.stock`));
    const [top] = zone.pieces;
    const layers = Math.min((zone.count ?? 1) - 1, MAX_LAYERS);
    return html`<div
      class="stock pile-holder"
      role="group"
      aria-label="${zone.label}, ${zone.count}"
      data-zone=${zone.id}
      data-layers=${layers}
    >
      ${top ? this.stockTop(top, zone, seat === this.own) : html`<span class="slot"></span>`}
      <span class="edge-count" aria-hidden="true">${zone.count}</span>
    </div>`;
  }

  /**
   * @param {Piece} top
   * @param {Zone} zone
   * @param {boolean} isOwn
   */
  stockTop(top, zone, isOwn) {
    if (!isOwn) return this.picture(top);
    const label = `${zone.label}: ${top.label}, ${translate("table.in_stack", { n: zone.count })}`;
    return this.button(top, { label, isTabStop: true, look: "hero" });
  }

  /** How much of the stock a player has played. @param {number} seat */
  progress(seat) {
    const { stocks, stock_size: size } = this.view.facts;
    const done = Math.round((100 * (size - stocks[seat])) / size);
    return html`<span class="progress" aria-hidden="true" .style=${`--done: ${done}%`}></span>`;
  }

  // Discard piles, all of whose cards can be read

  /** @param {number} seat @returns {Zone[]} */
  pilesOf(seat) {
    return PILES.map((name) => /** @type {Zone} */ (this.zoneOf(`seat${seat}.${name}`)));
  }

  /** @param {Zone} zone */
  othersPile(zone) {
    return html`<span class="fan" role="img" aria-label=${this.pileLabel(zone)} data-zone=${zone.id}>
      ${this.pileFace(zone)}
    </span>`;
  }

  /** A pile stands for its top card, or for itself as the target of a card. @param {Zone} zone */
  ownPile(zone) {
    const top = zone.pieces.at(-1) ?? emptyPiece(zone);
    const isNext = this.next.has(top.id) || this.next.has(zone.id);
    const look = this.lastTargets.has(zone.id) ? "is-last" : "";
    const options = { shape: "fan", look, isNext, isTabStop: true, label: this.pileLabel(zone), face: this.pileFace(zone) };
    return html`<div data-zone=${zone.id} role="group" aria-label=${zone.label}>${this.button(top, options)}</div>`;
  }

  /** The cards of a pile from the top down. @param {Zone} zone */
  pileLabel(zone) {
    const cards = zone.pieces.map(({ label }) => label).reverse();
    return cards.length ? `${zone.label}: ${cards.join(", ")}` : `${zone.label}, 0`;
  }

  /** @param {Zone} zone */
  pileFace(zone) {
    const top = zone.pieces.at(-1);
    const buried = zone.pieces.slice(0, -1);
    const columns = Math.max(1, Math.ceil(buried.length / TABS_PER_COLUMN));
    return html`
      <span class="tabs" .style=${`--tab-columns: ${columns}`}>
        ${buried.map(({ face, colour }) => html`<span class="tab colour-${colour}">${face}</span>`)}
      </span>
      ${
        top
          ? html`<span class=${pieceClass(top)}>${pieceFace(top)}</span>`
          : html`<span class="slot pile-name">${zone.id.at(-1)}</span>`
      }
    `;
  }

  // The hand

  hand() {
    const zone = /** @type {Zone} */ (this.zoneOf(`seat${this.own}.hand`));
    const size = Math.max(...this.view.facts.hand_sizes);
    const pass = this.view.choices.find(({ group }) => group === "pass");
    return html`<div class="hand" role="group" aria-label=${zone.label} data-zone=${zone.id} data-size=${size}>
      ${repeat(
        zone.pieces,
        ({ id }) => id,
        (piece) => this.handCard(piece),
      )}
      ${pass ? this.passButton(zone.id, pass.label) : nothing}
    </div>`;
  }

  /**
   * @param {string} id
   * @param {string} label
   */
  passButton(id, label) {
    return html`<button class="zone-target" data-id=${id} @click=${() => this.select(id)}>${label}</button>`;
  }

  /** @param {Piece} piece */
  handCard(piece) {
    const first = this.firstEqual(piece.id);
    const isEnabled = this.selectedIds.has(first); // it, or an equal card, is selected
    const isSelected = isEnabled && this.held === piece.id;
    return this.button(piece, { isNext: this.next.has(first), isSelected, isEnabled, isTabStop: true });
  }

  // Animations

  /** The viewer's own card starts from its position in the hand. */
  movements() {
    return super.movements().map((movement, index) => {
      const isOwnCard = movement.from === `seat${this.own}.hand` && index === 0;
      const from = isOwnCard && this.held ? this.held : movement.from;
      const clone = this.snapshots.get(from)?.clone;
      const completes = clone?.matches(".is-open") && !this.hasCards(movement.to); // the series left the table
      return completes ? { ...movement, from, clone } : { ...movement, from };
    });
  }

  animateMove() {
    super.animateMove();
    if (this.events.some(({ code }) => code === "dealt") && !this.view.round) this.animateDeal();
  }

  animateDeal() {
    const stocks = this.seats.map(({ seat }) => `seat${seat}.stock`);
    deal(this, "draw", stocks);
  }

  /** Whether a zone has cards now. @param {string} id */
  hasCards(id) {
    return (this.zoneOf(id)?.pieces.length ?? 0) > 0;
  }

  /** @param {GameEvent[]} events */
  roundSummaryOf(events) {
    const [end, result] = ROUND_ENDS.map((codes) => events.find(({ code }) => codes.includes(code)));
    if (!end || !result || this.view.end) return null;
    return html`<h2>${end.text}</h2>
      <p>${result.text}</p>
      <table class="scores">
        <tbody>
          ${this.view.scores.map((points, seat) => this.score(points, seat))}
        </tbody>
      </table>`;
  }

  /**
   * @param {number} points
   * @param {number} seat
   */
  score(points, seat) {
    return html`<tr class=${seat === this.own ? "you" : ""}>
      <th scope="row">${this.nameOf(seat)}</th>
      <td>${points}</td>
    </tr>`;
  }

  /** @param {GameEvent[]} events */
  bannerText(events) {
    return events.find(({ code }) => code === "completed")?.text ?? "";
  }
}

/** @param {Zone} zone @returns {Piece} */
function emptyPiece({ id, label }) {
  return { id, label, face: null, colour: null, symbol: null, marks: ["empty"] };
}

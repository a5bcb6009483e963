/** Xylo: every row drawn as a toy xylophone. Of hidden cards the colour and the possible values are shown. */

import { classMap, html, nothing } from "/vendor/lit.js";
import { Board } from "/parts/board.js";
import { clonePiece, deal, findElement } from "/parts/motion.js";
import { icon, symbol } from "/parts/symbols.js";
import { playNote } from "/sounds.js";
import { translate } from "/words.js";

/** @typedef {import("/types.js").Piece} Piece */
/** @typedef {import("/types.js").Zone} Zone */
/** @typedef {import("/types.js").GameEvent} GameEvent */
/** @typedef {import("/parts/motion.js").Movement} Movement */

const AUTOMATA_MET = ["automaton_met", "both_automata_met"];
const NOTE_SECONDS = 0.18; // between two notes

export default class extends Board {
  static properties = { expandedRow: { state: true } };

  constructor() {
    super();
    this.material = "wood";
    /** @type {string | null} the row shown large */
    this.expandedRow = null;
  }

  // Rows

  get ownRow() {
    return `seat${this.own}`;
  }

  /** All rows in turn order, starting with this one. @param {string} row @returns {string[]} */
  rowsFrom(row) {
    const { rows } = this.view.facts;
    const first = Math.max(rows.indexOf(row), 0);
    return [...rows.slice(first), ...rows.slice(0, first)];
  }

  /** The other rows in turn order, starting to the viewer's left. */
  get otherRows() {
    return this.rowsFrom(this.ownRow).filter((row) => row !== this.ownRow);
  }

  /** The packet that the viewer is sorting, if any. @returns {Zone | null} */
  get packet() {
    const choice = this.view.choices.find(({ group }) => group === "next" || group === "keep");
    return (choice && this.zoneOf(choice.targets[0])) ?? null;
  }

  /** @param {string} row */
  playerOf(row) {
    const owner = this.zoneOf(row)?.owner ?? null;
    return owner === null ? this.view.facts.automata[row] : this.nameOf(owner);
  }

  // The table

  render() {
    if (!this.view) return nothing;
    const { rows, phase } = this.view.facts;
    Object.assign(this.dataset, { rows: String(rows.length), phase });
    return html`
      <div class="others">${this.otherRows.map((row) => this.rowStrip(row))}</div>
      <section class="common" aria-label=${translate("table.common")}>${this.commonArea()}</section>
      ${this.own < 0 ? nothing : this.ownSection()} ${this.roundSummary === nothing ? nothing : this.roundSummarySheet()}
    `;
  }

  /** @param {string} row */
  rowStrip(row) {
    const zone = /** @type {Zone} */ (this.zoneOf(row));
    const isExpanded = this.expandedRow === row;
    const toggle = () => (this.expandedRow = isExpanded ? null : row);
    const isOnTurn = zone.owner !== null && zone.owner === this.view.to_move;
    const classes = { strip: true, "row-strip": true, "on-turn": isOnTurn, expanded: isExpanded };
    return html`<section class=${classMap(classes)} aria-label=${this.playerOf(row)}>
      <button class="strip-head" aria-expanded=${isExpanded} @click=${toggle}>
        ${zone.owner === null ? html`<span class="strip-name">${this.playerOf(row)}</span>` : this.nameplate(zone.owner)}
      </button>
      ${this.tally(row)} ${this.packet === zone ? nothing : this.bars(zone, false)}
    </section>`;
  }

  /**
   * The tricks won and the bid.
   * @param {string} row
   * @param {boolean} [hasLabels]
   */
  tally(row, hasLabels = false) {
    const { words } = this.view.facts;
    const { id, label, count } = /** @type {Zone} */ (this.zoneOf(`${row}.tricks`));
    const bid = /** @type {Zone} */ (this.zoneOf(`${row}.bid`));
    const [card] = bid.pieces;
    return html`<div class=${classMap({ tally: true, met: card?.face === String(count) })}>
      <span class="tricks" role="img" aria-label="${label}, ${count}" data-zone=${id}>${count}</span>
      ${hasLabels ? html`<span class="tally-word" aria-hidden="true">${words.tricks}</span>` : nothing}
      <span class="bid" role="group" aria-label=${bid.label} data-zone=${bid.id}>
        ${card ? this.bidCard(card) : html`<span class="no-bid">?</span>`}
      </span>
      ${hasLabels ? html`<span class="tally-word" aria-hidden="true">${words.bid}</span>` : nothing}
    </div>`;
  }

  /** @param {Piece} card */
  bidCard(card) {
    return this.picture(card, { look: "xylo-bid", face: html`${symbol(card.symbol)}${card.face}` });
  }

  // Bars

  /**
   * @param {Zone} zone
   * @param {boolean} isLarge whether its bars are buttons
   */
  bars(zone, isLarge) {
    const count = zone.pieces.length;
    const half = Math.ceil(count / 2);
    const rail = (/** @type {Piece} */ piece, /** @type {number} */ index) =>
      html`<span class="rail" .style=${`--shorter: ${index / (count - 1)}`}>
        ${this.bar(zone, piece, index, isLarge)}
      </span>`;
    return html`<div
      class="xylophone"
      role="group"
      aria-label=${zone.label}
      data-zone=${zone.id}
      data-columns=${half}
      .style=${`--half: ${half}; --all: ${count}`}
    >
      ${zone.pieces.map(rail)}
    </div>`;
  }

  /**
   * @param {Zone} zone
   * @param {Piece} piece
   * @param {number} index
   * @param {boolean} isLarge
   */
  bar(zone, piece, index, isLarge) {
    const face = this.barFace(zone, piece, index);
    const look = "xylo-bar";
    return isLarge ? this.button(piece, { look, face, isTabStop: index === 0 }) : this.picture(piece, { look, face });
  }

  /**
   * @param {Zone} zone
   * @param {Piece} piece
   * @param {number} index
   */
  barFace(zone, piece, index) {
    const isPeeked = piece.marks.includes("peeked") && !piece.marks.includes("empty");
    return html`
      ${piece.colour ? html`<span class="bar-symbol" aria-hidden="true">${symbol(piece.symbol)}</span>` : nothing}
      ${piece.colour ? this.barValue(zone, piece, index) : nothing}
      ${isPeeked ? html`<span class="bar-eye" aria-hidden="true">${icon("eye")}</span>` : nothing}
      <span class="bar-index" aria-hidden="true">${index + 1}</span>
    `;
  }

  /**
   * What the viewer knows of a card: its value, or the range of its possible values.
   * @param {Zone} zone
   * @param {Piece} piece
   * @param {number} index
   */
  barValue(zone, piece, index) {
    const { ranges, rows } = this.view.facts;
    if (piece.face !== null) return html`<span class="bar-value" aria-hidden="true">${piece.face}</span>`;
    const [low, high] = ranges[rows.indexOf(zone.id)][index];
    return html`<span class="bar-range" aria-hidden="true">${low === high ? low : `${low}–${high}`}</span>`;
  }

  // The trick

  commonArea() {
    const { leader, trump, trump_symbol: picture, words } = this.view.facts;
    const zone = /** @type {Zone} */ (this.zoneOf("trick"));
    return html`<div class="trick-area">
      <span class="trump colour-${trump}" role="img" aria-label=${words.trump_is} title=${words.trump_is}>
        ${symbol(picture)}<span aria-hidden="true">${words.trump}</span>
      </span>
      <div class="trick" role="group" aria-label=${zone.label} data-zone="trick">
        ${this.rowsFrom(leader).map((row) => this.trickSlot(row, zone))}
      </div>
    </div>`;
  }

  /**
   * The slot of a row in the trick; until the next card is led it shows the last trick.
   * @param {string} row
   * @param {Zone} zone
   */
  trickSlot(row, zone) {
    const { winning, leader } = this.view.facts;
    const isEmpty = zone.pieces.length === 0;
    const card = isEmpty ? this.lastCard(row) : zone.pieces.find(({ id }) => id === `trick.${row}`);
    const isBest = isEmpty ? Boolean(card) && row === leader : winning === row;
    const classes = { "trick-slot": true, led: !isEmpty && row === leader, best: isBest, old: isEmpty };
    return html`<figure class=${classMap(classes)}>
      ${card ? this.trickCard(card) : html`<span class="slot" data-id="trick.${row}"></span>`}
      <figcaption>
        ${isBest ? icon("trophy") : nothing}<span>${row === this.ownRow ? translate("table.you") : this.playerOf(row)}</span>
      </figcaption>
    </figure>`;
  }

  /** @param {Piece} card */
  trickCard(card) {
    const face = html`<span class="bar-symbol" aria-hidden="true">${symbol(card.symbol)}</span>
      <span class="bar-value" aria-hidden="true">${card.face}</span>`;
    return this.picture(card, { look: "xylo-bar in-trick", face });
  }

  /** The card that a row played to the last trick of this round. @param {string} row @returns {Piece | null} */
  lastCard(row) {
    const { rows, last_trick: cards } = this.view.facts;
    const card = cards[rows.indexOf(row)];
    const isNewRound = rows.every((/** @type {string} */ each) => !this.zoneOf(`${each}.tricks`)?.count);
    if (!card || isNewRound) return null;
    const { colour, value, symbol, label } = card;
    return { id: `trick.${row}`, label, face: String(value), colour, symbol, marks: [] };
  }

  // The viewer's row, or the packet being sorted

  ownArea() {
    const row = /** @type {Zone} */ (this.zoneOf(this.ownRow));
    const shown = this.packet ?? row;
    return html`
      <div class="own-head">
        ${this.packet ? html`<strong class="packet-name">${this.packet.label}</strong>` : this.tally(this.ownRow, true)}
        <span class="bar-space"></span>
        ${this.zoneButton()}
      </div>
      ${this.bars(shown, true)}
    `;
  }

  /** The button of a choice without a card: to pass, or to keep the packet as it is. */
  zoneButton() {
    const choice = this.view.choices.find(({ group }) => group === "pass" || group === "keep");
    if (!choice) return nothing;
    const [id] = choice.targets;
    return html`<button class="zone-target" data-id=${id} @click=${() => this.select(id)}>${choice.label}</button>`;
  }

  // Animations and sounds

  /** @returns {Movement[]} */
  movements() {
    return this.events.flatMap((event) => (event.code === "won_trick" ? this.trickMovements(event) : this.cardMovements(event)));
  }

  /** @param {GameEvent} event @returns {Movement[]} */
  cardMovements({ code, path }) {
    if (path.length < 2) return [];
    return [{ from: path[0], to: code === "played" ? `trick.${rowOf(path[0])}` : path[1], step: 0 }];
  }

  /** The cards of a trick go to its winner. @param {GameEvent} event @returns {Movement[]} */
  trickMovements({ path }) {
    const cards = this.view.facts.rows.map((/** @type {string} */ row) => findElement(this, `trick.${row}`));
    const shown = cards.filter((/** @type {HTMLElement | null} */ card) => card?.matches(".piece"));
    return shown.map((/** @type {HTMLElement} */ card) => {
      const id = card.dataset.id ?? "";
      return { from: id, to: path[1], clone: clonePiece(card), step: 1 };
    });
  }

  animateMove() {
    super.animateMove();
    if (this.events.some(({ code }) => code === "spread") && !this.view.round) this.animateDeal();
    const rows = this.events.filter(({ code }) => code === "played").map(({ path }) => rowOf(path[0]));
    rows.forEach((row, index) => playNote(this.playedValue(row), index * NOTE_SECONDS));
  }

  animateDeal() {
    deal(this, "trick", this.othersCards());
  }

  /** The cards whose deal is animated; the viewer's own can be clicked at once. */
  othersCards() {
    return this.otherRows.flatMap((row) => this.zoneOf(row)?.pieces.map(({ id }) => id) ?? []);
  }

  /** The value of the card that a row has just played. @param {string} row */
  playedValue(row) {
    const card = this.zoneOf("trick")?.pieces.find(({ id }) => id === `trick.${row}`) ?? this.lastCard(row);
    return Number(card?.face ?? 0);
  }

  /** @param {GameEvent[]} events */
  roundSummaryOf(events) {
    const end = events.find(({ code }) => code === "round_over");
    if (!end || this.view.end) return null;
    const { rows, words } = this.view.facts;
    const sentence = events.find(({ code }) => AUTOMATA_MET.includes(code))?.text;
    return html`<h2>${end.text}</h2>
      ${sentence ? html`<p>${sentence}</p>` : nothing}
      <table class="results">
        <thead>
          <tr>
            <td></td>
            <th scope="col">${words.bid}</th>
            <th scope="col">${words.tricks}</th>
            <th scope="col">${translate("table.scores")}</th>
          </tr>
        </thead>
        <tbody>
          ${rows.map((/** @type {string} */ row, /** @type {number} */ index) => this.result(row, index))}
        </tbody>
      </table>`;
  }

  /**
   * @param {string} row
   * @param {number} index
   */
  result(row, index) {
    const { last_bids: bids, last_won: tricks, round_scores: points } = this.view.facts;
    const owner = this.zoneOf(row)?.owner ?? null;
    const isMet = bids[index].value === tricks[index];
    return html`<tr class=${isMet ? "met" : ""}>
      <th scope="row">${this.playerOf(row)}</th>
      <td>${bids[index].value}</td>
      <td>${tricks[index]} ${isMet ? icon("done") : nothing}</td>
      <td>${owner === null ? "–" : `+${points[owner]}`}</td>
    </tr>`;
  }
}

/** The row of a card: `seat1` of `seat1.3`. @param {string} id */
const rowOf = (id) => id.split(".")[0];

/** Xylo: every row a toy xylophone. I see the values of the row I sorted; of mine, colours and what is possible. */

import { classMap, html, nothing } from "/vendor/lit.js";
import { Board } from "/parts/board.js";
import { copy, deal, find } from "/parts/motion.js";
import { icon, symbol } from "/parts/symbols.js";
import { note } from "/sounds.js";
import { say } from "/words.js";

/** @typedef {import("../../../web/types.js").Piece} Piece */
/** @typedef {import("../../../web/types.js").Zone} Zone */
/** @typedef {import("../../../web/types.js").ToldEvent} ToldEvent */
/** @typedef {import("../../../web/parts/motion.js").Journey} Journey */

const AUTOMATA_MET = ["automaton_met", "both_automata_met"];
const BETWEEN_NOTES = 0.18; // seconds

export default class extends Board {
  static properties = { unfoldedRow: { state: true } };

  constructor() {
    super();
    this.material = "wood";
    /** @type {string | null} the row that is shown large */
    this.unfoldedRow = null;
  }

  // Rows

  get ownRow() {
    return `seat${this.own}`;
  }

  /** All rows in the order of turns, beginning with one. @param {string} row @returns {string[]} */
  rowsFrom(row) {
    const { rows } = this.view.facts;
    const first = Math.max(rows.indexOf(row), 0);
    return [...rows.slice(first), ...rows.slice(0, first)];
  }

  /** The rows of the others in the order of turns, from the viewer's left. */
  get otherRows() {
    return this.rowsFrom(this.ownRow).filter((row) => row !== this.ownRow);
  }

  /** The packet that the viewer is sorting; null most of the time. @returns {Zone | null} */
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
      <section class="common" aria-label=${say("table.common")}>${this.commonThings()}</section>
      ${this.own < 0 ? nothing : this.ownPlace()} ${this.news === nothing ? nothing : this.newsSheet()}
    `;
  }

  /** @param {string} row */
  rowStrip(row) {
    const zone = /** @type {Zone} */ (this.zoneOf(row));
    const isUnfolded = this.unfoldedRow === row;
    const unfold = () => (this.unfoldedRow = isUnfolded ? null : row);
    const isOnTurn = zone.owner !== null && zone.owner === this.view.to_move;
    const classes = { strip: true, "row-strip": true, "on-turn": isOnTurn, unfolded: isUnfolded };
    return html`<section class=${classMap(classes)} aria-label=${this.playerOf(row)}>
      <button class="strip-head" aria-expanded=${isUnfolded} @click=${unfold}>
        ${zone.owner === null ? html`<span class="strip-name">${this.playerOf(row)}</span>` : this.plate(zone.owner)}
      </button>
      ${this.tally(row)} ${this.packet === zone ? nothing : this.bars(zone, false)}
    </section>`;
  }

  /**
   * The tricks won, and beside them the announcement, turned sideways.
   * @param {string} row
   * @param {boolean} [hasWords]
   */
  tally(row, hasWords = false) {
    const { words } = this.view.facts;
    const { id, label, count } = /** @type {Zone} */ (this.zoneOf(`${row}.tricks`));
    const bid = /** @type {Zone} */ (this.zoneOf(`${row}.bid`));
    const [card] = bid.pieces;
    return html`<div class=${classMap({ tally: true, met: card?.face === String(count) })}>
      <span class="tricks" role="img" aria-label="${label}, ${count}" data-zone=${id}>${count}</span>
      ${hasWords ? html`<span class="tally-word" aria-hidden="true">${words.tricks}</span>` : nothing}
      <span class="bid" role="group" aria-label=${bid.label} data-zone=${bid.id}>
        ${card ? this.announced(card) : html`<span class="no-bid">?</span>`}
      </span>
      ${hasWords ? html`<span class="tally-word" aria-hidden="true">${words.bid}</span>` : nothing}
    </div>`;
  }

  /** @param {Piece} card */
  announced(card) {
    return this.picture(card, { look: "xylo-bid", face: html`${symbol(card.symbol)}${card.face}` });
  }

  // Bars

  /**
   * @param {Zone} zone
   * @param {boolean} isLarge whether its bars can be touched
   */
  bars(zone, isLarge) {
    const count = zone.pieces.length;
    const half = Math.ceil(count / 2);
    const rail = (/** @type {Piece} */ piece, /** @type {number} */ place) =>
      html`<span class="rail" .style=${`--shorter: ${place / (count - 1)}`}>
        ${this.bar(zone, piece, place, isLarge)}
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
   * @param {number} place
   * @param {boolean} isLarge
   */
  bar(zone, piece, place, isLarge) {
    const face = this.barFace(zone, piece, place);
    const look = "xylo-bar";
    return isLarge ? this.button(piece, { look, face, isFirst: place === 0 }) : this.picture(piece, { look, face });
  }

  /**
   * @param {Zone} zone
   * @param {Piece} piece
   * @param {number} place
   */
  barFace(zone, piece, place) {
    const isPeeked = piece.marks.includes("peeked") && !piece.marks.includes("empty");
    return html`
      ${piece.colour ? html`<span class="bar-symbol" aria-hidden="true">${symbol(piece.symbol)}</span>` : nothing}
      ${piece.colour ? this.barValue(zone, piece, place) : nothing}
      ${isPeeked ? html`<span class="bar-eye" aria-hidden="true">${icon("eye")}</span>` : nothing}
      <span class="bar-place" aria-hidden="true">${place + 1}</span>
    `;
  }

  /**
   * What the viewer knows of a bar: its value, or the lowest and the highest it can have.
   * @param {Zone} zone
   * @param {Piece} piece
   * @param {number} place
   */
  barValue(zone, piece, place) {
    const { ranges, rows } = this.view.facts;
    if (piece.face !== null) return html`<span class="bar-value" aria-hidden="true">${piece.face}</span>`;
    const [low, high] = ranges[rows.indexOf(zone.id)][place];
    return html`<span class="bar-range" aria-hidden="true">${low === high ? low : `${low}–${high}`}</span>`;
  }

  // The trick

  commonThings() {
    const { leader, trump, trump_symbol: picture, words } = this.view.facts;
    const zone = /** @type {Zone} */ (this.zoneOf("trick"));
    return html`<div class="trick-area">
      <span class="trump colour-${trump}" role="img" aria-label=${words.trump_is} title=${words.trump_is}>
        ${symbol(picture)}<span aria-hidden="true">${words.trump}</span>
      </span>
      <div class="trick" role="group" aria-label=${zone.label} data-zone="trick">
        ${this.rowsFrom(leader).map((row) => this.trickPlace(row, zone))}
      </div>
    </div>`;
  }

  /**
   * Where a row plays to the trick. Until the next card is led, the last trick can still be seen there.
   * @param {string} row
   * @param {Zone} zone
   */
  trickPlace(row, zone) {
    const { winning, leader } = this.view.facts;
    const isEmpty = zone.pieces.length === 0;
    const card = isEmpty ? this.lastCard(row) : zone.pieces.find(({ id }) => id === `trick.${row}`);
    const isBest = isEmpty ? Boolean(card) && row === leader : winning === row;
    const classes = { "trick-slot": true, led: !isEmpty && row === leader, best: isBest, old: isEmpty };
    return html`<figure class=${classMap(classes)}>
      ${card ? this.played(card) : html`<span class="slot" data-id="trick.${row}"></span>`}
      <figcaption>
        ${isBest ? icon("trophy") : nothing}<span>${row === this.ownRow ? say("table.you") : this.playerOf(row)}</span>
      </figcaption>
    </figure>`;
  }

  /** @param {Piece} card */
  played(card) {
    const face = html`<span class="bar-symbol" aria-hidden="true">${symbol(card.symbol)}</span>
      <span class="bar-value" aria-hidden="true">${card.face}</span>`;
    return this.picture(card, { look: "xylo-bar in-trick", face });
  }

  /** What a row played to the last trick of this round. @param {string} row @returns {Piece | null} */
  lastCard(row) {
    const { rows, last_trick: cards } = this.view.facts;
    const card = cards[rows.indexOf(row)];
    const isNewRound = rows.every((/** @type {string} */ each) => !this.zoneOf(`${each}.tricks`)?.count);
    if (!card || isNewRound) return null;
    const { colour, value, symbol, label } = card;
    return { id: `trick.${row}`, label, face: String(value), colour, symbol, marks: [] };
  }

  // My place: my row, or the packet that I am sorting

  ownThings() {
    const row = /** @type {Zone} */ (this.zoneOf(this.ownRow));
    const shown = this.packet ?? row;
    return html`
      <div class="own-head">
        ${this.packet ? html`<strong class="packet-name">${this.packet.label}</strong>` : this.tally(this.ownRow, true)}
        <span class="bar-space"></span>
        ${this.wholeChoice()}
      </div>
      ${this.bars(shown, true)}
    `;
  }

  /** To go on, or to leave the packet as it is: a choice that concerns no single bar. */
  wholeChoice() {
    const choice = this.view.choices.find(({ group }) => group === "pass" || group === "keep");
    if (!choice) return nothing;
    const [id] = choice.targets;
    return html`<button class="zone-target" data-id=${id} @click=${() => this.touch(id)}>${choice.label}</button>`;
  }

  // What the eye can follow, and the ear

  /** @returns {Journey[]} */
  journeys() {
    return this.told.flatMap((event) => (event.code === "won_trick" ? this.gathering(event) : this.journey(event)));
  }

  /** @param {ToldEvent} event @returns {Journey[]} */
  journey({ code, path }) {
    if (path.length < 2) return [];
    return [{ from: path[0], to: code === "played" ? `trick.${rowOf(path[0])}` : path[1], step: 0 }];
  }

  /** The trick goes to the tricks of its winner. @param {ToldEvent} event @returns {Journey[]} */
  gathering({ path }) {
    const cards = this.view.facts.rows.map((/** @type {string} */ row) => find(this, `trick.${row}`));
    const shown = cards.filter((/** @type {HTMLElement | null} */ card) => card?.matches(".piece"));
    return shown.map((/** @type {HTMLElement} */ card) => {
      const id = card.dataset.id ?? "";
      return { from: id, to: path[1], look: copy(card), step: 1 };
    });
  }

  animateMove() {
    super.animateMove();
    if (this.told.some(({ code }) => code === "spread")) deal(this, "trick", this.othersBars());
    const struck = this.told.filter(({ code }) => code === "played").map(({ path }) => rowOf(path[0]));
    struck.forEach((row, place) => note(this.struckValue(row), place * BETWEEN_NOTES));
  }

  /** What is dealt before one's eyes; the own row lies there at once, so that it can be touched. */
  othersBars() {
    return this.otherRows.flatMap((row) => this.zoneOf(row)?.pieces.map(({ id }) => id) ?? []);
  }

  /** The value of the card that a row has just played. @param {string} row */
  struckValue(row) {
    const card = this.zoneOf("trick")?.pieces.find(({ id }) => id === `trick.${row}`) ?? this.lastCard(row);
    return Number(card?.face ?? 0);
  }

  /** How a round ended. @param {ToldEvent[]} told */
  newsOf(told) {
    const end = told.find(({ code }) => code === "round_over");
    if (!end || this.view.end) return null;
    const { rows, words } = this.view.facts;
    const sentence = told.find(({ code }) => AUTOMATA_MET.includes(code))?.text;
    return html`<h2>${end.text}</h2>
      ${sentence ? html`<p>${sentence}</p>` : nothing}
      <table class="results">
        <thead>
          <tr>
            <td></td>
            <th scope="col">${words.bid}</th>
            <th scope="col">${words.tricks}</th>
            <th scope="col">${say("table.scores")}</th>
          </tr>
        </thead>
        <tbody>
          ${rows.map((/** @type {string} */ row, /** @type {number} */ place) => this.result(row, place))}
        </tbody>
      </table>`;
  }

  /**
   * @param {string} row
   * @param {number} place
   */
  result(row, place) {
    const { last_bids: bids, last_won: tricks, round_scores: points } = this.view.facts;
    const owner = this.zoneOf(row)?.owner ?? null;
    const isMet = bids[place].value === tricks[place];
    return html`<tr class=${isMet ? "met" : ""}>
      <th scope="row">${this.playerOf(row)}</th>
      <td>${bids[place].value}</td>
      <td>${tricks[place]} ${isMet ? icon("done") : nothing}</td>
      <td>${owner === null ? "–" : `+${points[owner]}`}</td>
    </tr>`;
  }
}

/** The row that a place belongs to: `seat1.3` is in `seat1`. @param {string} id */
const rowOf = (id) => id.split(".")[0];

/** Skyjo: everybody's four columns of three, and between them the piles with the card in hand. */

import { html, nothing } from "/vendor/lit.js";
import { Board } from "/parts/board.js";
import { deal, sweep } from "/parts/motion.js";
import { isBack, isEmpty } from "/parts/piece.js";
import { icon } from "/parts/symbols.js";

/** @typedef {import("/types.js").Piece} Piece */
/** @typedef {import("/types.js").Zone} Zone */

const HELD = "hand.card";

export default class SkyjoBoard extends Board {
  constructor() {
    super();
    /** Where a card that is being taken from the discard is to be laid. */
    this.intended = "";
  }

  /** The last move is marked where a card was laid, and where another went. */
  receive() {
    super.receive();
    this.lastPlaces = new Set(this.told.flatMap(({ path }) => (path.length > 1 ? path.slice(1) : path)));
  }

  // What lies where

  commonThings() {
    return html`<div class="piles">${this.pile("draw")} ${this.hand()} ${this.pile("discard")}</div>`;
  }

  ownThings() {
    const classes = this.hasLastTurn(this.own) ? "tableau-place has-last-turn" : "tableau-place";
    return html`<div class=${classes}>
      <div class="own-plate">${this.plate(this.own)}</div>
      ${this.tableau(this.own, (piece, place) => this.button(piece, { isFirst: place === 0, face: face(piece) }))}
    </div>`;
  }

  /** @param {number} seat */
  thingsOf(seat) {
    const classes = this.hasLastTurn(seat) ? "tableau-place has-last-turn" : "tableau-place";
    return html`<div class=${classes}>
      ${this.tableau(seat, (piece) => this.picture(piece, { face: face(piece) }))}
    </div>`;
  }

  /**
   * @param {number} seat
   * @param {(piece: Piece, place: number) => unknown} drawn
   */
  tableau(seat, drawn) {
    const zone = this.zoneOf(`seat${seat}`);
    if (!zone) return nothing;
    return html`<div class="tableau" role="group" aria-label=${zone.label} data-zone=${zone.id} data-columns="4">
      ${zone.pieces.map(drawn)}
    </div>`;
  }

  /** @param {string} id */
  pile(id) {
    const zone = /** @type {Zone} */ (this.zoneOf(id));
    const top = zone.pieces.at(-1) ?? bare(id, zone.label, zone.count === 0);
    const label = [zone.label, zone.pieces.at(-1)?.label, zone.count].filter((part) => part !== undefined).join(", ");
    return html`<div class="pile" data-zone=${id}>
      ${this.button(top, { id, label, isFirst: true, face: face(top), look: "is-pile" })}
      <span class="pile-count" aria-hidden="true">${zone.count}</span>
      <span class="pile-name" aria-hidden="true">${zone.label}</span>
    </div>`;
  }

  hand() {
    const zone = this.zoneOf("hand");
    const [card] = zone?.pieces ?? [];
    return html`<div class="pile hand" data-zone="hand">
      ${card ? this.picture(card, { face: face(card), look: zone?.owner === this.own ? "is-mine" : "" }) : html`<span class="slot"></span>`}
      <span class="pile-name">${card ? this.nameOf(zone?.owner ?? 0) : " "}</span>
    </div>`;
  }

  /** @param {number} seat */
  hasLastTurn(seat) {
    return this.view.facts.last_turns.includes(seat);
  }

  /** @param {number} seat */
  badges(seat) {
    const { ender, open_sums: sums, words } = this.view.facts;
    return html`
      ${ender === seat ? html`<span class="ender" role="img" aria-label=${words.ender} title=${words.ender}>${icon("flag")}</span>` : nothing}
      ${this.hasLastTurn(seat) ? html`<span class="last-turn">${words.last_turn}</span>` : nothing}
      <span class="open-sum" title=${words.open_sum}
        ><span class="visually-hidden">${words.open_sum}</span>${signed(sums[seat])}</span
      >
    `;
  }

  // By hand

  /** @param {string} id */
  lift(id) {
    return id === HELD ? this.zoneOf("hand")?.owner === this.own : super.lift(id);
  }

  /**
   * The card in hand goes where it is laid; a card from the discard may be laid on a place at once.
   * @param {string} id
   * @param {string[]} places
   */
  drop(id, places) {
    const [place] = places;
    if (id === HELD) {
      if (place) this.touch(place);
      return;
    }
    if (id === "discard" && place?.startsWith(`seat${this.own}.`)) this.intended = place;
    super.drop(id, places);
  }

  /** @param {Map<string, unknown>} changed */
  updated(changed) {
    super.updated(changed);
    if (!changed.has("view") || !this.intended || !this.view.choices.length) return;
    const place = this.intended;
    this.intended = "";
    if (this.next.has(place)) setTimeout(() => this.touch(place));
  }

  // What the eye can follow

  animateMove() {
    const isNewDeal = this.told.some(({ code }) => code === "dealt");
    if (isNewDeal) {
      const cells = this.view.zones.filter(({ kind }) => kind === "grid").flatMap(({ pieces }) => pieces);
      deal(
        this,
        "draw",
        cells.filter((piece) => !isEmpty(piece)).map(({ id }) => id),
      );
      return;
    }
    super.animateMove();
    sweep(this, this.cleared(), "discard");
  }

  /** A swap is two ways: from the hand to its place, and from there to the discard. */
  journeys() {
    return this.told.flatMap(({ code, path }) => {
      if (code === "cleared" || path.length < 2) return [];
      if (path.length === 2) return [{ from: path[0], to: path[1] }];
      const [hand, cell, discard] = path;
      return [
        { from: hand, to: cell },
        { from: cell, to: discard, step: 1 },
      ];
    });
  }

  /** What has just left a tableau; all were equal, so that one that lay open before shows how they looked. */
  cleared() {
    const isGone = (/** @type {string} */ id) =>
      this.view.zones.some(({ pieces }) => pieces.some((piece) => piece.id === id && isEmpty(piece)));
    const left = [...this.earlier].filter(([id, { look }]) => !look.matches(".is-empty") && isGone(id));
    const laid = this.told.map(({ path }) => path[1]);
    const model = left.find(([id, { look }]) => look.matches(".is-open") && !laid.includes(id))?.[1].look;
    return left.map(([, { box, look }]) => ({
      box,
      look: /** @type {HTMLElement} */ ((model ?? look).cloneNode(true)),
    }));
  }

  /** @param {import("/types.js").ToldEvent[]} told */
  momentOf(told) {
    return told.find(({ code }) => code === "ended_round" || code === "cleared")?.text ?? "";
  }

  /** @param {import("/types.js").ToldEvent[]} told */
  newsOf(told) {
    if (!told.some(({ code }) => code === "round_over")) return null;
    const { words, round_scores: points, doubled } = this.view.facts;
    return html`<h2>${words.round_over}</h2>
      <table class="scores">
        <thead>
          <tr>
            <td></td>
            <th scope="col">${words.round}</th>
            <th scope="col">${words.total}</th>
          </tr>
        </thead>
        <tbody>
          ${this.seats.map(
            ({ seat }) =>
              html`<tr class=${seat === this.own ? "you" : ""}>
                <th scope="row">${this.nameOf(seat)}</th>
                <td>
                  ${signed(points[seat])}
                  ${doubled === seat ? html`<span class="doubled">×2 ${words.doubled}</span>` : nothing}
                </td>
                <td>${this.view.scores[seat]}</td>
              </tr>`,
          )}
        </tbody>
      </table>`;
  }
}

/** The number large, and small in the corner as on a printed card. @param {Piece} piece */
function face(piece) {
  if (isEmpty(piece)) return nothing;
  if (isBack(piece)) return html`<span class="linen" aria-hidden="true"></span>`;
  const number = (piece.face ?? "").replace("-", "−");
  return html`<span class="band" data-value=${piece.face ?? ""} aria-hidden="true"
    ><span class="index">${number}</span><span class="numeral" data-length=${number.length}>${number}</span></span
  >`;
}

/**
 * A pile whose top card shows its back, or that is empty.
 * @param {string} id
 * @param {string} label
 * @param {boolean} isUsedUp
 * @returns {Piece}
 */
function bare(id, label, isUsedUp) {
  return { id, label, face: null, colour: null, symbol: null, marks: isUsedUp ? ["empty"] : [] };
}

/** @param {number} points */
const signed = (points) => `${points < 0 ? "−" : "+"}${Math.abs(points)}`;

/** Skyjo: the tableaus of all players, and between them the piles and the drawn card. */

import { html, nothing } from "/vendor/lit.js";
import { Board } from "/parts/board.js";
import { deal, sweep } from "/parts/motion.js";
import { isBack, isEmpty } from "/parts/piece.js";
import { icon } from "/parts/symbols.js";

/** @typedef {import("/types.js").Piece} Piece */
/** @typedef {import("/types.js").Zone} Zone */
/** @typedef {import("/types.js").GameEvent} GameEvent */

const DRAWN_CARD = "hand.card";

export default class SkyjoBoard extends Board {
  constructor() {
    super();
    /** The cell on which the card taken from the discard was dropped. */
    this.dropCell = "";
  }

  /** Mark both cells of a swap: where a card was laid, and where the other went. */
  viewChanged() {
    super.viewChanged();
    this.lastTargets = new Set(this.events.flatMap(({ path }) => (path.length > 1 ? path.slice(1) : path)));
  }

  // Areas

  commonArea() {
    return html`<div class="piles">${this.pile("draw")} ${this.hand()} ${this.pile("discard")}</div>`;
  }

  ownArea() {
    const classes = this.hasLastTurn(this.own) ? "tableau-frame has-last-turn" : "tableau-frame";
    return html`<div class=${classes}>
      <div class="own-nameplate">${this.nameplate(this.own)}</div>
      ${this.tableau(this.own, (piece, index) => this.button(piece, { isTabStop: index === 0, face: face(piece) }))}
    </div>`;
  }

  /** @param {number} seat */
  seatArea(seat) {
    const classes = this.hasLastTurn(seat) ? "tableau-frame has-last-turn" : "tableau-frame";
    return html`<div class=${classes}>
      ${this.tableau(seat, (piece) => this.picture(piece, { face: face(piece) }))}
    </div>`;
  }

  /**
   * @param {number} seat
   * @param {(piece: Piece, index: number) => unknown} drawCard
   */
  tableau(seat, drawCard) {
    const zone = this.zoneOf(`seat${seat}`);
    if (!zone) return nothing;
    return html`<div class="tableau" role="group" aria-label=${zone.label} data-zone=${zone.id} data-columns="4">
      ${zone.pieces.map(drawCard)}
    </div>`;
  }

  /** @param {string} id */
  pile(id) {
    const zone = this.zoneOf(id);
    if (!zone) return html`<div class="pile"><span class="slot"></span></div>`; // unknown in the view of a finished round
    const top = zone.pieces.at(-1) ?? pileTop(id, zone.label, zone.count === 0);
    const label = [zone.label, zone.pieces.at(-1)?.label, zone.count].filter((part) => part !== undefined).join(", ");
    return html`<div class="pile" data-zone=${id}>
      ${this.button(top, { id, label, isTabStop: true, face: face(top), look: "is-pile" })}
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
        ><span class="open-sum-words">${words.open_sum}</span> ${signed(sums[seat])}</span
      >
    `;
  }

  // Dragging

  /** @param {string} id */
  pickUp(id) {
    return id === DRAWN_CARD ? this.zoneOf("hand")?.owner === this.own : super.pickUp(id);
  }

  /**
   * The drawn card is played where it is dropped; a card from the discard is taken and then laid on the cell.
   * @param {string} id
   * @param {string[]} targets
   */
  drop(id, targets) {
    const [target] = targets;
    if (id === DRAWN_CARD) {
      if (target) this.select(target);
      return;
    }
    if (id === "discard" && target?.startsWith(`seat${this.own}.`)) this.dropCell = target;
    super.drop(id, targets);
  }

  /** @param {Map<string, unknown>} changed */
  updated(changed) {
    super.updated(changed);
    if (!changed.has("view") || !this.dropCell || !this.view.choices.length) return;
    const cell = this.dropCell;
    this.dropCell = "";
    if (this.next.has(cell)) setTimeout(() => this.select(cell));
  }

  // Animations

  animateMove() {
    if (this.events.some(({ code }) => code === "dealt") && !this.view.round) {
      this.animateDeal();
      return;
    }
    super.animateMove();
    sweep(this, this.clearedCards(), "discard");
  }

  animateDeal() {
    const cells = this.view.zones.filter(({ kind }) => kind === "grid").flatMap(({ pieces }) => pieces);
    const ids = cells.filter((piece) => !isEmpty(piece)).map(({ id }) => id);
    deal(this, "draw", ids);
  }

  /** A swap is two movements: from the hand to the cell, and from the cell to the discard. */
  movements() {
    return this.events.flatMap(({ code, path }) => {
      if (code === "cleared" || path.length < 2) return [];
      if (path.length === 2) return [{ from: path[0], to: path[1] }];
      const [hand, cell, discard] = path;
      return [
        { from: hand, to: cell },
        { from: cell, to: discard, step: 1 },
      ];
    });
  }

  /** The cards that just left a tableau. All are equal, so one that was open before shows how they look. */
  clearedCards() {
    const isGone = (/** @type {string} */ id) =>
      this.view.zones.some(({ pieces }) => pieces.some((piece) => piece.id === id && isEmpty(piece)));
    const left = [...this.snapshots].filter(([id, { clone }]) => !clone.matches(".is-empty") && isGone(id));
    const laid = this.events.map(({ path }) => path[1]);
    const model = left.find(([id, { clone }]) => clone.matches(".is-open") && !laid.includes(id))?.[1].clone;
    return left.map(([, { box, clone }]) => ({
      box,
      clone: /** @type {HTMLElement} */ ((model ?? clone).cloneNode(true)),
    }));
  }

  /** @param {GameEvent[]} events */
  bannerText(events) {
    return events.find(({ code }) => code === "ended_round" || code === "cleared")?.text ?? "";
  }

  /** @param {GameEvent[]} events */
  roundSummaryOf(events) {
    if (!events.some(({ code }) => code === "round_over")) return null;
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

/** The number, large and small in the corner, as on a printed card. @param {Piece} piece */
function face(piece) {
  if (isEmpty(piece)) return nothing;
  if (isBack(piece)) return html`<span class="linen" aria-hidden="true"></span>`;
  const number = (piece.face ?? "").replace("-", "−");
  return html`<span class="band" data-value=${piece.face ?? ""} aria-hidden="true"
    ><span class="index">${number}</span><span class="numeral" data-length=${number.length}>${number}</span></span
  >`;
}

/**
 * The top of a pile without an open card: a back, or an empty slot.
 * @param {string} id
 * @param {string} label
 * @param {boolean} isEmptied
 * @returns {Piece}
 */
function pileTop(id, label, isEmptied) {
  return { id, label, face: null, colour: null, symbol: null, marks: isEmptied ? ["empty"] : [] };
}

/** @param {number} points */
const signed = (points) => `${points < 0 ? "−" : "+"}${Math.abs(points)}`;

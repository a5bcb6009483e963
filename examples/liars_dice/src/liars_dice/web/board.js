/** Liar's dice: everyone's dice, the bid in the middle, and the numbers and faces to bid with. */

import { html, nothing } from "/vendor/lit.js";
import { Board } from "/parts/board.js";

/** @typedef {import("/types.js").Piece} Piece */

/** Where the pips of each face are, on a grid of three by three fields. */
const PIPS = [[], [4], [0, 8], [0, 4, 8], [0, 2, 6, 8], [0, 2, 4, 6, 8], [0, 2, 3, 5, 6, 8]];

export default class extends Board {
  constructor() {
    super();
    this.material = "wood"; // the sound of dice
  }

  commonArea() {
    return html`<div class="bid">${this.bid()}</div>
      ${this.bidding("counts", "bid-counts")} ${this.bidding("faces", "bid-faces")}`;
  }

  ownArea() {
    return this.dice(this.own);
  }

  /** @param {number} seat */
  seatArea(seat) {
    return this.dice(seat);
  }

  /** Mark who made the bid. @param {number} seat */
  badges(seat) {
    if (seat !== this.view.facts.bidder) return nothing;
    const [count, face] = this.zoneOf("bid")?.pieces ?? [];
    return count && face ? html`<span class="bid-badge">${count.face}${face.face}</span>` : nothing;
  }

  /** The dice of a seat. @param {number} seat */
  dice(seat) {
    const zone = this.zoneOf(`seat${seat}`);
    if (!zone) return nothing;
    return html`<div class="cup" data-zone=${zone.id} role="group" aria-label=${zone.label}>
      ${zone.pieces.map((piece) => this.picture(piece, { look: "die", face: pips(piece) }))}
    </div>`;
  }

  /** The bid, and the button that doubts it. */
  bid() {
    const zone = this.zoneOf("bid");
    if (!zone) return nothing;
    const [count, face] = zone.pieces;
    return html`<div class="bid-shown" data-zone="bid" role="group" aria-label=${zone.label}>
        ${count && face ? [html`<span class="bid-number" role="img" aria-label=${count.label}>${count.face}</span>`, this.picture(face, { look: "die", face: pips(face) })] : html`<span class="bid-none">${zone.label}</span>`}
      </div>
      <button
        class=${this.next.has("bid") ? "doubt is-next" : "doubt"}
        data-id="bid"
        aria-disabled=${this.next.has("bid") ? nothing : "true"}
        tabindex=${this.next.has("bid") ? 0 : -1}
        @click=${() => this.select("bid")}
      >
        ${this.view.facts.doubt}
      </button>`;
  }

  /**
   * The numbers or the faces that a bid is made of. A view of a finished round has none.
   * @param {string} id
   * @param {string} look
   */
  bidding(id, look) {
    const zone = this.zoneOf(id);
    if (!zone) return html`<div class=${look}></div>`;
    const isFaces = id === "faces";
    return html`<div class=${look} data-zone=${id} role="group" aria-label=${zone.label}>
      ${zone.pieces.map((piece) => this.button(piece, { look: isFaces ? "die" : "number", face: isFaces ? pips(piece) : html`<span class="numeral">${piece.face}</span>` }))}
    </div>`;
  }
}

/** The pips of a die; the back of one that is hidden. @param {Piece} piece */
function pips(piece) {
  if (piece.face === null) return html`<span class="under-cup" aria-hidden="true">?</span>`;
  const shown = new Set(PIPS[Number(piece.face)]);
  return html`<span class="pips" aria-hidden="true">
    ${Array.from({ length: 9 }, (_, index) => html`<span class=${shown.has(index) ? "pip" : ""}></span>`)}
  </span>`;
}

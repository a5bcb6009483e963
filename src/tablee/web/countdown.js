/** The clock of a table: what is left for the move, or of the rest between two rounds. */

/** @typedef {import("./types.js").TableShown} TableShown */

export class Countdown {
  constructor() {
    this.number = 0; // of the event that set the clock
    this.ends = 0; // in seconds of this device, whose clock may differ from the server's
  }

  /** The seconds left, null without a clock. @param {TableShown} table */
  secondsLeft(table) {
    const deadline = table.resting ? table.resting.deadline : table.phase === "playing" ? table.deadline : null;
    if (!deadline) return null;
    if (this.number !== table.number) {
      this.number = table.number;
      this.ends = Date.now() / 1000 + deadline - table.now;
    }
    return Math.max(0, Math.round(this.ends - Date.now() / 1000));
  }
}

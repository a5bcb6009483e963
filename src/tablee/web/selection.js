/** Selecting a move by picking its targets. Pure: no elements, so that every board can use it. */

/** @typedef {import("./types.js").Choice} Choice */
/** @typedef {import("./types.js").View} View */
/** @typedef {import("./types.js").Zone} Zone */

/**
 * The targets selected so far, and what they can become.
 * @typedef {object} Selection
 * @property {string[]} selected ids of pieces and zones, in order
 * @property {Set<string>} next ids that can be selected next
 * @property {Choice[]} complete choices whose targets are all selected
 */

/**
 * Return the selection of these targets.
 * @param {View} view
 * @param {string[]} selected
 * @returns {Selection}
 */
export function selectionOf(view, selected) {
  const zones = zonesById(view);
  const matching = view.choices.filter((choice) => matches(choice, selected, zones));
  const next = new Set(matching.flatMap((choice) => nextTargets(choice, selected, zones)));
  const complete = matching.filter((choice) => choice.targets.length === selected.length);
  return { selected, next, complete };
}

/**
 * Select a piece or zone: add it, remove it if it was selected, or start over with it. Null if no choice contains it.
 * @param {View} view
 * @param {string[]} selected
 * @param {string} id
 * @returns {Selection | null}
 */
export function select(view, selected, id) {
  const { next } = selectionOf(view, selected);
  const candidates = [id, zonesById(view).get(id)?.id ?? id]; // a piece also stands for its zone
  const added = candidates.find((candidate) => next.has(candidate));
  if (added !== undefined) return selectionOf(view, [...selected, added]);
  const removed = candidates.find((candidate) => selected.includes(candidate));
  if (removed !== undefined) return selectionOf(view, selected.filter((other) => other !== removed));
  const first = selectionOf(view, []).next;
  const started = candidates.find((candidate) => first.has(candidate));
  return started === undefined ? null : selectionOf(view, [started]);
}

/**
 * The choice that the selection stands for, if it is complete and cannot be extended.
 * @param {Selection} selection
 * @returns {Choice | null}
 */
export function decidedChoice({ selected, next, complete }) {
  return selected.length > 0 && complete.length === 1 && next.size === 0 ? complete[0] : null;
}

/**
 * @param {View} view
 * @returns {Map<string, Zone>} the zone of every piece, and every zone itself
 */
export function zonesById(view) {
  const zones = new Map();
  for (const zone of view.zones) {
    zones.set(zone.id, zone);
    for (const piece of zone.pieces) zones.set(piece.id, zone);
  }
  return zones;
}

/**
 * Whether the targets may be selected in any order: several cards of one hand may, a piece and its destination may not.
 * @param {Choice} choice
 * @param {Map<string, Zone>} zones
 */
function isUnordered(choice, zones) {
  const zone = zones.get(choice.targets[0]);
  const isHand = zone?.kind === "fan" || zone?.kind === "row";
  return isHand && choice.targets.every((target) => zones.get(target) === zone);
}

/**
 * @param {Choice} choice
 * @param {string[]} selected
 * @param {Map<string, Zone>} zones
 */
function matches(choice, selected, zones) {
  if (isUnordered(choice, zones)) return selected.every((id) => choice.targets.includes(id));
  return selected.every((id, index) => choice.targets[index] === id);
}

/**
 * @param {Choice} choice
 * @param {string[]} selected
 * @param {Map<string, Zone>} zones
 */
function nextTargets(choice, selected, zones) {
  if (isUnordered(choice, zones)) return choice.targets.filter((id) => !selected.includes(id));
  return choice.targets.slice(selected.length, selected.length + 1);
}

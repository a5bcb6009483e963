/** Making a move by touching what it concerns, in order. Pure: no elements here, so that every board can use it. */

/** @typedef {import("./types.js").Choice} Choice */
/** @typedef {import("./types.js").View} View */

/**
 * What can come of the things picked so far.
 * @typedef {object} Picking
 * @property {string[]} picked ids, in order
 * @property {Set<string>} next ids that lead on from here
 * @property {Choice[]} complete choices that ask for nothing more
 */

/**
 * See where the picked things lead.
 * @param {View} view
 * @param {string[]} picked
 * @returns {Picking}
 */
export function follow(view, picked) {
  const zones = zonesOfIds(view);
  const fitting = view.choices.filter((choice) => fits(choice, picked, zones));
  const next = new Set(fitting.flatMap((choice) => continuations(choice, picked, zones)));
  const complete = fitting.filter((choice) => choice.targets.length === picked.length);
  return { picked, next, complete };
}

/**
 * Touch something: it is added, taken back, or begins anew. Null if nothing can come of it.
 * @param {View} view
 * @param {string[]} picked
 * @param {string} id of a piece or zone
 * @returns {Picking | null}
 */
export function touch(view, picked, id) {
  const now = follow(view, picked);
  const candidates = [id, zonesOfIds(view).get(id)?.id ?? id];
  for (const candidate of candidates) {
    if (now.next.has(candidate)) return follow(view, [...picked, candidate]);
  }
  for (const candidate of candidates) {
    if (picked.includes(candidate))
      return follow(
        view,
        picked.filter((other) => other !== candidate),
      );
  }
  const fresh = follow(view, []);
  for (const candidate of candidates) {
    if (fresh.next.has(candidate)) return follow(view, [candidate]);
  }
  return null;
}

/**
 * The one choice that the picked things mean, if nothing can be added to them.
 * @param {Picking} picking
 * @returns {Choice | null}
 */
export function decided({ picked, next, complete }) {
  return picked.length > 0 && complete.length === 1 && next.size === 0 ? complete[0] : null;
}

/**
 * Guess the text of a move that is not possible, so that the server can say why: another choice's text with this
 * thing's name in it ("flip a1" for "flip b2"), or a text that once belonged to it.
 * @param {View} view
 * @param {string[]} picked
 * @param {string} id
 * @param {Map<string, string>} known texts by id
 * @returns {string | null}
 */
export function guessText(view, picked, id, known) {
  const zone = zonesOfIds(view).get(id);
  for (const choice of view.choices) {
    const target = choice.targets[picked.length];
    const isAlike =
      target !== undefined && isSibling(target, id, zone) && picked.every((p, i) => choice.targets[i] === p);
    if (isAlike) return renamed(choice.text, localName(target), localName(id));
  }
  return known.get(id) ?? null;
}

/**
 * @param {string} target
 * @param {string} id
 * @param {import("./types.js").Zone | undefined} zone
 */
function isSibling(target, id, zone) {
  return zone !== undefined && zone.kind !== "fan" && zone.pieces.some((piece) => piece.id === target) && target !== id;
}

/**
 * @param {string} text
 * @param {string} old
 * @param {string} name
 */
function renamed(text, old, name) {
  const words = text.split(" ");
  return words.includes(old) ? words.map((word) => (word === old ? name : word)).join(" ") : null;
}

/** @param {string} id */
const localName = (id) => id.slice(id.lastIndexOf(".") + 1);

/**
 * @param {View} view
 * @returns {Map<string, import("./types.js").Zone>} the zone of every piece, and of itself
 */
export function zonesOfIds(view) {
  const zones = new Map();
  for (const zone of view.zones) {
    zones.set(zone.id, zone);
    for (const piece of zone.pieces) zones.set(piece.id, zone);
  }
  return zones;
}

/**
 * Several cards out of one hand may be touched in any order; from one place to another, order matters.
 * @param {Choice} choice
 * @param {Map<string, import("./types.js").Zone>} zones
 */
function isUnordered(choice, zones) {
  const zone = zones.get(choice.targets[0]);
  const isHand = zone?.kind === "fan" || zone?.kind === "row";
  return isHand && choice.targets.every((target) => zones.get(target) === zone);
}

/**
 * @param {Choice} choice
 * @param {string[]} picked
 * @param {Map<string, import("./types.js").Zone>} zones
 */
function fits(choice, picked, zones) {
  if (isUnordered(choice, zones)) return picked.every((id) => choice.targets.includes(id));
  return picked.every((id, place) => choice.targets[place] === id);
}

/**
 * @param {Choice} choice
 * @param {string[]} picked
 * @param {Map<string, import("./types.js").Zone>} zones
 */
function continuations(choice, picked, zones) {
  if (isUnordered(choice, zones)) return choice.targets.filter((id) => !picked.includes(id));
  return choice.targets.slice(picked.length, picked.length + 1);
}

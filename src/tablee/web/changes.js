/** Changes of a table: a JSON Patch (RFC 6902) that only replaces values, and adds or removes elements of lists. */

/** @typedef {import("./types.js").Change} Change */

/**
 * Return a value after changes. The value itself, and all parts of it that do not change, stay as they are.
 * @template T
 * @param {T} value
 * @param {Change[]} changes
 * @returns {T}
 */
export function applyChanges(value, changes) {
  return changes.reduce((before, change) => applyChange(before, change, keysOf(change.path)), value);
}

/** @param {string} path */
function keysOf(path) {
  const keys = path.split("/").slice(1);
  return keys.map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/**
 * @param {any} value
 * @param {Change} change
 * @param {string[]} keys from `value` to what changes
 * @returns {any}
 */
function applyChange(value, change, [key, ...others]) {
  if (key === undefined) return change.value;
  const copy = Array.isArray(value) ? [...value] : { ...value };
  if (others.length || change.op === "replace") copy[key] = applyChange(value[key], change, others);
  else if (change.op === "add") copy.splice(Number(key), 0, change.value);
  else copy.splice(Number(key), 1);
  return copy;
}

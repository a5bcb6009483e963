/** The sounds of the table, made as they are needed; silent unless the player wants them and the browser lets us. */

import { setting } from "./settings.js";

const LOWEST = 523.25; // hertz: the c of a toy xylophone
const MAJOR = [0, 2, 4, 5, 7, 9, 11]; // semitones

/** @type {AudioContext | null} */
let audio = null;

/** Browsers refuse sounds before the first touch. */
function isAudible() {
  return setting("sound") === "on" && (navigator.userActivation?.hasBeenActive ?? false);
}

/**
 * @typedef {object} Tone
 * @property {OscillatorType} type
 * @property {number} frequency
 * @property {number} [glide] the frequency it ends with
 * @property {number} delay in seconds
 * @property {number} length
 * @property {number} loudness
 */

/** @param {Tone} tone */
function sound({ type, frequency, glide = frequency, delay, length, loudness }) {
  audio ??= new AudioContext();
  const start = audio.currentTime + delay;
  const oscillator = audio.createOscillator();
  const gain = audio.createGain();
  oscillator.type = type;
  oscillator.frequency.setValueAtTime(frequency, start);
  oscillator.frequency.exponentialRampToValueAtTime(glide, start + length * 0.75);
  gain.gain.setValueAtTime(loudness, start);
  gain.gain.exponentialRampToValueAtTime(0.001, start + length);
  oscillator.connect(gain).connect(audio.destination);
  oscillator.start(start);
  oscillator.stop(start + length);
}

/** Knock softly on wood, twice. */
export function knock() {
  if (!isAudible()) return;
  for (const delay of [0, 0.13])
    sound({ type: "triangle", frequency: 420, glide: 180, delay, length: 0.12, loudness: 0.18 });
}

/**
 * Strike a bar of a xylophone.
 * @param {number} step of the scale, 0 for the lowest
 * @param {number} [delay]
 */
export function note(step, delay = 0) {
  if (!isAudible()) return;
  const semitones = MAJOR[step % MAJOR.length] + 12 * Math.floor(step / MAJOR.length);
  const frequency = LOWEST * 2 ** (semitones / 12);
  sound({ type: "sine", frequency, delay, length: 0.7, loudness: 0.2 });
  sound({ type: "sine", frequency: frequency * 4, delay, length: 0.12, loudness: 0.06 });
}

/** The sounds of the table, synthesized; silent if the player or the browser does not allow them. */

import { setting } from "./settings.js";

const LOWEST = 523.25; // hertz: c", the lowest note of a toy xylophone
const MAJOR = [0, 2, 4, 5, 7, 9, 11]; // semitones

/** @type {AudioContext | null} */
let audio = null;

/** Browsers refuse sound and vibration before the first user action. */
const isAllowed = () => navigator.userActivation?.hasBeenActive ?? false;

const isAudible = () => setting("sound") === "on" && isAllowed();

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
function playTone({ type, frequency, glide = frequency, delay, length, loudness }) {
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

/** Signal by sound and vibration that it is the player's turn, as far as settings and browser allow. */
export function playTurnSignal() {
  knock();
  if (setting("vibration") === "on" && isAllowed()) navigator.vibrate?.(60);
}

/** Two soft knocks on wood. */
function knock() {
  if (!isAudible()) return;
  for (const delay of [0, 0.13])
    playTone({ type: "triangle", frequency: 420, glide: 180, delay, length: 0.12, loudness: 0.18 });
}

/**
 * By material, frequency (hertz), length (seconds) and loudness of the hiss of a sliding piece and of its knock.
 * @type {Record<string, {hiss: [number, number, number], knock: [number, number, number]}>}
 */
const MATERIALS = {
  card: { hiss: [2600, 0.09, 0.1], knock: [180, 0.05, 0.05] },
  tile: { hiss: [5200, 0.025, 0.09], knock: [1650, 0.05, 0.07] },
  wood: { hiss: [900, 0.05, 0.05], knock: [330, 0.09, 0.16] },
};
const MAX_SOUNDS = 4; // for pieces that move together

/**
 * Play the sounds of pieces that are put down one after the other.
 * @param {string} material
 * @param {number} count
 */
export function playPutDown(material, count) {
  if (!isAudible()) return;
  const { hiss: slide, knock: impact } = MATERIALS[material];
  for (let piece = 0; piece < Math.min(count, MAX_SOUNDS); piece += 1) {
    const delay = 0.16 + piece * 0.07; // when the animation has ended
    playNoise(...slide, delay);
    const [frequency, length, loudness] = impact;
    playTone({ type: "triangle", frequency, glide: frequency * 0.7, delay: delay + 0.02, length, loudness });
  }
}

/**
 * Play noise filtered around a frequency.
 * @param {number} frequency
 * @param {number} length
 * @param {number} loudness
 * @param {number} delay
 */
function playNoise(frequency, length, loudness, delay) {
  audio ??= new AudioContext();
  const start = audio.currentTime + delay;
  const source = audio.createBufferSource();
  source.buffer = noiseBuffer(audio);
  const filter = audio.createBiquadFilter();
  filter.type = "bandpass";
  filter.frequency.value = frequency;
  const gain = audio.createGain();
  gain.gain.setValueAtTime(0.001, start);
  gain.gain.exponentialRampToValueAtTime(loudness, start + length * 0.3);
  gain.gain.exponentialRampToValueAtTime(0.001, start + length);
  source.connect(filter).connect(gain).connect(audio.destination);
  source.start(start);
  source.stop(start + length);
}

/** A fifth of a second of white noise, longer than any sound above. @param {AudioContext} context */
function noiseBuffer(context) {
  const buffer = context.createBuffer(1, context.sampleRate / 5, context.sampleRate);
  const samples = buffer.getChannelData(0);
  for (let sample = 0; sample < samples.length; sample += 1) samples[sample] = Math.random() * 2 - 1;
  return buffer;
}

/**
 * Play a note of a xylophone.
 * @param {number} step of the scale, 0 for the lowest
 * @param {number} [delay]
 */
export function playNote(step, delay = 0) {
  if (!isAudible()) return;
  const semitones = MAJOR[step % MAJOR.length] + 12 * Math.floor(step / MAJOR.length);
  const frequency = LOWEST * 2 ** (semitones / 12);
  playTone({ type: "sine", frequency, delay, length: 0.7, loudness: 0.2 });
  playTone({ type: "sine", frequency: frequency * 4, delay, length: 0.12, loudness: 0.06 });
}

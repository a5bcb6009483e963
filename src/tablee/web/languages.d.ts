/** The languages to choose from, their names by code; the server makes this module (docs/languages.md). */
export const LANGUAGES: Readonly<Record<string, string>>;
/** Words that lose their last letter before a vowel, by code. */
export const ELIDED: Readonly<Record<string, readonly string[]>>;

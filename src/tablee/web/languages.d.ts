/** The languages to choose from, their names by code; the server makes this module (docs/languages.md). */
export const LANGUAGES: Readonly<Record<string, string>>;

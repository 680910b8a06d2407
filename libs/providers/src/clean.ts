/** Longest text of a vendor that is shown to a client. */
const longest = 2_000;

const addresses = /\b(?:https?|wss?):\/\/[^\s"'<>]+|\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b/gi;
const keys = /\b(?:sk-|AIza|Bearer\s+)[A-Za-z0-9_\-.*]{4,}/g;

/** A vendor's words as a client may see them: without addresses, keys and endless length. */
export function cleanWords(text: string): string {
  return text.slice(0, longest).replaceAll(addresses, "[address]").replaceAll(keys, "[key]");
}

/** Longest text of a vendor that is shown to a client. */
const longest = 2_000;

const urls = /\b(?:https?|wss?|grpc):\/\/[^\s"'<>]+/gi;
const ipAddresses = /\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b|\[[0-9a-f:]{2,}\](?::\d+)?/gi;
/** Names with a port, and names of a private network. */
const hosts =
  /\b(?:[a-z0-9-]+(?:\.[a-z0-9-]+)+|localhost):\d{2,5}\b|\b[a-z0-9-]+(?:\.[a-z0-9-]+)*\.(?:local|internal|lan|svc)\b/gi;
const keys = /\b(?:sk-|AIza|Bearer\s+)[A-Za-z0-9_\-.*]{4,}/gi;

/** A vendor's words as a client may see them: without addresses, keys and endless length. */
export function cleanWords(text: string): string {
  return text
    .slice(0, longest)
    .replaceAll(urls, "[address]")
    .replaceAll(ipAddresses, "[address]")
    .replaceAll(hosts, "[address]")
    .replaceAll(keys, "[key]");
}

/** A vendor's code or field name; undefined for what is none, so that nothing else comes through this door. */
export function cleanName(text: unknown): string | undefined {
  return typeof text === "string" && /^[\w.[\]/-]{1,200}$/.test(text) ? text : undefined;
}

/** Maximum characters of a vendor's text that is shown to a client. */
const maxCharacters = 2_000;

const urlPattern = /\b(?:https?|wss?|grpc):\/\/[^\s"'<>]+/gi;
const ipPattern = /\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b|\[[0-9a-f:]{2,}\](?::\d+)?/gi;
/** IPv6 addresses without brackets. */
const bareIpv6Pattern =
  /(?<![\w:])(?:(?:[0-9a-f]{1,4}:){7}[0-9a-f]{1,4}|(?:(?:[0-9a-f]{1,4}:){1,6}|:):(?:[0-9a-f]{1,4}(?::[0-9a-f]{1,4}){0,6})?)(?!\w)/gi;
/** Host names with a port, and host names of private networks. */
const hostPattern =
  /\b(?:[a-z0-9-]+(?:\.[a-z0-9-]+)+|localhost):\d{2,5}\b|\b[a-z0-9-]+(?:\.[a-z0-9-]+)*\.(?:local|internal|lan|svc)\b/gi;
/** API keys by their usual prefixes, and bearer tokens. */
const keyPattern = /\b(?:sk-|AIza|ya29\.|jina_|gsk_|xai-|hf_|AKLT|LTAI|eyJ|Bearer\s+)[A-Za-z0-9_\-.*]{4,}/gi;

/** Returns a vendor's text for clients, without addresses and keys. */
export function cleanText(text: string): string {
  return text
    .slice(0, maxCharacters)
    .replaceAll(urlPattern, "[address]")
    .replaceAll(ipPattern, "[address]")
    .replaceAll(bareIpv6Pattern, "[address]")
    .replaceAll(hostPattern, "[address]")
    .replaceAll(keyPattern, "[key]");
}

/**
 * Returns a text if it is a plain name, such as an error code or a field's name; undefined for any other text, which
 * clients must not see.
 */
export function cleanName(text: unknown): string | undefined {
  return typeof text === "string" && /^[\w.[\]/-]{1,200}$/.test(text) ? text : undefined;
}

/** Maximum characters of a vendor's text that is shown to a client. */
const maxCharacters = 2_000;

const urlPattern = /\b(?:https?|wss?|grpc):\/\/[^\s"'<>]+/gi;
const ipPattern = /\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b|\[[0-9a-f:]{2,}\](?::\d+)?/gi;
/** Matches IPv6 addresses without brackets: all eight groups, or fewer with two colons. */
const bareIpv6Pattern =
  /(?<![\w:])(?:(?:[0-9a-f]{1,4}:){7}[0-9a-f]{1,4}|(?:(?:[0-9a-f]{1,4}:){1,6}|:):(?:[0-9a-f]{1,4}(?::[0-9a-f]{1,4}){0,6})?)(?!\w)/gi;
/** Matches host names with a port, and host names of private networks. */
const hostPattern =
  /\b(?:[a-z0-9-]+(?:\.[a-z0-9-]+)+|localhost):\d{2,5}\b|\b[a-z0-9-]+(?:\.[a-z0-9-]+)*\.(?:local|internal|lan|svc)\b/gi;
/**
 * Matches API keys by their usual prefixes (OpenAI and most others, Google, Jina, Groq, xAI, Hugging Face, Volcengine,
 * Alibaba), and bearer tokens.
 */
const keyPattern = /\b(?:sk-|AIza|ya29\.|jina_|gsk_|xai-|hf_|AKLT|LTAI|eyJ|Bearer\s+)[A-Za-z0-9_\-.*]{4,}/gi;

/** Returns a vendor's text for clients: without addresses and keys, shortened to `maxCharacters`. */
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
 * Returns a vendor's error code or field name. Returns undefined for any other text, because it must not reach clients.
 */
export function cleanName(text: unknown): string | undefined {
  return typeof text === "string" && /^[\w.[\]/-]{1,200}$/.test(text) ? text : undefined;
}

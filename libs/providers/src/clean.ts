/** Maximum length of a vendor's text that is shown to a client, in characters. */
const longest = 2_000;

const urls = /\b(?:https?|wss?|grpc):\/\/[^\s"'<>]+/gi;
const ipAddresses = /\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b|\[[0-9a-f:]{2,}\](?::\d+)?/gi;
/** Matches IPv6 addresses without brackets: all eight groups, or two colons for zero groups. */
const bareIpv6 =
  /(?<![\w:])(?:(?:[0-9a-f]{1,4}:){7}[0-9a-f]{1,4}|(?:(?:[0-9a-f]{1,4}:){1,6}|:):(?:[0-9a-f]{1,4}(?::[0-9a-f]{1,4}){0,6})?)(?!\w)/gi;
/** Matches host names with a port, and names of a private network. */
const hosts =
  /\b(?:[a-z0-9-]+(?:\.[a-z0-9-]+)+|localhost):\d{2,5}\b|\b[a-z0-9-]+(?:\.[a-z0-9-]+)*\.(?:local|internal|lan|svc)\b/gi;
/**
 * Matches the usual prefixes of API keys (OpenAI and most others, Google, Jina, Groq, xAI, Hugging Face, Volcengine,
 * Alibaba) and bearer tokens.
 */
const keys = /\b(?:sk-|AIza|ya29\.|jina_|gsk_|xai-|hf_|AKLT|LTAI|eyJ|Bearer\s+)[A-Za-z0-9_\-.*]{4,}/gi;

/** Returns a vendor's message without addresses and keys, shortened to `longest`, for clients. */
export function cleanWords(text: string): string {
  return text
    .slice(0, longest)
    .replaceAll(urls, "[address]")
    .replaceAll(ipAddresses, "[address]")
    .replaceAll(bareIpv6, "[address]")
    .replaceAll(hosts, "[address]")
    .replaceAll(keys, "[key]");
}

/** Returns a vendor's code or field name; undefined for any other text, which must not reach clients. */
export function cleanName(text: unknown): string | undefined {
  return typeof text === "string" && /^[\w.[\]/-]{1,200}$/.test(text) ? text : undefined;
}

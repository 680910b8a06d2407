import type { ConfigurationProblem, Configuration } from "./schema.ts";

/** Purpose for which the encryption key of vendor keys in the books is derived from the secret. */
export const storedVendorKeysPurpose = "modelgate kept vendor keys";

/** Returns true if an API key can be sent in a header. */
export function isSendableKey(key: string): boolean {
  return /^[\x21-\x7e]+$/.test(key);
}

/** Returns the invalid keys of channels. Keys are never quoted, because this text is written to logs and terminals. */
export function* keyProblems({ channels }: Configuration): Iterable<ConfigurationProblem> {
  for (const [position, { keys = [] }] of channels.entries()) {
    for (const [index, key] of keys.entries()) {
      const path = `channels[${position}].keys[${index}]`;
      const message = keyProblem(key);
      if (message !== undefined) yield { path, message };
      else if (keys.indexOf(key) < index) yield { path, message: "appears more than once" };
    }
  }
}

function keyProblem(key: string): string | undefined {
  if (key.startsWith("env:"))
    return /^env:[A-Za-z_]\w*$/.test(key) ? undefined : "must be env: and the name of a variable";
  if (key.startsWith("file:")) return key === "file:" ? "must be file: and a path" : undefined;
  if (key.includes("${")) return "is not a key: write a variable as env:NAME";
  return isSendableKey(key)
    ? undefined
    : "contains characters that are not allowed in a header: white space or non-ASCII letters";
}

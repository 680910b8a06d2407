/** Maximum length of an account's id. */
const maxLength = 64;

/**
 * Returns whether a text can be the id of an account. Accounts whose ids are equal up to the first `~` share a shard of
 * Redis.
 */
export function isAccountId(text: string): boolean {
  return text.length <= maxLength && /^[A-Za-z0-9][A-Za-z0-9._-]*(?:~[A-Za-z0-9._-]+)?$/.test(text);
}

/** Returns an id for an account on the shard of the account `first`, with the name of `other`. */
export function idOnShardOf(first: string, other: string): string {
  const [shard = ""] = first.split("~");
  return `${shard}~${other.replaceAll("~", "-")}`.slice(0, maxLength);
}

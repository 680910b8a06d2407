const maxLength = 64;

/** Returns true if a text can be an account's id. Ids that are equal up to the first `~` share a shard. */
export function isAccountId(text: string): boolean {
  return text.length <= maxLength && /^[A-Za-z0-9][A-Za-z0-9._-]*(?:~[A-Za-z0-9._-]+)?$/.test(text);
}

/** Returns an id with the name of `other`, on the shard of the account `first`. */
export function idOnShardOf(first: string, other: string): string {
  const [shard = ""] = first.split("~");
  return `${shard}~${other.replaceAll("~", "-")}`.slice(0, maxLength);
}

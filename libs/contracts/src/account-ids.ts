const maxLength = 64;

/** Returns true if a text can be an account's id. Ids that are equal up to the first `~` share a shard. */
export function isAccountId(text: string): boolean {
  return text.length <= maxLength && /^[A-Za-z0-9][A-Za-z0-9._-]*(?:~[A-Za-z0-9._-]+)?$/.test(text);
}

/** Creates an account id from the id `other`. It is on the same shard as the account id `first`. */
export function idOnShardOf(first: string, other: string): string {
  const [prefix = ""] = first.split("~");
  return `${prefix}~${other.replaceAll("~", "-")}`.slice(0, maxLength);
}

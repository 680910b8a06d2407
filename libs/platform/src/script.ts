import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Redis } from "./redis.ts";

/** A Redis script with its one typed way in. */
export type Script<Reply> = (
  redis: Redis,
  keys: readonly string[],
  args: readonly (string | number)[],
) => Promise<Reply>;

/** Every script of this process, for loading them in advance. */
export const scriptSources = new Set<string>();

/**
 * Reads a .lua file beside its caller and makes the function that runs it: by digest, loading it only where the
 * server does not know it yet. `parse` turns the raw reply into what callers see and throws on what it cannot be.
 * Of several files, the first ones define the functions that the last one calls: a step that two scripts share.
 */
export function defineScript<Reply>(file: URL | readonly URL[], parse: (reply: unknown) => Reply): Script<Reply> {
  const files = file instanceof URL ? [file] : file;
  const source = files.map((each) => readFileSync(each, "utf8")).join("\n");
  scriptSources.add(source);
  const digest = createHash("sha1").update(source).digest("hex");
  return async (redis, keys, args) => {
    try {
      return parse(await redis.evalsha(digest, keys.length, ...keys, ...args));
    } catch (error) {
      if (!(error instanceof Error) || !error.message.startsWith("NOSCRIPT")) throw error;
      return parse(await redis.eval(source, keys.length, ...keys, ...args));
    }
  };
}

/** A reply that is a list, as strings; numbers are whole. Throws TypeError for anything else. */
export function replyList(reply: unknown): readonly string[] {
  if (!Array.isArray(reply)) throw new TypeError("a script answered something that is no list");
  return reply.map(String);
}

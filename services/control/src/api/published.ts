import { publishedKey, readPublished, type Published } from "@modelgate/catalog";
import type { Redis } from "@modelgate/platform";

/** The configuration that is published; undefined where none is yet. */
export async function readPublishedNow(redis: Redis): Promise<Published | undefined> {
  const text = await redis.get(publishedKey);
  return text === null ? undefined : readPublished(text);
}

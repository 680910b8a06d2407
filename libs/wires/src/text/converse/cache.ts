import { present } from "@modelgate/contracts";
import type { CacheHint, JsonObject } from "../hub/request.ts";
import type { Unsupported } from "../hub/unsupported.ts";

/** Blocks with the point behind them up to which the vendor keeps the prompt, where the client set one. */
export function withCachePoint(
  blocks: readonly JsonObject[],
  cache: CacheHint | undefined,
  { cachePoints, unsupported }: { readonly cachePoints: boolean; readonly unsupported: Unsupported },
): readonly JsonObject[] {
  if (cache === undefined || blocks.length === 0) return blocks;
  if (cachePoints) return [...blocks, { cachePoint: present({ type: "default", ttl: cache.lifetime }) }];
  unsupported.note("cache");
  return blocks;
}

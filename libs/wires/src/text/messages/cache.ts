import { present } from "@modelgate/contracts";
import type { Fields } from "../../json/fields.ts";
import type { CacheHint, JsonObject } from "../hub/request.ts";

/** `cache_control` of a block or a tool, as a member to spread; nothing where there is none. */
export function parseCache(of: Fields): { readonly cache?: CacheHint } {
  const control = of.fields("cache_control");
  if (control === undefined) return {};
  control.word("type", ["ephemeral"]);
  return { cache: present({ lifetime: control.word("ttl", ["5m", "1h"]) }) };
}

export function renderCache(cache: CacheHint | undefined): JsonObject | undefined {
  return cache === undefined ? undefined : present({ type: "ephemeral", ttl: cache.lifetime });
}

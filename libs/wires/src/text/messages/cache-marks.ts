import type { JsonObject, TextRequest } from "../hub/request.ts";
import { renderCache } from "./cache.ts";
import type { RenderedTurns } from "./render-turns.ts";

/** Blocks that cannot be marked. */
const unmarked: ReadonlySet<unknown> = new Set(["thinking", "redacted_thinking"]);

/**
 * Marks the prompt for the vendor's cache where the client wished for one as other wires say it: by a key, or by how long
 * it is kept. The vendor caches what is marked alone: the instructions, and all that was said so far.
 */
export function withCacheMarks(
  { system, messages }: RenderedTurns,
  { cacheKey, cacheRetention }: TextRequest,
): RenderedTurns {
  if (cacheKey === undefined && cacheRetention === undefined) return { system, messages };
  const cache_control = renderCache({ lifetime: cacheRetention === "24h" ? "1h" : undefined });
  const marked = (blocks: readonly JsonObject[]): readonly JsonObject[] => {
    const at = blocks.findLastIndex(({ type }) => !unmarked.has(type));
    return blocks.map((block, index) => (index === at ? { cache_control, ...block } : block));
  };
  const last = messages.length - 1;
  return {
    system:
      system === undefined ? undefined : marked(typeof system === "string" ? [{ type: "text", text: system }] : system),
    messages: messages.map((message, index) =>
      index === last ? { ...message, content: marked(message.content) } : message,
    ),
  };
}

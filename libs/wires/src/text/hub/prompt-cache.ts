import { present } from "@modelgate/contracts";
import type { CacheHint, Part } from "./part.ts";
import type { TextRequest } from "./request.ts";

/** Matches models whose vendor caches prompts automatically and accepts a retention. A name may follow a path. */
const cachesByItself = /(?:^|\/)gpt-(?:[5-9]|\d\d)/;

/**
 * Adapts a request to the caching of its model's vendor. With automatic caching it gets no marks; their longest
 * lifetime becomes the retention, unless the client sets one.
 */
export function cachedBy(model: string, request: TextRequest): TextRequest {
  const marks = cachesByItself.test(model) ? marksOf(request) : [];
  if (marks.length === 0) return request;
  const isLong = marks.some(({ lifetime }) => lifetime === "1h");
  return present({
    ...request,
    instructions: request.instructions.map(unmarked),
    turns: request.turns.map((turn) => ({ ...turn, parts: turn.parts.map(unmarkedDeep) })),
    tools: request.tools === undefined ? undefined : request.tools.map(unmarked),
    ...(isLong ? { cacheRetention: request.cacheRetention ?? "24h" } : {}),
  });
}

function marksOf({ instructions, turns, tools = [] }: TextRequest): readonly CacheHint[] {
  const parts: readonly object[] = [
    ...instructions,
    ...tools,
    ...turns.flatMap((turn) => turn.parts),
    ...turns.flatMap((turn) => turn.parts.flatMap((part) => (part.kind === "tool-result" ? part.parts : []))),
  ];
  return parts.flatMap((part: { readonly cache?: CacheHint | undefined }) => part.cache ?? []);
}

function unmarked<Marked extends object>(part: Marked): Marked {
  return "cache" in part ? { ...part, cache: undefined } : part;
}

function unmarkedDeep(part: Part): Part {
  return part.kind === "tool-result" ? { ...part, cache: undefined, parts: part.parts.map(unmarked) } : unmarked(part);
}

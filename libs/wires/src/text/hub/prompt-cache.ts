import { present } from "@modelgate/contracts";
import type { Fields } from "../../json/fields.ts";
import type { Unsupported } from "./field-support.ts";
import type { CacheHint, Part } from "./part.ts";
import type { JsonObject, TextRequest } from "./request.ts";

/** Matches models whose vendor caches prompts automatically and accepts a retention. The name may follow a path. */
const cachesByItself = /(?:^|\/)gpt-(?:[5-9]|\d\d)/;

/** Matches those of these models that accept breakpoints in the user's parts. */
const takesBreakpoints = /(?:^|\/)gpt-(?:5\.[6-9]|[6-9]|\d\d)/;

/**
 * Adapts the cache marks of a request to its model's vendor. If the vendor caches automatically, marks of the user's
 * parts become breakpoints if the model accepts them, and all other marks are removed. A mark of one hour becomes a
 * retention of 24 hours, unless the client sets one.
 */
export function cachedBy(model: string, request: TextRequest): TextRequest {
  const marks = cachesByItself.test(model) ? marksOf(request) : [];
  if (marks.length === 0) return request;
  const marked = takesBreakpoints.test(model) ? withBreakpoint : unmarkedDeep;
  const isLong = marks.some(({ lifetime }) => lifetime === "1h");
  return present({
    ...request,
    instructions: request.instructions.map(unmarked),
    turns: request.turns.map((turn) => ({
      ...turn,
      parts: turn.parts.map(turn.role === "user" ? marked : unmarkedDeep),
    })),
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

function withBreakpoint(part: Part): Part {
  const isInput = part.kind === "text" || part.kind === "image" || part.kind === "file";
  if (!isInput || part.cache === undefined) return unmarkedDeep(part);
  return { ...part, cache: { ...part.cache, isBreakpoint: true } };
}

/** Renders a mark as a part's breakpoint on OpenAI's wires; reports a mark that is not a breakpoint as lost. */
export function renderBreakpoint(cache: CacheHint | undefined, field: string, unsupported: Unsupported): JsonObject {
  if (cache?.isBreakpoint === true) return { prompt_cache_breakpoint: { mode: "explicit" } };
  unsupported.noteIf(field, cache);
  return {};
}

/** Reads the breakpoint of a part on OpenAI's wires; undefined if the part has none. */
export function parseBreakpoint(part: Fields): CacheHint | undefined {
  const breakpoint = part.fields("prompt_cache_breakpoint");
  if (breakpoint === undefined) return undefined;
  breakpoint.ignore("mode");
  return present({ lifetime: breakpoint.text("ttl") === "12h" ? ("1h" as const) : undefined });
}

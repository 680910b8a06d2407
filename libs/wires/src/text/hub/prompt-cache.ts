import { withoutUndefined } from "@modelgate/contracts";
import type { Fields, JsonRecord } from "@modelgate/formats/json";
import { unsupportedFailure, type Unsupported, type TextRequest } from "./request.ts";
import type { CacheHint, Part } from "./part.ts";
import { unlessEmpty } from "./render.ts";

/** Matches models whose vendor caches prompts automatically. */
const modelsWithAutomaticCache = /(?:^|\/)gpt-(?:[5-9]|\d\d)/;

/** Matches models with automatic caching that also accept breakpoints. */
const modelsWithBreakpoints = /(?:^|\/)gpt-(?:5\.[6-9]|[6-9]|\d\d)/;

/** Matches models without breakpoints that accept a retention of 24 hours. */
const modelsWithLongCache =
  /(?:^|\/)gpt-(?:5|5-codex|5\.1(?:-codex(?:-max|-mini)?|-chat-latest)?|5\.[245]|5\.5-pro)(?:-20\d\d-\d\d-\d\d)?$/;

/** Matches models that refuse the retention `in_memory`. */
const modelsWithoutShortCache = /(?:^|\/)gpt-(?:5\.[5-9]|[6-9]|\d\d)/;

/** Maximum number of breakpoints without automatic caching. */
export const maxCacheMarks = 4;
/** Maximum number of breakpoints in addition to automatic caching. */
const maxMarksWithAutomatic = 3;

/**
 * Adapts the cache marks of a request to a vendor that caches automatically. The marks become breakpoints or are
 * removed. If a mark for one hour is removed, the retention becomes 24 hours, unless the client sets one or the model
 * refuses it.
 */
export function adaptCacheMarks(model: string, request: TextRequest, unsupported: Unsupported): TextRequest {
  if (!modelsWithAutomaticCache.test(model)) return request;
  if (modelsWithBreakpoints.test(model)) {
    const atParts = {
      ...request,
      turns: request.turns.map((turn) => ({ ...turn, parts: turn.parts.map(moveMarkToLastPart) })),
    };
    const marked = mapMarks(atParts, (cache, place) => {
      if (place === "instructions" || place === "user") return { ...cache, isBreakpoint: true };
      unsupported.note(place === "tools" ? "tools.cache" : "text.cache");
      return undefined;
    });
    return keepLastMarks(marked, maxCacheMarks, unsupported);
  }
  let isLong = false;
  const acceptsLong = modelsWithLongCache.test(model);
  const unmarked = mapMarks(request, ({ lifetime }) => {
    isLong ||= acceptsLong && lifetime === "1h";
    return undefined;
  });
  return isLong ? { ...unmarked, cacheRetention: request.cacheRetention ?? "24h" } : unmarked;
}

/** Moves the mark of a tool's result to its last part, the only one that can be a breakpoint. */
function moveMarkToLastPart(part: Part): Part {
  const last = part.kind === "tool-result" ? part.parts.at(-1) : undefined;
  if (part.kind !== "tool-result" || part.cache === undefined || last === undefined) return part;
  return { ...part, cache: undefined, parts: [...part.parts.slice(0, -1), { ...last, cache: part.cache }] };
}

/** Removes all marks but the last `max`, and reports them as lost. */
export function keepLastMarks(request: TextRequest, max: number, unsupported: Unsupported): TextRequest {
  let surplus = collectMarks(request).length - max;
  if (surplus <= 0) return request;
  return mapMarks(request, (cache, place) => {
    if (surplus-- <= 0) return cache;
    unsupported.note(place === "tools" ? "tools.cache" : "text.cache");
    return undefined;
  });
}

function collectMarks(request: TextRequest): readonly CacheHint[] {
  const marks: CacheHint[] = [];
  mapMarks(request, (cache) => {
    marks.push(cache);
    return cache;
  });
  return marks;
}

type MarkPlace = "tools" | "instructions" | TextRequest["turns"][number]["role"];

/** Returns a request with `change` applied to its marks, in the order of the prompt. */
function mapMarks(
  request: TextRequest,
  change: (cache: CacheHint, place: MarkPlace) => CacheHint | undefined,
): TextRequest {
  const withChangedMark = <Holder extends object>(
    holder: Holder & { readonly cache?: CacheHint | undefined },
    place: MarkPlace,
  ): Holder => (holder.cache === undefined ? holder : { ...holder, cache: change(holder.cache, place) });
  return withoutUndefined({
    ...request,
    tools: request.tools?.map((tool) => withChangedMark(tool, "tools")),
    instructions: request.instructions.map((part) => withChangedMark(part, "instructions")),
    turns: request.turns.map(({ role, parts }) => ({
      role,
      parts: parts.map((part) =>
        part.kind === "tool-result"
          ? withChangedMark({ ...part, parts: part.parts.map((each) => withChangedMark(each, role)) }, role)
          : withChangedMark(part, role),
      ),
    })),
  });
}

/** Returns true if the mark of a part is rendered as a breakpoint. */
export function isBreakpoint({ cache }: { readonly cache?: CacheHint | undefined }): boolean {
  return cache?.isBreakpoint === true;
}

/** Renders a breakpoint for OpenAI's wires. Other marks are reported as lost. */
export function renderBreakpoint(
  cache: CacheHint | undefined,
  field: string,
  unsupported: Unsupported,
  lifetime?: "12h",
): JsonRecord {
  if (cache?.isBreakpoint === true)
    return {
      prompt_cache_breakpoint: withoutUndefined({
        mode: "explicit",
        ttl: cache.lifetime === "1h" ? lifetime : undefined,
      }),
    };
  unsupported.noteIf(field, cache);
  return {};
}

/** Renders the settings of the prompt cache for OpenAI's wires. */
export function renderCaching(
  request: TextRequest,
  model: string,
  wire: "chat" | "responses",
  unsupported: Unsupported,
): JsonRecord {
  const { cacheRetention: retention } = request;
  const acceptsBreakpoints = modelsWithBreakpoints.test(model);
  const isOption = retention === "30m" || retention === "12h";
  const isLost =
    (isOption && (!acceptsBreakpoints || (retention === "12h" && wire === "chat"))) ||
    (retention === "in_memory" && modelsWithoutShortCache.test(model));
  unsupported.noteIf("cacheRetention", isLost);
  const options = cacheOptions(request, { acceptsBreakpoints, lifetime: isLost ? undefined : retention }, unsupported);
  const hasLong =
    wire === "chat" && acceptsBreakpoints && collectMarks(request).some(({ lifetime }) => lifetime === "1h");
  return {
    prompt_cache_retention: isOption || isLost ? undefined : (retention ?? (hasLong ? "24h" : undefined)),
    prompt_cache_options: options,
  };
}

function cacheOptions(
  request: TextRequest,
  { acceptsBreakpoints, lifetime }: { readonly acceptsBreakpoints: boolean; readonly lifetime: string | undefined },
  unsupported: Unsupported,
): JsonRecord | undefined {
  const isExplicit = request.cacheMode === "explicit";
  unsupported.noteIf("cacheMode", isExplicit && !acceptsBreakpoints);
  // A model that does not support `prewarm` would generate an answer.
  if (request.prewarm === true && !acceptsBreakpoints) throw unsupportedFailure("prewarm");
  const isMarked = isExplicit || collectMarks(request).length > maxMarksWithAutomatic;
  return unlessEmpty({
    prewarm: request.prewarm,
    mode: acceptsBreakpoints && isMarked ? "explicit" : undefined,
    ttl: lifetime === "12h" ? lifetime : undefined,
  });
}

/**
 * Reads the settings of the prompt cache, in their older form or as `prompt_cache_options`, which newer models have.
 */
export function parseCaching(fields: Fields): Pick<TextRequest, "cacheMode" | "cacheRetention" | "prewarm"> {
  const options = fields.fields("prompt_cache_options");
  const retention = fields.text("prompt_cache_retention");
  if (options === undefined) return { cacheRetention: retention };
  const lifetime = retention ?? options.text("ttl");
  const prewarm = options.flag("prewarm") === true ? true : undefined;
  if (options.oneOf("mode", ["implicit", "explicit"]) !== "explicit")
    return { cacheRetention: lifetime ?? "30m", prewarm };
  // 30m is the default of models with breakpoints, and other models would refuse it.
  return { cacheMode: "explicit", cacheRetention: lifetime === "30m" ? undefined : lifetime, prewarm };
}

/** Replaces a retention of 12 hours by marks for one hour, the longest lifetime that marks have. */
export function withMarkLifetime(request: TextRequest): TextRequest {
  if (request.cacheMode !== "explicit" || request.cacheRetention !== "12h") return request;
  return mapMarks(request, (cache) => ({ lifetime: "1h", ...cache }));
}

export function isUnmarked(request: TextRequest): boolean {
  return collectMarks(request).length === 0;
}

export function parseBreakpoint(part: Fields): CacheHint | undefined {
  const breakpoint = part.fields("prompt_cache_breakpoint");
  if (breakpoint === undefined) return undefined;
  breakpoint.ignore("mode");
  return withoutUndefined({ lifetime: breakpoint.text("ttl") === "12h" ? ("1h" as const) : undefined });
}

import type { Unsupported } from "../hub/unsupported.ts";
import type { Part } from "../hub/part.ts";
import type { JsonObject, TextRequest, Turn } from "../hub/request.ts";
import { noSeal } from "./seals.ts";
import { renderPart, type PartContext } from "./render-parts.ts";
import { thinksInLevels } from "./models.ts";

/** The dialogue, and what is said before it. */
export interface RenderedContents {
  readonly contents: readonly JsonObject[];
  readonly systemInstruction: JsonObject | undefined;
}

/**
 * Contents for a model. Neighbours of one role are one content, as the vendor wants all results of parallel calls
 * together; instructions in the middle move to the front; instructions alone become the user's words.
 */
export function renderTurns(request: TextRequest, model: string, unsupported: Unsupported): RenderedContents {
  const context = contextOf(request, model, unsupported);
  const middle = request.turns.filter(({ role }) => role === "system");
  unsupported.noteIf("turn.system-place", middle.length > 0);
  const system = [...request.instructions, ...middle.flatMap(({ parts }) => parts)].flatMap((part) =>
    renderPart(part, context),
  );
  const contents = merged(request.turns.filter(({ role }) => role !== "system")).flatMap(({ role, parts }) => {
    const rendered = inOrder(parts).flatMap((part) => renderPart(part, context));
    if (rendered.length === 0) return [];
    const model = role === "assistant";
    const sealed = model && context.needsSeals ? withDummySeal(rendered) : rendered;
    return [{ role: model ? "model" : "user", parts: sealed }];
  });
  if (contents.length === 0) return { contents: [{ role: "user", parts: system }], systemInstruction: undefined };
  return { contents, systemInstruction: system.length > 0 ? { parts: system } : undefined };
}

function contextOf(
  { turns }: TextRequest,
  model: string,
  unsupported: Unsupported,
): PartContext & { readonly needsSeals: boolean } {
  const names = new Map<string, string>();
  for (const part of turns.flatMap(({ parts }) => parts)) if (part.kind === "tool-call") names.set(part.id, part.name);
  const recent = thinksInLevels(model);
  return { unsupported, imagesInResults: recent, needsSeals: recent, nameOf: (id) => names.get(id) };
}

function merged(turns: readonly Turn[]): readonly Turn[] {
  const joined: { role: Turn["role"]; parts: Part[] }[] = [];
  for (const { role, parts } of turns) {
    const last = joined.at(-1);
    if (last?.role === role) last.parts.push(...parts);
    else joined.push({ role, parts: [...parts] });
  }
  return joined;
}

/** Results come before other words of a turn: the vendor looks for them right after the calls. */
function inOrder(parts: readonly Part[]): readonly Part[] {
  const results = parts.filter(({ kind }) => kind === "tool-result");
  return results.length === 0 ? parts : [...results, ...parts.filter(({ kind }) => kind !== "tool-result")];
}

/** The first call of a step must be sealed; a lost seal is stood in for by the vendor's own word for it. */
function withDummySeal(parts: readonly JsonObject[]): readonly JsonObject[] {
  const first = parts.findIndex((part) => "functionCall" in part);
  return parts.map((part, index) =>
    index === first && !("thoughtSignature" in part) ? { ...part, thoughtSignature: noSeal } : part,
  );
}

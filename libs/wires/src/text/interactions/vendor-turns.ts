import { withoutUndefined } from "@modelgate/contracts";
import type { JsonRecord } from "@modelgate/formats/json";
import type { Unsupported, TextRequest, Turn } from "../hub/request.ts";
import type { Part, ToolResultPart } from "../hub/part.ts";
import { allInstructions, pairedTurns } from "../hub/paired-turns.ts";
import { requireItemOfWire, refuseCompaction } from "../hub/render.ts";
import { ownSignature } from "../hub/signatures.ts";
import { callStep, contentOf } from "./render-steps.ts";

/** Renders steps and the instructions; those in the middle move to the front. Without turns they are the input. */
export function renderTurns(request: TextRequest, unsupported: Unsupported) {
  const system = allInstructions(request, unsupported)
    .flatMap((part) => (part.kind === "text" ? [part.text] : []))
    .join("\n\n");
  const input = new Steps(unsupported);
  for (const { role, parts } of pairedTurns(request.turns.filter((turn) => turn.role !== "system")))
    for (const part of parts)
      if (part.kind === "tool-result") input.answer(part);
      else input.add(role, part);
  if (input.steps.length === 0) return { input: system };
  return { input: input.steps, ...(system === "" ? {} : { system_instruction: system }) };
}

/** Collects the steps of a request; adjacent contents of the user, or of the model, become one step. */
class Steps {
  readonly steps: JsonRecord[] = [];
  readonly #unsupported: Unsupported;
  /** Contents and type of the last step if further contents can join it; undefined otherwise. */
  #open: { readonly type: string; readonly content: JsonRecord[] } | undefined;

  constructor(unsupported: Unsupported) {
    this.#unsupported = unsupported;
  }

  /** Adds a function's result: text alone, or contents if the result has media. */
  answer({ callId, name, parts, isError, cache }: ToolResultPart): void {
    this.#unsupported.noteIf("tool-result.cache", cache);
    const isText = parts.every(({ kind }) => kind === "text");
    const result = isText
      ? parts.map((part) => ("text" in part ? part.text : "")).join("\n\n")
      : parts.flatMap((part) => this.#content(part));
    this.#step(withoutUndefined({ type: "function_result", call_id: callId, name, result, is_error: isError }));
  }

  add(role: Turn["role"], part: Exclude<Part, ToolResultPart>): void {
    if (part.kind === "compaction") return refuseCompaction();
    if (part.kind === "vendor") return this.#step(requireItemOfWire(part, "interactions"));
    if (part.kind === "tool-call") return this.#step(callStep(part));
    if (part.kind === "reasoning") return this.#thought(part.text, ownSignature(part.signature, "interactions"));
    for (const content of this.#content(part))
      this.#join(role === "assistant" ? "model_output" : "user_input", content);
  }

  /** Adds reasoning that the vendor signed; other reasoning is dropped. */
  #thought(text: string, signature: string | undefined): void {
    this.#unsupported.noteIf("turn.reasoning", signature === undefined);
    if (signature === undefined) return;
    const summary = text === "" ? undefined : [{ type: "text", text }];
    this.#step(withoutUndefined({ type: "thought", summary, signature }));
  }

  /** Renders a part as contents; none for an empty text, which the vendor refuses. */
  #content(part: Part): readonly JsonRecord[] {
    if ("cache" in part) this.#unsupported.noteIf(`${part.kind}.cache`, part.cache);
    if (part.kind === "file") this.#unsupported.noteMembers("file", part, ["name", "title", "context", "citations"]);
    if ("text" in part && part.text === "") return [];
    const content = contentOf(part);
    return content === undefined ? [] : [content];
  }

  #step(step: JsonRecord): void {
    this.#open = undefined;
    this.steps.push(step);
  }

  #join(type: string, content: JsonRecord): void {
    if (this.#open?.type === type) return void this.#open.content.push(content);
    const open = { type, content: [content] };
    this.#step(open);
    this.#open = open;
  }
}

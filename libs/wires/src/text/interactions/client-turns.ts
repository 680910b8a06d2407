import { withoutUndefined } from "@modelgate/contracts";
import { isRecord, type Fields, type JsonRecord } from "../../json/fields.ts";
import type { Part } from "../hub/part.ts";
import type { Turn } from "../hub/request.ts";
import type { Envelope } from "../hub/signatures.ts";
import { carriedSignature, isContents, parseContent, parseModelStep, parseResult } from "./parts.ts";

/** Maximum number of steps of a request. */
const maxSteps = 20_000;

/** Returns the steps of an input. A text, or a list of contents, becomes one step of the user. */
export function stepsOf(input: unknown): readonly JsonRecord[] {
  if (typeof input === "string") return [{ type: "user_input", content: [{ type: "text", text: input }] }];
  const all: readonly unknown[] = isRecord(input) ? [input] : Array.isArray(input) ? input : [];
  const list = all.filter(isRecord);
  return list.length > 0 && isContents(list) ? [{ type: "user_input", content: list }] : list;
}

/** Parses the dialogue. Throws Failure (400) for a wrong step. */
export function parseTurns(fields: Fields): readonly Turn[] {
  // A request may have instructions only.
  if (!fields.has("input") && fields.has("system_instruction")) return [];
  const input = fields.need("input");
  if (typeof input === "string" || isContents(fields.list("input") ?? []))
    return [{ role: "user", parts: parseContent(fields, "input") }];
  const dialogue = new StepTurns();
  for (const step of fields.each("input", maxSteps)) dialogue.take(step);
  return dialogue.turns;
}

/** Collects turns while steps are read: adjacent steps of the user, or of the model, become one turn. */
class StepTurns {
  readonly turns: { readonly role: Turn["role"]; readonly parts: Part[] }[] = [];
  readonly #names = new Map<string, string>();

  take(step: Fields): void {
    const envelope = carriedSignature(step);
    const parsed = envelope === undefined ? parseModelStep(step) : undefined;
    if (envelope !== undefined) {
      step.whole();
      this.#attach(envelope);
    } else if (parsed === undefined) this.#add("user", this.#clientParts(step));
    else this.#add("assistant", parsed);
  }

  /** Parses a client's step: the user's contents, or a function's result, which gets the name from its call. */
  #clientParts(step: Fields): readonly Part[] {
    if (step.value["type"] === "user_input") return parseContent(step, "content");
    const result = parseResult(step);
    return [withoutUndefined({ ...result, name: result.name ?? this.#names.get(result.callId) })];
  }

  #add(role: Turn["role"], parts: readonly Part[]): void {
    for (const part of parts) if (part.kind === "tool-call") this.#names.set(part.id, part.name);
    const last = this.turns.at(-1);
    if (last?.role === role) last.parts.push(...parts);
    else this.turns.push({ role, parts: [...parts] });
  }

  /** Attaches a signature from a separate `thought` step to the part that it belongs to; drops it if there is none. */
  #attach({ signature, call }: Envelope): void {
    const parts = this.turns.at(-1)?.parts ?? [];
    const isCall = (part: Part): boolean => part.kind === "tool-call" && part.id === call;
    const index = call === undefined ? parts.length - 1 : parts.findIndex(isCall);
    const part = parts[index];
    if (part?.kind === "tool-call" || part?.kind === "text" || part?.kind === "image")
      parts[index] = { ...part, signature };
  }
}

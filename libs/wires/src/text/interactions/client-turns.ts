import { isRecord, type Fields, type JsonRecord } from "@modelgate/formats/json";
import type { Turn } from "../hub/request.ts";
import { TurnCollector } from "../hub/turn-collector.ts";
import { isContents, parseContent, parseModelStep, parseResult, signatureCarriedBy } from "./parts.ts";

const maxSteps = 20_000;

/** Returns the steps of an input. A text, or a list of contents, becomes one step of the user. */
export function stepsOf(input: unknown): readonly JsonRecord[] {
  if (typeof input === "string") return [{ type: "user_input", content: [{ type: "text", text: input }] }];
  const all: readonly unknown[] = isRecord(input) ? [input] : Array.isArray(input) ? input : [];
  const list = all.filter(isRecord);
  return list.length > 0 && isContents(list) ? [{ type: "user_input", content: list }] : list;
}

export function parseTurns(fields: Fields): readonly Turn[] {
  // A request may have instructions only.
  if (!fields.has("input") && fields.has("system_instruction")) return [];
  const input = fields.need("input");
  if (typeof input === "string" || isContents(fields.list("input") ?? []))
    return [{ role: "user", parts: parseContent(fields, "input") }];
  const dialogue = new TurnCollector();
  for (const step of fields.each("input", maxSteps)) readStep(dialogue, step);
  return dialogue.turns;
}

/** Reads a step. Adjacent steps of the user, or of the model, become one turn. */
function readStep(dialogue: TurnCollector, step: Fields): void {
  const envelope = signatureCarriedBy(step);
  if (envelope !== undefined) {
    step.whole();
    dialogue.attach(envelope);
    return;
  }
  const parsed = parseModelStep(step);
  if (parsed !== undefined) dialogue.add("assistant", parsed, true);
  else if (step.value["type"] === "user_input") dialogue.add("user", parseContent(step, "content"), true);
  else dialogue.answer(parseResult(step));
}

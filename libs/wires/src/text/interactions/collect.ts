import { isRecord, parseRecord, asRecords, asText, type JsonRecord } from "@modelgate/formats/json";
import type { AnswerCollector } from "../hub/wire.ts";
import { isVendorStep } from "./parts.ts";
import { taskOf } from "./vendor-answer.ts";

/** Assembles an interaction from the events of its stream, step by step as clients do. */
export class InteractionCollector implements AnswerCollector {
  /** Members of the interaction, merged from all events that contain it; undefined before the first such event. */
  interaction: JsonRecord | undefined;
  readonly #steps = new Map<unknown, JsonRecord>();
  readonly #pieces = new Map<unknown, string[]>();

  take({ event_type: type, index, step, delta, interaction }: JsonRecord): void {
    if (isRecord(interaction)) this.interaction = { ...this.interaction, ...interaction };
    if (type === "step.start" && isRecord(step)) this.#steps.set(index, step);
    const open = this.#steps.get(index);
    if (open === undefined || !isRecord(delta)) return;
    if (delta["type"] !== "arguments_delta") return void this.#steps.set(index, grown(open, delta));
    const pieces = this.#pieces.get(index) ?? [];
    pieces.push(asText(delta["arguments"]));
    this.#pieces.set(index, pieces);
  }

  get answer(): JsonRecord | undefined {
    const { interaction } = this;
    if (typeof interaction?.["status"] !== "string" || taskOf(interaction) !== undefined) return undefined;
    return { ...interaction, steps: this.steps };
  }

  get steps(): readonly JsonRecord[] {
    return [...this.#steps].map(([index, step]) => {
      const pieces = this.#pieces.get(index);
      return pieces === undefined ? step : { ...step, arguments: parseRecord(pieces.join("")) ?? {} };
    });
  }
}

function grown(step: JsonRecord, { type, ...delta }: JsonRecord): JsonRecord {
  if (isVendorStep(asText(step["type"])) || type === "thought_signature") return { ...step, ...delta };
  if (type === "thought_summary") return { ...step, summary: joined(step["summary"], delta["content"]) };
  if (type !== "text_annotation_delta") return { ...step, content: joined(step["content"], { type, ...delta }) };
  const content = asRecords(step["content"]);
  const last = content.at(-1) ?? { type: "text", text: "" };
  const annotations = [...asRecords(last["annotations"]), ...asRecords(delta["annotations"])];
  return { ...step, content: [...content.slice(0, -1), { ...last, annotations }] };
}

/** Returns the contents with `added` appended. A text is joined to a text at the end. */
function joined(contents: unknown, added: unknown): readonly JsonRecord[] {
  const before = asRecords(contents);
  const last = before.at(-1);
  if (!isRecord(added)) return before;
  if (added["type"] !== "text" || last?.["type"] !== "text") return [...before, added];
  return [...before.slice(0, -1), { ...last, text: asText(last["text"]) + asText(added["text"]) }];
}

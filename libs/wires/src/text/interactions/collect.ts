import { isRecord, parseRecord, asRecords, asText, type JsonRecord } from "@modelgate/formats/json";
import type { AnswerCollector, VendorRun } from "../hub/wire.ts";
import { isVendorStep } from "./parts.ts";
import { taskOf } from "./vendor-answer.ts";
import type { Units } from "@modelgate/contracts";
import type { Frame } from "@modelgate/formats/sse";
import { interactionsUsage } from "./usage.ts";

/** Assembles an interaction from the events of its stream. */
export class InteractionCollector implements AnswerCollector {
  /** The interaction, merged from all events; undefined before the first event that contains an interaction. */
  interaction: JsonRecord | undefined;
  readonly #steps = new Map<unknown, JsonRecord>();
  readonly #pieces = new Map<unknown, string[]>();

  add({ event_type: type, index, step, delta, interaction }: JsonRecord): void {
    if (isRecord(interaction)) this.interaction = { ...this.interaction, ...interaction };
    if (type === "step.start" && isRecord(step)) this.#steps.set(index, step);
    const open = this.#steps.get(index);
    if (open === undefined || !isRecord(delta)) return;
    if (delta["type"] !== "arguments_delta") return void this.#steps.set(index, addDelta(open, delta));
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

function addDelta(step: JsonRecord, { type, ...delta }: JsonRecord): JsonRecord {
  if (isVendorStep(asText(step["type"])) || type === "thought_signature") return { ...step, ...delta };
  if (type === "thought_summary") return { ...step, summary: addContent(step["summary"], delta["content"]) };
  if (type !== "text_annotation_delta") return { ...step, content: addContent(step["content"], { type, ...delta }) };
  const content = asRecords(step["content"]);
  const last = content.at(-1) ?? { type: "text", text: "" };
  const annotations = [...asRecords(last["annotations"]), ...asRecords(delta["annotations"])];
  return { ...step, content: [...content.slice(0, -1), { ...last, annotations }] };
}

function addContent(contents: unknown, added: unknown): readonly JsonRecord[] {
  const before = asRecords(contents);
  const last = before.at(-1);
  if (!isRecord(added)) return before;
  if (added["type"] !== "text" || last?.["type"] !== "text") return [...before, added];
  return [...before.slice(0, -1), { ...last, text: asText(last["text"]) + asText(added["text"]) }];
}

/** Maximum characters of consecutive events without an id. If there are more, the stream is not resumed. */
const maxRepeated = 256 * 1024;

/**
 * Position in the stream of an agent's interaction, with which the stream can be resumed. The agent continues if the
 * connection breaks.
 */
export class AgentRun implements VendorRun {
  id: string | undefined;
  lastEvent: string | undefined;
  hasEnded = false;
  /** Events after `lastEvent`, which have no id. A resumed stream repeats them. */
  #unnumbered: string[] = [];
  #characters = 0;
  /** Events that the resumed stream will repeat. */
  #repeated: string[] = [];

  read({ data }: Frame): boolean {
    const event = parseRecord(data);
    if (event === undefined) return false;
    if (this.#repeated.length > 0 && this.#repeated.shift() === data) return false;
    this.#repeated = [];
    const { event_type: type, event_id: eventId, interaction } = event;
    const isSecondStart = type === "interaction.created" && this.id !== undefined;
    if (isRecord(interaction)) this.id ??= asText(interaction["id"]) || undefined;
    if (type === "interaction.completed") this.hasEnded = true;
    if (typeof eventId === "string" && eventId !== "") {
      this.lastEvent = eventId;
      this.#unnumbered = [];
      this.#characters = 0;
    } else if ((this.#characters += data.length) <= maxRepeated) this.#unnumbered.push(data);
    return !isSecondStart;
  }

  resume(): boolean {
    this.#repeated = [...this.#unnumbered];
    return this.id !== undefined && !this.hasEnded && this.#characters <= maxRepeated;
  }

  readonly usageOf = (state: Buffer): Units | undefined => interactionsUsage(parseRecord(state.toString())?.["usage"]);
}

import { withoutUndefined } from "@modelgate/contracts";
import { asRecords, type JsonRecord, Fields, isRecord, parseRecord, asText } from "@modelgate/formats/json";
import type { Frame } from "@modelgate/formats/sse";
import { notJsonFailure, reportEvents, type TextEvent } from "../hub/answer.ts";
import type { StreamReader } from "../hub/wire.ts";
import { parseLogProbabilities } from "../hub/content.ts";
import { PartTracker } from "../hub/part-tracker.ts";
import type { TokenProbability } from "../hub/part.ts";
import { CallPairs } from "../hub/tool-calls.ts";
import type { ChatDialect } from "./dialect.ts";
import { parseCitations, readModelImage } from "./parts.ts";
import { decodeDetail, reasoningTextIn } from "./reasoning-details.ts";
import { AudioReader, CallReader, DetailReader } from "./stream-pieces.ts";
import { chatFees, readUsage } from "./usage.ts";
import { failureOf, parseHead, parseFinish } from "./vendor-answer.ts";

const noEvents: readonly TextEvent[] = [];

/** Reads a stream of chunks. */
export class ChatReader implements StreamReader {
  readonly #choices = new Map<number, PartReader>();
  #answerId = "";
  #started = false;
  done = false;
  #hasUsage = false;
  readonly #dialect: ChatDialect;

  constructor(dialect: ChatDialect = {}) {
    this.#dialect = dialect;
  }

  get isComplete(): boolean {
    return (
      this.done ||
      (this.#hasUsage && this.#choices.size > 0 && [...this.#choices.values()].every(({ finished }) => finished))
    );
  }

  read({ data }: Frame): readonly TextEvent[] {
    if (data === "") return noEvents;
    if (data === "[DONE]") return this.#finish();
    const chunk = parseRecord(data);
    if (chunk === undefined) return notJsonFailure;
    const failure = failureOf(chunk);
    if (failure !== undefined) return [failure];
    const choices = asRecords(chunk["choices"]);
    const usage = readUsage(chunk, this.#dialect);
    if (choices.length === 0 && usage === undefined) return noEvents;
    const events = [...this.#start(chunk)];
    for (const choice of choices) events.push(...this.#choice(choice["index"]).read(choice));
    if (usage === undefined) return events;
    this.#hasUsage = true;
    return [...events, ...reportEvents(usage, chatFees(chunk))];
  }

  end(): readonly TextEvent[] {
    return [...this.#choices.values()].flatMap((choice) => (choice.finished ? noEvents : choice.close()));
  }

  #finish(): readonly TextEvent[] {
    this.done = true;
    return [...this.#choices.values()].flatMap((choice) => choice.finish({}));
  }

  /**
   * Returns the start event for the first chunk with choices or usage. Some vendors send chunks without an id before
   * it.
   */
  #start(chunk: JsonRecord): readonly TextEvent[] {
    if (this.#started) return noEvents;
    this.#started = true;
    const head = parseHead(chunk);
    this.#answerId = head.id;
    return [{ type: "start", ...head }];
  }

  #choice(index: unknown): PartReader {
    const position = typeof index === "number" ? index : 0;
    const reader = this.#choices.get(position) ?? new PartReader(position, this.#answerId);
    this.#choices.set(position, reader);
    return reader;
  }
}

/** Kinds of parts of which at most one is open at a time. */
const textKinds = ["reasoning", "text", "refusal"] as const;

type TextKind = (typeof textKinds)[number];

class PartReader {
  readonly #choice: number;
  readonly #answerId: string;
  readonly #tracker: PartTracker;
  readonly #calls: CallReader;
  readonly #details = new DetailReader();
  readonly #audio = new AudioReader();
  finished = false;

  constructor(choice: number, answerId: string) {
    this.#choice = choice;
    this.#answerId = answerId;
    this.#tracker = new PartTracker(choice);
    this.#calls = new CallReader(this.#tracker, [answerId, choice]);
  }

  read(choice: JsonRecord): readonly TextEvent[] {
    if (this.finished) return noEvents;
    const delta = choice["delta"];
    const events = isRecord(delta) ? this.#readDelta(delta, choice["logprobs"]) : noEvents;
    const finishReason = choice["finish_reason"];
    return typeof finishReason === "string" && finishReason !== "" ? [...events, ...this.finish(choice)] : events;
  }

  finish(choice: JsonRecord): readonly TextEvent[] {
    if (this.finished) return noEvents;
    this.finished = true;
    const events = this.close();
    const { finish: reason, ...finish } = parseFinish(choice, this.#tracker.kinds);
    return [...events, { type: "finish", choice: this.#choice, reason, ...finish }];
  }

  close(): readonly TextEvent[] {
    const events = [...this.#endTextExcept(undefined), ...this.#calls.end()];
    const signature = this.#details.take();
    if (signature !== undefined) events.push(...this.#tracker.whole({ kind: "reasoning", text: "", signature }));
    const audio = this.#audio.take();
    if (audio !== undefined) events.push(...this.#tracker.whole({ kind: "vendor", wire: "chat", value: { audio } }));
    return events;
  }

  #readDelta(delta: JsonRecord, logprobs: unknown): readonly TextEvent[] {
    const { content } = delta;
    const events: TextEvent[] = [];
    this.#addReasoning(delta, events);
    const probabilities = isRecord(logprobs) ? parseLogProbabilities(logprobs["content"]) : [];
    if (typeof content === "string") this.#addText("text", content, events, probabilities);
    else if (Array.isArray(content)) for (const part of content) this.#readPart(part, events);
    this.#cite(delta["annotations"], events);
    this.#addText("refusal", asText(delta["refusal"]), events);
    this.#readDetails(delta["reasoning_details"], events);
    if (Array.isArray(delta["images"])) for (const image of delta["images"]) this.#readImage(image, events);
    if (Array.isArray(delta["tool_calls"])) for (const call of delta["tool_calls"]) this.#readCall(call, events);
    if (isRecord(delta["function_call"])) this.#readCall({ index: -1, function: delta["function_call"] }, events);
    if (isRecord(delta["audio"])) this.#audio.add(delta["audio"]);
    return events;
  }

  #addReasoning(delta: JsonRecord, events: TextEvent[]): void {
    const plain = asText(delta["reasoning_content"]) || asText(delta["reasoning"]);
    const details: unknown = delta["reasoning_details"];
    const text =
      plain === "" && Array.isArray(details) ? details.filter(isRecord).map(reasoningTextIn).join("") : plain;
    this.#addText("reasoning", text, events);
  }

  #addText(key: TextKind, text: string, events: TextEvent[], probabilities: readonly TokenProbability[] = []): void {
    if (text === "" && probabilities.length === 0) return;
    if (!this.#tracker.isOpen(key)) {
      events.push(
        ...this.#endTextExcept(key),
        ...this.#calls.endComplete(),
        ...this.#tracker.start(key, { kind: key }),
      );
    }
    events.push(...this.#tracker.delta(key, text, probabilities));
  }

  /** Reads a part of a list of content, which Mistral sends. It may be reasoning. */
  #readPart(part: unknown, events: TextEvent[]): void {
    if (!isRecord(part)) return;
    const reasoning: unknown = part["thinking"];
    if (Array.isArray(reasoning))
      for (const thought of reasoning.filter(isRecord)) this.#addText("reasoning", asText(thought["text"]), events);
    else this.#addText("text", asText(part["text"]), events);
  }

  #cite(annotations: unknown, events: TextEvent[]): void {
    const part = this.#tracker.numberOf("text");
    if (part === undefined || annotations === undefined) return;
    for (const citation of parseCitations(annotations))
      events.push({ type: "citation", choice: this.#choice, part, citation });
  }

  #readDetails(details: unknown, events: TextEvent[]): void {
    if (!Array.isArray(details)) return;
    for (const detail of details.filter(isRecord)) {
      const envelope = decodeDetail(detail);
      if (envelope === undefined) {
        this.#details.add(detail);
        continue;
      }
      const { signature, previous, id } = envelope;
      const key = previous === true ? "text" : "reasoning";
      if (this.#tracker.isOpen(key)) events.push(...this.#tracker.end(key, signature));
      else if (key === "text") events.push(...this.#tracker.whole({ kind: key, text: "", signature }));
      else events.push(...this.#tracker.whole(withoutUndefined({ kind: key, text: "", signature, id })));
    }
  }

  #readImage(image: unknown, events: TextEvent[]): void {
    if (!isRecord(image)) return;
    const context = { calls: new CallPairs(), path: [this.#answerId], google: "chat" } as const;
    try {
      const part = readModelImage(new Fields(image), context);
      events.push(...this.#endTextExcept(undefined), ...this.#tracker.whole(part));
    } catch {}
  }

  #readCall(call: unknown, events: TextEvent[]): void {
    if (!isRecord(call)) return;
    if (this.#calls.isNew(call)) events.push(...this.#endTextExcept(undefined), ...this.#calls.endComplete());
    events.push(...this.#calls.add(call));
  }

  #endTextExcept(excepted: TextKind | undefined): TextEvent[] {
    const open = textKinds.filter((key) => key !== excepted && this.#tracker.isOpen(key));
    return open.flatMap((key) => this.#tracker.end(key, key === "reasoning" ? this.#details.take() : undefined));
  }
}

import { asRecord, isRecord, type JsonRecord, ownEntry, parseRecord, asText } from "@modelgate/formats/json";
import type { Frame } from "@modelgate/formats/sse";
import { notJsonFailure, reportEvents, type TextEvent, type OpenedPart } from "../hub/answer.ts";
import type { StreamReader } from "../hub/wire.ts";
import { parseLogProbabilities } from "../hub/content.ts";
import { PartTracker } from "../hub/part-book.ts";
import { qualifiedName } from "./tools.ts";
import { parseAnnotation, vendorSignature } from "./parse-items.ts";
import { callOfItem, responsesFees, responsesUsage } from "./usage.ts";
import { finishOf, parseAnswerItem } from "./vendor-answer.ts";

/** Reads a vendor's stream. */
export class ResponsesReader implements StreamReader {
  readonly #book = new PartTracker(0);
  #started = false;
  isComplete = false;

  get done(): boolean {
    return this.isComplete;
  }

  read({ data }: Frame): readonly TextEvent[] {
    if (data === "" || data === "[DONE]") return [];
    const event = parseRecord(data);
    if (event === undefined) return notJsonFailure;
    const type = asText(event["type"]);
    if (type === "error" || type === "response.failed") return [failureOf(event)];
    if (type === "response.completed" || type === "response.incomplete") return this.#finish(event);
    return [...this.#start(event), ...(ownEntry(handlers, type)?.(this.#book, event) ?? []), ...feesOf(type, event)];
  }

  end(): readonly TextEvent[] {
    return this.#book.endAll();
  }

  /** Usually, `response.created` is the first event with a response. */
  #start(event: JsonRecord): readonly TextEvent[] {
    const response = event["response"];
    if (this.#started || !isRecord(response)) return [];
    this.#started = true;
    const createdAt = typeof response["created_at"] === "number" ? response["created_at"] : 0;
    return [{ type: "start", id: asText(response["id"]), model: asText(response["model"]), createdAt }];
  }

  #finish(event: JsonRecord): readonly TextEvent[] {
    this.isComplete = true;
    const response = asRecord(event["response"]);
    return [
      ...this.#start(event),
      ...this.#book.endAll(),
      { type: "finish", choice: 0, reason: finishOf(response, this.#book.kinds) },
      ...reportEvents(responsesUsage(response["usage"]), responsesFees(response)),
    ];
  }
}

function feesOf(type: string, { item }: JsonRecord): readonly TextEvent[] {
  const calls = type === "response.output_item.done" && isRecord(item) ? callOfItem(item) : [];
  return calls.length === 0 ? [] : [{ type: "fees", fees: { calls } }];
}

/** The event `error` has the code at its top or under `error`, `response.failed` in its response. */
function failureOf(event: JsonRecord): TextEvent {
  const response = isRecord(event["response"]) ? event["response"] : event;
  const error = isRecord(response["error"]) ? response["error"] : event;
  const code = asText(error["code"]);
  return {
    type: "failure",
    code: code === "" ? "server_error" : code,
    message: asText(error["message"]),
  };
}

type ResponsesHandler = (book: PartTracker, event: JsonRecord) => readonly TextEvent[];

/** Handlers of the stream's events. A part's key has the index of its item, and its own index. */
const handlers: Readonly<Record<string, ResponsesHandler>> = {
  "response.output_item.added": (book, { output_index: index, item }) =>
    isRecord(item) ? startCall(book, itemKey(index), item) : [],
  "response.content_part.added": (book, event) =>
    isRecord(event["part"]) ? startText(book, event, event["part"]) : [],
  "response.output_text.delta": (book, event) => {
    const started = book.start(contentKey(event), { kind: "text" });
    const probabilities = parseLogProbabilities(event["logprobs"]);
    return [...started, ...book.delta(contentKey(event), asText(event["delta"]), probabilities)];
  },
  "response.output_text.annotation.added": (book, event) => {
    const part = book.numberOf(contentKey(event));
    if (part === undefined) return [];
    return parseAnnotation(event["annotation"]).map((citation) => ({ type: "citation", choice: 0, part, citation }));
  },
  "response.output_text.done": (book, event) => late(book, contentKey(event), { kind: "text" }, event["text"]),
  "response.refusal.delta": (book, event) => grow(book, contentKey(event), { kind: "refusal" }, event["delta"]),
  "response.refusal.done": (book, event) => late(book, contentKey(event), { kind: "refusal" }, event["refusal"]),
  "response.content_part.done": (book, event) => book.end(contentKey(event)),
  "response.reasoning_summary_text.delta": (book, event) => think(book, event, true, event["delta"]),
  "response.reasoning_summary_text.done": (book, event) => lateReasoning(book, event, true, event["text"]),
  "response.reasoning_text.delta": (book, event) => think(book, event, false, event["delta"]),
  "response.reasoning_text.done": (book, event) => lateReasoning(book, event, false, event["text"]),
  "response.function_call_arguments.delta": (book, event) =>
    book.delta(itemKey(event["output_index"]), asText(event["delta"])),
  "response.function_call_arguments.done": (book, event) => lateArguments(book, event, event["arguments"]),
  "response.custom_tool_call_input.delta": (book, event) =>
    book.delta(itemKey(event["output_index"]), asText(event["delta"])),
  "response.custom_tool_call_input.done": (book, event) => lateArguments(book, event, event["input"]),
  "response.output_item.done": (book, { output_index: index, item }) =>
    isRecord(item) ? endItem(book, itemKey(index), item) : [],
};

function itemKey(index: unknown): string {
  return `${String(index)}:`;
}

function contentKey(event: JsonRecord): string {
  return `${itemKey(event["output_index"])}text:${String(event["content_index"])}`;
}

/** Items of other types open with their first part. */
function startCall(book: PartTracker, key: string, item: JsonRecord): readonly TextEvent[] {
  const custom = item["type"] === "custom_tool_call";
  if (!custom && item["type"] !== "function_call") return [];
  const namespace = item["namespace"];
  const name = qualifiedName(typeof namespace === "string" ? namespace : undefined, asText(item["name"]));
  const opened = { kind: "tool-call", id: asText(item["call_id"]), name } as const;
  return book.start(key, custom ? { ...opened, custom } : opened);
}

function startText(book: PartTracker, event: JsonRecord, part: JsonRecord): readonly TextEvent[] {
  if (part["type"] === "output_text") return book.start(contentKey(event), { kind: "text" });
  return part["type"] === "refusal" ? book.start(contentKey(event), { kind: "refusal" }) : [];
}

function grow(book: PartTracker, key: string, opened: OpenedPart, text: unknown): readonly TextEvent[] {
  return [...book.start(key, opened), ...book.delta(key, asText(text))];
}

/** Some vendors send the complete text of a part without deltas. */
function late(book: PartTracker, key: string, opened: OpenedPart, text: unknown): readonly TextEvent[] {
  return book.hasText(key) ? [] : grow(book, key, opened, text);
}

function lateArguments(book: PartTracker, event: JsonRecord, text: unknown): readonly TextEvent[] {
  const key = itemKey(event["output_index"]);
  return book.hasText(key) ? [] : book.delta(key, asText(text));
}

function reasoningKey(event: JsonRecord, summary: boolean): string {
  return `${itemKey(event["output_index"])}${summary ? "summary" : "content"}`;
}

function reasoningIndex(event: JsonRecord, summary: boolean): unknown {
  return event[summary ? "summary_index" : "content_index"];
}

/** Adds text of reasoning. The parts of a summary are joined by blank lines. */
function think(book: PartTracker, event: JsonRecord, summary: boolean, text: unknown): readonly TextEvent[] {
  const key = reasoningKey(event, summary);
  const id = asText(event["item_id"]);
  // Only one part of an item may be open at a time.
  const others = book.openKeys(itemKey(event["output_index"])).filter((open) => open !== key);
  const ended = others.flatMap((other) => book.end(other));
  const started = book.start(key, { kind: "reasoning", summary, ...(id === "" ? {} : { id }) });
  return [...ended, ...started, ...book.delta(key, book.gap(key, reasoningIndex(event, summary)) + asText(text))];
}

function lateReasoning(book: PartTracker, event: JsonRecord, summary: boolean, text: unknown): readonly TextEvent[] {
  const isSent = book.isAt(reasoningKey(event, summary), reasoningIndex(event, summary));
  return isSent ? [] : think(book, event, summary, text);
}

/** Ends an item and its open parts. Encrypted content belongs to the last one. */
function endItem(book: PartTracker, key: string, item: JsonRecord): readonly TextEvent[] {
  const open = book.openKeys(key);
  if (open.length === 0 && !book.isDone(key)) return parseAnswerItem(item).flatMap((part) => book.whole(part));
  const encrypted = item["type"] === "reasoning" ? asText(item["encrypted_content"]) : "";
  const signature = encrypted === "" ? undefined : vendorSignature(encrypted);
  return open.flatMap((name, index) => book.end(name, index === open.length - 1 ? signature : undefined));
}

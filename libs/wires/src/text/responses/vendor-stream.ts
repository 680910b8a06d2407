import { asRecord, isRecord, type JsonRecord, ownEntry, parseRecord, asText } from "@modelgate/formats/json";
import type { Frame } from "@modelgate/formats/sse";
import { notJsonFailure, reportEvents, type TextEvent, type OpenedPart, type FailureEvent } from "../hub/answer.ts";
import type { StreamReader } from "../hub/wire.ts";
import { parseLogProbabilities } from "../hub/content.ts";
import { PartTracker } from "../hub/part-tracker.ts";
import { qualifiedName } from "./tools.ts";
import { parseAnnotation, vendorSignature } from "./parse-items.ts";
import { callOfItem, responsesFees, responsesUsage } from "./usage.ts";
import { finishOf, parseAnswerItem } from "./vendor-answer.ts";

/** Reads a vendor's stream. */
export class ResponsesReader implements StreamReader {
  readonly #tracker = new PartTracker(0);
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
    if (type === "error" || type === "response.failed") {
      const response = asRecord(event["response"]);
      return [...reportEvents(responsesUsage(response["usage"]), responsesFees(response)), failureOf(event)];
    }
    if (type === "response.completed" || type === "response.incomplete") return this.#finish(event);
    return [...this.#start(event), ...(ownEntry(handlers, type)?.(this.#tracker, event) ?? []), ...feesOf(type, event)];
  }

  end(): readonly TextEvent[] {
    return this.#tracker.endAll();
  }

  /** Returns the start event for the first event with a response, which is usually `response.created`. */
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
      ...this.#tracker.endAll(),
      { type: "finish", choice: 0, reason: finishOf(response, this.#tracker.kinds) },
      ...reportEvents(responsesUsage(response["usage"]), responsesFees(response)),
    ];
  }
}

function feesOf(type: string, { item }: JsonRecord): readonly TextEvent[] {
  const calls = type === "response.output_item.done" && isRecord(item) ? callOfItem(item) : [];
  return calls.length === 0 ? [] : [{ type: "fees", fees: { calls } }];
}

/**
 * Reads a failure. The code is at the top or under `error` of the event `error`, and in the response of
 * `response.failed`.
 */
export function failureOf(event: JsonRecord): FailureEvent {
  const response = isRecord(event["response"]) ? event["response"] : event;
  const error = isRecord(response["error"]) ? response["error"] : event;
  const code = asText(error["code"]);
  return {
    type: "failure",
    code: code === "" ? "server_error" : code,
    message: asText(error["message"]),
  };
}

type ResponsesHandler = (tracker: PartTracker, event: JsonRecord) => readonly TextEvent[];

/** Handlers of the stream's events. The key of a part consists of the index of its item and the index of the part. */
const handlers: Readonly<Record<string, ResponsesHandler>> = {
  "response.output_item.added": (tracker, { output_index: index, item }) =>
    isRecord(item) ? startCall(tracker, itemKey(index), item) : [],
  "response.content_part.added": (tracker, event) =>
    isRecord(event["part"]) ? startText(tracker, event, event["part"]) : [],
  "response.output_text.delta": (tracker, event) => {
    const started = tracker.start(contentKey(event), { kind: "text" });
    const probabilities = parseLogProbabilities(event["logprobs"]);
    return [...started, ...tracker.delta(contentKey(event), asText(event["delta"]), probabilities)];
  },
  "response.output_text.annotation.added": (tracker, event) => {
    const part = tracker.numberOf(contentKey(event));
    if (part === undefined) return [];
    return parseAnnotation(event["annotation"]).map((citation) => ({ type: "citation", choice: 0, part, citation }));
  },
  "response.output_text.done": (tracker, event) =>
    addLateText(tracker, contentKey(event), { kind: "text" }, event["text"]),
  "response.refusal.delta": (tracker, event) =>
    addDelta(tracker, contentKey(event), { kind: "refusal" }, event["delta"]),
  "response.refusal.done": (tracker, event) =>
    addLateText(tracker, contentKey(event), { kind: "refusal" }, event["refusal"]),
  "response.content_part.done": (tracker, event) => tracker.end(contentKey(event)),
  "response.reasoning_summary_text.delta": (tracker, event) => addReasoning(tracker, event, true, event["delta"]),
  "response.reasoning_summary_text.done": (tracker, event) => lateReasoning(tracker, event, true, event["text"]),
  "response.reasoning_text.delta": (tracker, event) => addReasoning(tracker, event, false, event["delta"]),
  "response.reasoning_text.done": (tracker, event) => lateReasoning(tracker, event, false, event["text"]),
  "response.function_call_arguments.delta": (tracker, event) =>
    tracker.delta(itemKey(event["output_index"]), asText(event["delta"])),
  "response.function_call_arguments.done": (tracker, event) => lateArguments(tracker, event, event["arguments"]),
  "response.custom_tool_call_input.delta": (tracker, event) =>
    tracker.delta(itemKey(event["output_index"]), asText(event["delta"])),
  "response.custom_tool_call_input.done": (tracker, event) => lateArguments(tracker, event, event["input"]),
  "response.output_item.done": (tracker, { output_index: index, item }) =>
    isRecord(item) ? endItem(tracker, itemKey(index), item) : [],
};

function itemKey(index: unknown): string {
  return `${String(index)}:`;
}

function contentKey(event: JsonRecord): string {
  return `${itemKey(event["output_index"])}text:${String(event["content_index"])}`;
}

/** Begins a call. Items of other types begin with their first part. */
function startCall(tracker: PartTracker, key: string, item: JsonRecord): readonly TextEvent[] {
  const custom = item["type"] === "custom_tool_call";
  if (!custom && item["type"] !== "function_call") return [];
  const namespace = item["namespace"];
  const name = qualifiedName(typeof namespace === "string" ? namespace : undefined, asText(item["name"]));
  const opened = { kind: "tool-call", id: asText(item["call_id"]), name } as const;
  return tracker.start(key, custom ? { ...opened, custom } : opened);
}

function startText(tracker: PartTracker, event: JsonRecord, part: JsonRecord): readonly TextEvent[] {
  if (part["type"] === "output_text") return tracker.start(contentKey(event), { kind: "text" });
  return part["type"] === "refusal" ? tracker.start(contentKey(event), { kind: "refusal" }) : [];
}

function addDelta(tracker: PartTracker, key: string, opened: OpenedPart, text: unknown): readonly TextEvent[] {
  return [...tracker.start(key, opened), ...tracker.delta(key, asText(text))];
}

/** Adds the complete text of a part if it had no deltas, which some vendors do not send. */
function addLateText(tracker: PartTracker, key: string, opened: OpenedPart, text: unknown): readonly TextEvent[] {
  return tracker.hasText(key) ? [] : addDelta(tracker, key, opened, text);
}

function lateArguments(tracker: PartTracker, event: JsonRecord, text: unknown): readonly TextEvent[] {
  const key = itemKey(event["output_index"]);
  return tracker.hasText(key) ? [] : tracker.delta(key, asText(text));
}

function reasoningKey(event: JsonRecord, summary: boolean): string {
  return `${itemKey(event["output_index"])}${summary ? "summary" : "content"}`;
}

function reasoningIndex(event: JsonRecord, summary: boolean): unknown {
  return event[summary ? "summary_index" : "content_index"];
}

/** Adds text of reasoning. The parts of a summary are joined by blank lines. */
function addReasoning(tracker: PartTracker, event: JsonRecord, summary: boolean, text: unknown): readonly TextEvent[] {
  const key = reasoningKey(event, summary);
  const id = asText(event["item_id"]);
  // Only one part of an item may be open at a time.
  const others = tracker.openKeys(itemKey(event["output_index"])).filter((open) => open !== key);
  const ended = others.flatMap((other) => tracker.end(other));
  const started = tracker.start(key, { kind: "reasoning", summary, ...(id === "" ? {} : { id }) });
  return [
    ...ended,
    ...started,
    ...tracker.delta(key, tracker.takeParagraphBreak(key, reasoningIndex(event, summary)) + asText(text)),
  ];
}

function lateReasoning(tracker: PartTracker, event: JsonRecord, summary: boolean, text: unknown): readonly TextEvent[] {
  const isSent = tracker.isAt(reasoningKey(event, summary), reasoningIndex(event, summary));
  return isSent ? [] : addReasoning(tracker, event, summary, text);
}

/** Ends the open parts of an item. Encrypted content belongs to the last of them. */
function endItem(tracker: PartTracker, key: string, item: JsonRecord): readonly TextEvent[] {
  const openKeys = tracker.openKeys(key);
  if (openKeys.length === 0 && !tracker.isDone(key))
    return parseAnswerItem(item).flatMap((part) => tracker.whole(part));
  const encrypted = item["type"] === "reasoning" ? asText(item["encrypted_content"]) : "";
  const signature = encrypted === "" ? undefined : vendorSignature(encrypted);
  return openKeys.flatMap((name, index) => tracker.end(name, index === openKeys.length - 1 ? signature : undefined));
}

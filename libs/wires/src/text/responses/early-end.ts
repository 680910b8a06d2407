import type { Units } from "@modelgate/contracts";
import { asRecord, isRecord, type JsonRecord, ownEntry } from "@modelgate/formats/json";
import { parseFrameRecord } from "@modelgate/formats/sse";
import { type EarlyEnd, memberTextReader } from "../pass.ts";
import { renderUsage } from "./usage.ts";
import { endingOf } from "./vendor-answer.ts";

/** Maximum characters of raw deltas that are collected before the text in them is read. */
const maxRaw = 16 * 1024;

/** Maximum characters of an open part that its last event repeats. Of a longer part, the beginning is dropped. */
const maxTextCharacters = 8 * 2 ** 20;

const deltaEnd = Buffer.from(".delta\n");

const lineFeed = 0x0a;

/** Event with the complete text of a part, and the member that contains the text. */
const wholeEvents: Readonly<Record<string, readonly [type: string, member: string]>> = {
  output_text: ["response.output_text.done", "text"],
  refusal: ["response.refusal.done", "refusal"],
  summary_text: ["response.reasoning_summary_text.done", "text"],
  reasoning_text: ["response.reasoning_text.done", "text"],
};

/** Ends a stream early. The last event repeats all output that was sent. */
export function endResponseEarly(): EarlyEnd {
  const answer = new SeenAnswer();
  return {
    recordFrame: (frame, raw) => answer.record(frame, raw),
    frames: (used, sequence = -1) => answer.end(used, sequence),
  };
}

interface OpenPart {
  readonly added: JsonRecord;
  readonly annotations: unknown[];
}

class SeenAnswer {
  #response: JsonRecord | undefined;
  readonly #output: unknown[] = [];
  /** Event that added the open item. */
  #item: JsonRecord | undefined;
  #parts: JsonRecord[] = [];
  #part: OpenPart | undefined;
  #raw: string[] = [];
  #rawLength = 0;
  #text = "";
  readonly #on: Readonly<Record<string, (event: JsonRecord) => void>> = {
    "response.created": (event) => this.#respond(event),
    "response.in_progress": (event) => this.#respond(event),
    "response.output_item.added": (event) => {
      this.#item = event;
      this.#parts = [];
      this.#begin(undefined);
    },
    "response.output_item.done": (event) => {
      this.#item = undefined;
      this.#output.push(event["item"]);
      this.#begin(undefined);
    },
    "response.content_part.added": (event) => this.#begin({ added: event, annotations: [] }),
    "response.reasoning_summary_part.added": (event) => this.#begin({ added: event, annotations: [] }),
    "response.content_part.done": (event) => this.#endPart(event),
    "response.reasoning_summary_part.done": (event) => this.#endPart(event),
    "response.output_text.annotation.added": (event) => void this.#part?.annotations.push(event["annotation"]),
  };

  record(frame: Buffer, raw: string): void {
    const lineEnd = frame.indexOf(lineFeed);
    if (frame.subarray(Math.max(0, lineEnd + 1 - deltaEnd.length), lineEnd + 1).equals(deltaEnd)) this.#delta(raw);
    else this.#event(parseFrameRecord(frame), raw);
  }

  end(used: Units, sequence: number): readonly string[] | undefined {
    const response = this.#response;
    if (response === undefined) return undefined;
    let number = sequence;
    const event = (type: string, members: JsonRecord): string => {
      number++;
      return `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: number, ...members })}\n\n`;
    };
    const frames = this.#endOpen(event);
    const ending = { ...endingOf("length", false), output: this.#output, usage: renderUsage(used) };
    return [...frames, event("response.incomplete", { response: { ...response, ...ending } })];
  }

  #delta(raw: string): void {
    this.#raw.push(raw);
    this.#rawLength += raw.length;
    if (this.#rawLength > maxRaw) this.#read();
  }

  #event(event: JsonRecord | undefined, raw: string): void {
    if (event === undefined) return;
    const handle = typeof event["type"] === "string" ? ownEntry(this.#on, event["type"]) : undefined;
    if (handle !== undefined) handle(event);
    // The type of an event without a name is known only after parsing.
    else if (typeof event["delta"] === "string") this.#delta(raw);
  }

  #respond({ response }: JsonRecord): void {
    if (isRecord(response)) this.#response = response;
  }

  #endPart({ part }: JsonRecord): void {
    if (isRecord(part)) this.#parts.push(part);
    this.#begin(undefined);
  }

  #begin(part: OpenPart | undefined): void {
    this.#part = part;
    this.#raw = [];
    this.#rawLength = 0;
    this.#text = "";
  }

  #read(): string {
    this.#text = (this.#text + extractDelta(this.#raw.join(""))).slice(-maxTextCharacters);
    this.#raw = [];
    this.#rawLength = 0;
    return this.#text;
  }

  #endOpen(event: (type: string, members: JsonRecord) => string): readonly string[] {
    const item = this.#item?.["item"];
    if (!isRecord(item)) return [];
    const position = { item_id: item["id"], output_index: this.#item?.["output_index"] };
    const [ends, complete] = this.#wholeItem(item, position, event);
    this.#output.push(complete);
    this.#item = undefined;
    return [...ends, event("response.output_item.done", { output_index: position.output_index, item: complete })];
  }

  #wholeItem(
    item: JsonRecord,
    position: JsonRecord,
    event: (type: string, members: JsonRecord) => string,
  ): readonly [events: readonly string[], item: JsonRecord] {
    const text = this.#read();
    if (item["type"] === "function_call") {
      const call = { name: item["name"], arguments: text };
      const end = event("response.function_call_arguments.done", { ...position, ...call });
      return [[end], { ...item, arguments: text, status: "incomplete" }];
    }
    if (item["type"] === "custom_tool_call") {
      const end = event("response.custom_tool_call_input.done", { ...position, input: text });
      return [[end], { ...item, input: text, status: "incomplete" }];
    }
    const [ends, part] = this.#wholePart(text, position, event);
    const parts = part === undefined ? this.#parts : [...this.#parts, part];
    if (item["type"] === "message") return [ends, { ...item, content: parts, status: "incomplete" }];
    const isSummary = ({ type }: JsonRecord): boolean => type === "summary_text";
    const content = parts.filter((each) => !isSummary(each));
    const reasoning = { summary: parts.filter(isSummary), ...(content.length > 0 ? { content } : {}) };
    return [ends, item["type"] === "reasoning" ? { ...item, ...reasoning } : { ...item, status: "incomplete" }];
  }

  #wholePart(
    text: string,
    position: JsonRecord,
    event: (type: string, members: JsonRecord) => string,
  ): readonly [events: readonly string[], part: JsonRecord | undefined] {
    const { added, annotations } = this.#part ?? { added: {}, annotations: [] };
    const addedPart = asRecord(added["part"]);
    const [type, member] = wholeEvents[String(addedPart["type"])] ?? [];
    if (type === undefined || member === undefined) return [[], undefined];
    const isText = addedPart["type"] === "output_text";
    const part = { ...addedPart, [member]: text, ...(isText ? { annotations } : {}) };
    const isSummary = addedPart["type"] === "summary_text";
    const index = isSummary ? { summary_index: added["summary_index"] } : { content_index: added["content_index"] };
    const completePart = { [member]: text, ...(isText ? { logprobs: [] } : {}) };
    const done = isSummary ? "response.reasoning_summary_part.done" : "response.content_part.done";
    return [
      [event(type, { ...position, ...index, ...completePart }), event(done, { ...position, ...index, part })],
      part,
    ];
  }
}

export const extractDelta = memberTextReader(["delta", "text", "refusal", "name", "arguments"]);

import { dispatch, PartSequencer, StreamSummary, type EventHandlers } from "../hub/events.ts";
import { failureFrames } from "@modelgate/contracts";
import { isRecord, type JsonRecord } from "@modelgate/formats/json";
import type { TextEvent, OpenedPart } from "../hub/answer.ts";
import type { AnswerContext, StreamWriter } from "../hub/wire.ts";
import type { Citation, Part, Signature } from "../hub/part.ts";
import { isRedacted, renderSignature } from "../hub/signatures.ts";
import { answerBlocks, refusalDetails, signatureBlocks } from "./client-answer.ts";
import { renderCitation } from "./parts.ts";
import { renderUsage } from "./usage.ts";
import { stopReasonOf } from "./vendor-answer.ts";

export const ping = renderSseEvent("ping", '{"type":"ping"}');

/** Writes a stream of message events. */
export class MessagesWriter implements StreamWriter {
  readonly #context: AnswerContext;
  readonly #order = new PartSequencer();
  readonly #blocks = new MessagePartWriter();
  #started = false;
  #hasCalls = false;
  readonly #summary = new StreamSummary();
  #refusal: Part | undefined;
  readonly fail = failureFrames.messages;
  readonly #on: EventHandlers<string> = {
    start: () => this.#start(),
    ping: () => this.heartbeat(),
  };

  constructor(context: AnswerContext) {
    this.#context = context;
    this.#summary.usage = { inputTokens: context.inputTokens };
  }

  write(event: TextEvent): string {
    this.#summary.add(event);
    let text = dispatch(this.#on, event) ?? "";
    if ("part" in event && !this.#started) text += this.#start();
    for (const each of this.#order.add(event)) {
      if (each.type === "part-start") this.#begin(each.opened);
      text += this.#blocks.write(each);
    }
    return text;
  }

  #begin(opened: OpenedPart): void {
    if (opened.kind === "tool-call") this.#hasCalls = true;
    if (opened.kind === "refusal") this.#refusal = { ...opened, text: "" };
  }

  end(): string {
    const { finish, stopSequence = null, usage = {} } = this.#summary;
    const delta = {
      stop_reason: stopReasonOf(finish, this.#hasCalls),
      stop_sequence: stopSequence,
      ...refusalDetails(finish, this.#refusal),
    };
    const json = JSON.stringify({ type: "message_delta", delta, usage: renderUsage(usage) });
    const frames = this.#start() + this.#blocks.close();
    return frames + renderSseEvent("message_delta", json) + renderSseEvent("message_stop", '{"type":"message_stop"}');
  }

  /** Returns a ping, after `message_start` if that has not been sent: clients accept no ping before it. */
  heartbeat(): string {
    return this.#start() + ping;
  }

  /**
   * Returns the first event, and "" afterwards. Its number of input tokens is an estimate if the vendor has not
   * reported usage yet.
   */
  #start(): string {
    if (this.#started) return "";
    this.#started = true;
    const message = {
      id: this.#context.answerId,
      type: "message",
      role: "assistant",
      model: this.#context.model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: renderUsage(this.#summary.usage ?? {}),
    };
    return renderSseEvent("message_start", JSON.stringify({ type: "message_start", message }));
  }
}

/** Renders one event. SDKs drop events without the field `event`. */
export function renderSseEvent(type: string, json: string): string {
  return `event: ${type}\ndata: ${json}\n\n`;
}

const deltaHeads = {
  text: '{"type":"text_delta","text":',
  refusal: '{"type":"text_delta","text":',
  reasoning: '{"type":"thinking_delta","thinking":',
  "tool-call": '{"type":"input_json_delta","partial_json":',
} as const satisfies Record<OpenedPart["kind"], string>;

/** Writes the blocks of an answer. Clients must not get empty blocks, so a block begins with its first text. */
class MessagePartWriter {
  #index = 0;
  #opened: OpenedPart | undefined;
  #isOpen = false;
  #head = "";
  /**
   * Blocks with the signatures of texts. They are sent only if another block follows, because clients read the last
   * block as the answer.
   */
  #waiting: readonly JsonRecord[] = [];
  readonly #on: EventHandlers<string> = {
    "part-start": ({ opened }) => this.#start(opened),
    "part-delta": ({ text }) => (text === "" ? "" : this.#open() + this.#delta(text)),
    citation: ({ citation }) => this.#cite(citation),
    "part-end": ({ signature }) => this.#end(signature),
    "part-whole": ({ whole }) => this.#allWhole(answerBlocks(whole)),
  };

  write(event: TextEvent): string {
    return dispatch(this.#on, event) ?? "";
  }

  close(): string {
    return this.#opened === undefined ? "" : this.#end(undefined);
  }

  #start(opened: OpenedPart): string {
    // The vendor's explanation of a refusal is sent with the end of the message.
    if (opened.kind === "refusal" && opened.details !== undefined) return "";
    this.#opened = opened;
    if (opened.kind !== "tool-call") return "";
    // On this wire a free-text tool is a function with the member `input`.
    return this.#open() + (opened.custom === true ? this.#piece('{"input":"') : "");
  }

  #open(): string {
    const opened = this.#opened;
    if (this.#isOpen || opened === undefined) return "";
    const waited = this.#flush();
    this.#isOpen = true;
    this.#head = `event: content_block_delta\ndata: {"type":"content_block_delta","index":${this.#index},"delta":${deltaHeads[opened.kind]}`;
    if (opened.kind === "tool-call")
      return waited + this.#announce({ type: "tool_use", id: opened.id, name: opened.name, input: {} });
    const empty =
      opened.kind === "reasoning" ? { type: "thinking", thinking: "", signature: "" } : { type: "text", text: "" };
    return waited + this.#announce(empty);
  }

  #flush(): string {
    const waiting = this.#waiting;
    this.#waiting = [];
    return this.#allWhole(waiting);
  }

  #delta(text: string): string {
    const opened = this.#opened;
    if (opened === undefined) return "";
    return this.#piece(
      opened.kind === "tool-call" && opened.custom === true ? JSON.stringify(text).slice(1, -1) : text,
    );
  }

  #piece(text: string): string {
    return `${this.#head}${JSON.stringify(text)}}}\n\n`;
  }

  #cite(citation: Citation): string {
    if (this.#opened?.kind !== "text") return "";
    return renderCitation(citation)
      .map((each) => this.#open() + this.#renderDelta({ type: "citations_delta", citation: each }))
      .join("");
  }

  #end(signature: Signature | undefined): string {
    const opened = this.#opened;
    this.#opened = undefined;
    if (opened === undefined) return "";
    if (opened.kind === "reasoning") return this.#endReasoning(opened, signature);
    const wasOpen = this.#isOpen;
    const closing = opened.kind === "tool-call" && opened.custom === true ? this.#piece('"}') : "";
    const stopped = closing + this.#stop();
    if (opened.kind === "tool-call") return stopped + this.#allWhole(signatureBlocks(signature, { call: opened.id }));
    this.#waiting = [...this.#waiting, ...signatureBlocks(signature, wasOpen ? { previous: true } : {})];
    return stopped;
  }

  #endReasoning(opened: OpenedPart, signature: Signature | undefined): string {
    if (!this.#isOpen && signature === undefined) return "";
    const redacted = isRedacted(signature, "messages") ? signature?.value : undefined;
    let frames = "";
    if (redacted === undefined || this.#isOpen) {
      this.#opened = opened;
      frames += this.#open();
      this.#opened = undefined;
      const value = renderSignature(redacted === undefined ? signature : undefined, "messages");
      frames += this.#renderDelta({ type: "signature_delta", signature: value }) + this.#stop();
    }
    return redacted === undefined ? frames : frames + this.#wholeBlock({ type: "redacted_thinking", data: redacted });
  }

  #allWhole(blocks: readonly JsonRecord[]): string {
    return blocks.map((block) => this.#wholeBlock(block)).join("");
  }

  /** Writes a complete block. Clients expect its input as a delta. */
  #wholeBlock(block: JsonRecord): string {
    const waited = this.#flush();
    const { input } = block;
    if (!isRecord(input)) return waited + this.#announce(block) + this.#stopFrame();
    const start = this.#announce({ ...block, input: {} });
    const delta = this.#renderDelta({ type: "input_json_delta", partial_json: JSON.stringify(input) });
    return waited + start + delta + this.#stopFrame();
  }

  #announce(block: JsonRecord): string {
    const type = "content_block_start";
    return renderSseEvent(type, JSON.stringify({ type, index: this.#index, content_block: block }));
  }

  #renderDelta(delta: JsonRecord): string {
    const type = "content_block_delta";
    return renderSseEvent(type, JSON.stringify({ type, index: this.#index, delta }));
  }

  #stop(): string {
    if (!this.#isOpen) return "";
    this.#isOpen = false;
    return this.#stopFrame();
  }

  #stopFrame(): string {
    return renderSseEvent("content_block_stop", `{"type":"content_block_stop","index":${this.#index++}}`);
  }
}

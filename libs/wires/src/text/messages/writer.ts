import { failureFrames, type Failure, type Units } from "@modelgate/contracts";
import type { FinishReason, TextEvent } from "../hub/answer.ts";
import type { AnswerContext, StreamWriter } from "../hub/codec.ts";
import { dispatch } from "../hub/dispatch.ts";
import { OneAtATime } from "../hub/one-at-a-time.ts";
import { PartWriter, frame } from "./part-writer.ts";
import { stopReasonOf } from "./endings.ts";
import { renderUsage } from "./usage.ts";

/** Keeps a silent stream alive. */
export const ping = frame("ping", '{"type":"ping"}');

type Handlers = { readonly [Type in TextEvent["type"]]?: (event: Extract<TextEvent, { type: Type }>) => string };

/**
 * A stream of message events: one `message_start`, blocks strictly one after another, one `message_delta` with the
 * end's reason and the usage so far, one `message_stop`.
 */
export class MessagesWriter implements StreamWriter {
  readonly #context: AnswerContext;
  readonly #order = new OneAtATime();
  readonly #blocks = new PartWriter();
  #started = false;
  #calls = false;
  #usage: Units;
  #finish: FinishReason = "other";
  #stopSequence: string | undefined;
  readonly #on: Handlers = {
    start: ({ usage }) => {
      this.#usage = usage ?? this.#usage;
      return this.#start();
    },
    usage: ({ usage }) => {
      this.#usage = usage;
      return "";
    },
    finish: ({ choice, reason, stopSequence }) => {
      if (choice !== 0) return "";
      this.#finish = reason;
      this.#stopSequence = stopSequence;
      return "";
    },
    ping: () => this.heartbeat(),
  };

  constructor(context: AnswerContext) {
    this.#context = context;
    this.#usage = { inputTokens: context.inputTokens };
  }

  /** A vendor's `failure` writes nothing: the caller reports it by `fail`. */
  write(event: TextEvent): string {
    let text = dispatch(this.#on, event) ?? "";
    if ("part" in event && !this.#started) text += this.#start();
    for (const each of this.#order.take(event)) {
      if (each.type === "part-start" && each.opened.kind === "tool-call") this.#calls = true;
      text += this.#blocks.write(each);
    }
    return text;
  }

  end(): string {
    const delta = {
      stop_reason: stopReasonOf(this.#finish, this.#calls),
      stop_sequence: this.#stopSequence ?? null,
    };
    const json = JSON.stringify({ type: "message_delta", delta, usage: renderUsage(this.#usage) });
    const written = this.#start() + this.#blocks.close();
    return written + frame("message_delta", json) + frame("message_stop", '{"type":"message_stop"}');
  }

  fail(failure: Failure, requestId: string): string {
    return failureFrames.messages(failure, requestId);
  }

  /** Clients may get it after the message's beginning only. */
  heartbeat(): string {
    return this.#start() + ping;
  }

  /** The vendor's own count of the input where it came with its first words, else the gateway's: never zero. */
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
      usage: renderUsage(this.#usage),
    };
    return frame("message_start", JSON.stringify({ type: "message_start", message }));
  }
}

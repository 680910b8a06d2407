import { dispatch, StreamSummary, type EventHandlers } from "../hub/events.ts";
import { Failure, failureFrames } from "@modelgate/contracts";
import type { JsonRecord } from "@modelgate/formats/json";
import type { OpenedPart, TextEvent } from "../hub/answer.ts";
import type { AnswerContext, StreamWriter } from "../hub/wire.ts";
import { logProbability } from "../hub/content.ts";
import { renderCall, type AnswerForm, type OllamaContent, lastMembers, timeOf } from "./answer.ts";

/** Maximum buffered characters of arguments. They are buffered because this wire sends a call in one piece. */
const maxBufferedCharacters = 8 * 2 ** 20;

/** White space before a line's JSON, which keeps the connection alive. An empty line would break some readers. */
export const keepAliveSpace = " ";

/** Writes a stream of JSON lines. */
export class LineWriter implements StreamWriter {
  readonly #context: AnswerContext;
  readonly #form: AnswerForm;
  readonly #open = new Map<number, { readonly opened: OpenedPart; readonly pieces: string[] }>();
  #calls = 0;
  #bufferedCharacters = 0;
  readonly #summary = new StreamSummary();
  /** Milliseconds until the first piece of the answer. */
  #untilFirstText: number | undefined;
  readonly fail = failureFrames.ollama;
  readonly heartbeat = (): string => keepAliveSpace;
  readonly #on: EventHandlers<string> = {
    "part-start": ({ part, opened }) => {
      this.#open.set(part, { opened, pieces: [] });
      return "";
    },
    "part-delta": (event) => this.#delta(event),
    "part-end": ({ part }) => this.#end(part),
    "part-whole": ({ whole }) =>
      whole.kind === "image" && whole.source.kind === "base64" ? this.#piece({ images: [whole.source.data] }) : "",
    ping: () => keepAliveSpace,
  };

  constructor(context: AnswerContext, form: AnswerForm) {
    this.#context = context;
    this.#form = form;
  }

  /** Renders an event as lines. This wire sends only the first choice. */
  write(event: TextEvent): string {
    if ("choice" in event && event.choice !== 0) return "";
    this.#summary.add(event);
    return dispatch(this.#on, event) ?? "";
  }

  end(): string {
    const durations = { total: this.#context.elapsedMs?.() ?? 0, untilFirstText: this.#untilFirstText };
    return this.#line({ ...this.#form({}), ...lastMembers(this.#summary.finish, this.#summary.usage, durations) });
  }

  #delta({ part, text, logProbabilities }: Extract<TextEvent, { type: "part-delta" }>): string {
    const open = this.#open.get(part);
    if (open === undefined) return "";
    if (open.opened.kind === "reasoning") return this.#piece({ thinking: text });
    if (open.opened.kind !== "tool-call")
      return this.#piece({ text }, logProbabilities === undefined ? undefined : logProbabilities.map(logProbability));
    this.#bufferedCharacters += text.length;
    if (this.#bufferedCharacters > maxBufferedCharacters)
      throw new Failure("upstream_error", "A tool call is too large to be sent in one piece.");
    open.pieces.push(text);
    return "";
  }

  #end(part: number): string {
    const open = this.#open.get(part);
    this.#open.delete(part);
    if (open?.opened.kind !== "tool-call") return "";
    const text = open.pieces.join("");
    this.#bufferedCharacters -= text.length;
    return this.#piece({ calls: [renderCall({ ...open.opened, arguments: text }, this.#calls++)] });
  }

  #piece(content: OllamaContent, logprobs?: readonly JsonRecord[]): string {
    this.#untilFirstText ??= this.#context.elapsedMs?.();
    return this.#line({ ...this.#form(content), logprobs, done: false });
  }

  #line(members: JsonRecord): string {
    const { model, now } = this.#context;
    return `${JSON.stringify({ model, created_at: timeOf(now), ...members })}\n`;
  }
}

import { dispatch, type EventHandlers } from "../hub/events.ts";
import { Failure, renderFailure, type Units, withoutUndefined } from "@modelgate/contracts";
import type { JsonRecord } from "@modelgate/formats/json";
import { parseFrame } from "@modelgate/formats/sse";
import type { FinishReason, OpenedPart, TextEvent } from "../hub/answer.ts";
import type { AnswerContext, StreamWriter, ClientFraming } from "../hub/wire.ts";
import { answerPart, renderTextPart } from "./client-answer.ts";
import { renderSignature } from "./parts.ts";
import { renderCitations, renderProbabilities } from "./sources.ts";
import { renderUsage } from "./usage.ts";
import { contentFinishReasons } from "./vendor-answer.ts";
import { renderCall } from "./vendor-turns.ts";

/** Maximum buffered characters of arguments. They are buffered because this wire sends a call in one piece. */
export const maxBufferedCharacters = 8 * 2 ** 20;

/** Writes a stream of pieces. Finish reasons and usage are in the last piece. */
export class ContentWriter implements StreamWriter {
  readonly #context: AnswerContext;
  readonly #framing: ClientFraming;
  readonly #open = new Map<string, { readonly opened: OpenedPart; readonly pieces: string[] }>();
  readonly #finishes = new Map<number, FinishReason>();
  #usage: Units | undefined;
  #finishMessage: string | undefined;
  /** JSON after the candidates, cached until the usage changes. */
  #tail: string | undefined;
  #bufferedCharacters = 0;
  readonly #on: EventHandlers<string> = {
    start: ({ usage }) => this.#setUsage(usage),
    usage: ({ usage }) => this.#setUsage(usage),
    "part-start": ({ choice, part, opened }) => {
      this.#open.set(partKey(choice, part), { opened, pieces: [] });
      return "";
    },
    "part-delta": (event) => this.#delta(event),
    citation: ({ choice, citation }) => {
      const citationMetadata = renderCitations([citation]);
      return citationMetadata === undefined ? "" : this.#piece([{ ...emptyCandidate(choice), citationMetadata }]);
    },
    "part-end": (event) => this.#end(event),
    "part-whole": ({ choice, whole }) => this.#parts(choice, answerPart(whole)),
    finish: ({ choice, reason }) => {
      this.#finishes.set(choice, reason);
      return "";
    },
    ping: () => this.heartbeat(),
  };

  constructor(context: AnswerContext, framing: ClientFraming) {
    this.#context = context;
    this.#framing = framing;
  }

  write(event: TextEvent): string {
    return dispatch(this.#on, event) ?? "";
  }

  end(): string {
    if (this.#finishes.size === 0) this.#finishes.set(0, "other");
    const ends = [...this.#finishes].map(([choice, reason]) => ({
      ...emptyCandidate(choice),
      finishReason: contentFinishReasons[reason],
      finishMessage: this.#finishMessage,
    }));
    return this.#piece(ends) + this.#framing.end();
  }

  fail(failure: Failure, requestId: string): string {
    return this.#framing.piece(JSON.stringify(renderFailure("gamma", failure, requestId))) + this.#framing.end();
  }

  heartbeat(): string {
    return this.#framing.heartbeat();
  }

  #setUsage(usage: Units | undefined): string {
    this.#usage = usage ?? this.#usage;
    this.#tail = undefined;
    return "";
  }

  #delta({ choice, part, text, logProbabilities }: Extract<TextEvent, { type: "part-delta" }>): string {
    const open = this.#open.get(partKey(choice, part));
    if (open === undefined) return "";
    if (open.opened.kind === "refusal" && open.opened.details !== undefined) {
      this.#finishMessage = (this.#finishMessage ?? "") + text;
      return "";
    }
    if (open.opened.kind !== "tool-call") {
      const piece = renderCandidate(choice, [renderTextPart(text, open.opened.kind === "reasoning", undefined)]);
      if (logProbabilities === undefined) return this.#piece([piece]);
      return this.#piece([withoutUndefined({ ...piece, logprobsResult: renderProbabilities(logProbabilities) })]);
    }
    this.#bufferedCharacters += text.length;
    if (this.#bufferedCharacters > maxBufferedCharacters)
      throw new Failure("upstream_error", "A tool call is too large to be sent in one piece.");
    open.pieces.push(text);
    return "";
  }

  #end({ choice, part, signature }: Extract<TextEvent, { type: "part-end" }>): string {
    const key = partKey(choice, part);
    const open = this.#open.get(key);
    this.#open.delete(key);
    if (open?.opened.kind === "tool-call") {
      const text = open.pieces.join("");
      this.#bufferedCharacters -= text.length;
      return this.#parts(choice, [renderCall({ ...open.opened, arguments: text }, renderSignature(signature))]);
    }
    if (open === undefined || signature === undefined) return "";
    return this.#parts(choice, [renderTextPart("", open.opened.kind === "reasoning", signature)]);
  }

  #parts(choice: number, parts: readonly JsonRecord[]): string {
    return parts.length === 0 ? "" : this.#piece([renderCandidate(choice, parts)]);
  }

  #piece(candidates: readonly JsonRecord[]): string {
    this.#tail ??= this.#renderTail();
    return this.#framing.piece(`{"candidates":${JSON.stringify(candidates)},${this.#tail}`);
  }

  #renderTail(): string {
    const usageMetadata = this.#usage === undefined ? undefined : renderUsage(this.#usage);
    const { model, answerId } = this.#context;
    return JSON.stringify({ usageMetadata, modelVersion: model, responseId: answerId }).slice(1);
  }
}

function renderCandidate(index: number, parts: readonly JsonRecord[]): JsonRecord {
  return { content: { role: "model", parts }, index };
}

/** Renders a piece without content. Its text is empty, because SDKs of Google forget a turn that has a piece without parts. */
export function emptyCandidate(index: number): JsonRecord {
  return renderCandidate(index, [{ text: "" }]);
}

function partKey(choice: number, part: number): string {
  return `${choice}:${part}`;
}

/**
 * Piece with an empty text. It is sent instead of a comment, because some SDKs (Gemini CLI 0.61, google-genai) read a
 * comment as data, and then end the stream.
 */
const keepAliveChunk = JSON.stringify({ candidates: [emptyCandidate(0)] });

/** Creates the framing of `alt=sse`, which has no event names and no final event. */
export function sseFraming(): ClientFraming {
  const piece = (json: string): string => `data: ${json}\r\n\r\n`;
  return {
    contentType: "text/event-stream; charset=utf-8",
    piece,
    reframe: (frame) => reframe(frame, piece),
    end: () => "",
    heartbeat: () => piece(keepAliveChunk),
  };
}

/** Creates the framing without `alt`: one JSON array. White space between its elements keeps the stream alive. */
export function arrayFraming(): ClientFraming {
  let began = false;
  const piece = (json: string): string => {
    const before = began ? ",\r\n" : "[";
    began = true;
    return before + json;
  };
  return {
    contentType: "application/json; charset=utf-8",
    piece,
    reframe: (frame) => reframe(frame, piece),
    end: () => (began ? "]" : "[]"),
    heartbeat: () => "\n",
  };
}

function reframe(frame: Buffer, piece: (json: string) => string): string {
  const data = parseFrame(frame.toString())?.data;
  return data === undefined ? "" : piece(data);
}

import { keepAlive } from "@modelgate/formats/sse";
import { dispatch, StreamSummary, type EventHandlers } from "../hub/events.ts";
import { failureFrames, Failure } from "@modelgate/contracts";
import type { JsonRecord } from "@modelgate/formats/json";
import type { TextEvent, FinishReason, OpenedPart, WholePart } from "../hub/answer.ts";
import type { AnswerContext, StreamWriter } from "../hub/wire.ts";
import { logProbability } from "../hub/content.ts";
import type { Citation, Signature, TokenProbability } from "../hub/part.ts";
import { unwrapCustom } from "../hub/tool-calls.ts";
import type { AnswerStyle } from "./client-answer.ts";
import { answerStyleOf, renderAnnotation, isWrappedCall, completePartMembers } from "./client-answer.ts";
import { renderDetail, renderExtraContent } from "./reasoning-details.ts";
import { renderUsage } from "./usage.ts";
import { renderFinishReason } from "./vendor-answer.ts";

/** Writes a stream of chunks. */
export class ChatWriter implements StreamWriter {
  readonly #context: AnswerContext;
  readonly #chunks: Chunks;
  readonly #style: AnswerStyle;
  readonly #choices = new Map<number, ChatPartWriter>();
  readonly fail = failureFrames.chat;
  readonly heartbeat = (): string => keepAlive;
  readonly #summary = new StreamSummary();
  readonly #on: EventHandlers<string> = {
    start: () => this.#choice(0).begin(),
    "part-start": ({ choice, part, opened }) => this.#writeTo(choice, (writer) => writer.start(part, opened)),
    citation: ({ choice, part, citation }) => {
      this.#choice(choice).cite(part, citation);
      return "";
    },
    "part-end": ({ choice, part, signature }) => this.#writeTo(choice, (writer) => writer.end(part, signature)),
    "part-whole": ({ choice, whole }) => this.#writeTo(choice, (writer) => writer.whole(whole)),
    finish: ({ choice, reason }) => this.#writeTo(choice, (writer) => writer.finish(reason)),
    ping: () => keepAlive,
  };

  constructor(context: AnswerContext) {
    this.#context = context;
    this.#chunks = new Chunks(context);
    this.#style = answerStyleOf(context);
  }

  write(event: TextEvent): string {
    // Deltas are frequent, so they do not use the table of handlers.
    if (event.type === "part-delta")
      return this.#choice(event.choice).delta(event.part, event.text, event.logProbabilities ?? []);
    this.#summary.add(event);
    return dispatch(this.#on, event) ?? "";
  }

  end(): string {
    const ends = [this.#choice(0), ...this.#choices.values()].map((choice) => choice.begin() + choice.finish("other"));
    const requestedUsage = this.#context.request.includeUsage === true ? this.#summary.usage : undefined;
    const usage = requestedUsage === undefined ? "" : this.#chunks.usage(renderUsage(requestedUsage));
    return `${ends.join("")}${usage}data: [DONE]\n\n`;
  }

  #writeTo(choice: number, write: (choice: ChatPartWriter) => string): string {
    const writer = this.#choice(choice);
    return writer.begin() + write(writer);
  }

  #choice(index: number): ChatPartWriter {
    const writer = this.#choices.get(index) ?? new ChatPartWriter(index, this.#chunks, this.#context, this.#style);
    this.#choices.set(index, writer);
    return writer;
  }
}

/** Maximum buffered characters of free-text tools' calls. */
export const maxBufferedCharacters = 8 * 2 ** 20;

const maxCitations = 4_096;

interface OpenChatPart {
  readonly opened: OpenedPart;
  /** JSON around a delta's text; undefined if the text is buffered or left out. */
  readonly frameAround: ChunkFrame | undefined;
  readonly call: number;
  readonly bufferedPieces: string[] | undefined;
  readonly from: number;
  length: number;
}

class ChatPartWriter {
  readonly #choice: number;
  readonly #chunks: Chunks;
  readonly #context: AnswerContext;
  readonly #style: AnswerStyle;
  readonly #around: ChunkFrame;
  readonly #open = new Map<number, OpenChatPart>();
  /** Number of characters sent so far. Signatures refer to positions in the joined text. */
  readonly #written = { text: 0, reasoning: 0 };
  #hasBegun = false;
  #hasFinished = false;
  #isRefused = false;
  #calls = 0;
  #details = 0;
  #images = 0;
  /** Citations. They are sent together, because clients cannot join lists whose entries have no index. */
  readonly #annotations: unknown[] = [];
  #bufferedCharacters = 0;

  constructor(choice: number, chunks: Chunks, context: AnswerContext, style: AnswerStyle) {
    this.#choice = choice;
    this.#chunks = chunks;
    this.#context = context;
    this.#style = style;
    this.#around = chunks.frameAround(choice);
  }

  begin(): string {
    if (this.#hasBegun) return "";
    this.#hasBegun = true;
    return this.#chunk({ role: "assistant", content: "", refusal: null });
  }

  start(part: number, opened: OpenedPart): string {
    const { kind } = opened;
    if (kind === "tool-call") return this.#startCall(part, opened);
    if (kind === "refusal") this.#isRefused = true;
    const hidden = kind === "reasoning" && this.#style.hidesReasoning;
    const name = kind === "text" ? "content" : kind === "reasoning" ? "reasoning_content" : "refusal";
    this.#open.set(part, {
      opened,
      frameAround: hidden ? undefined : this.#aroundText(`"${name}":`, ""),
      call: 0,
      bufferedPieces: undefined,
      from: kind === "refusal" ? 0 : this.#written[kind],
      length: 0,
    });
    return "";
  }

  delta(part: number, text: string, probabilities: readonly TokenProbability[]): string {
    const open = this.#open.get(part);
    if (open === undefined) return "";
    open.length += text.length;
    if (open.bufferedPieces !== undefined) this.#addToBuffer(open.bufferedPieces, text);
    if (open.frameAround === undefined) return "";
    if (probabilities.length > 0 && open.opened.kind === "text")
      return this.#chunks.withProbabilities(this.#choice, { content: text }, probabilities.map(logProbability));
    return open.frameAround.before + JSON.stringify(text) + open.frameAround.after;
  }

  cite(part: number, citation: Citation): void {
    const open = this.#open.get(part);
    if (open === undefined || this.#annotations.length >= maxCitations) return;
    this.#annotations.push(...renderAnnotation(citation, open.from, open.length));
  }

  end(part: number, signature: Signature | undefined): string {
    const open = this.#open.get(part);
    if (open === undefined) return "";
    this.#open.delete(part);
    const { opened, from } = open;
    const span = [from, from + open.length] as const;
    if (opened.kind === "tool-call") return this.#endCall(open, signature);
    if (opened.kind === "refusal") return "";
    this.#written[opened.kind] = span[1];
    if (signature === undefined || open.frameAround === undefined) return "";
    const partReference = opened.kind === "text" ? ({ span, previous: true } as const) : { span, id: opened.id };
    return this.#chunk({ reasoning_details: renderDetail(signature, { ...partReference, index: this.#details++ }) });
  }

  whole(whole: WholePart): string {
    const members = completePartMembers(whole, this.#context, this.#images);
    if (whole.kind === "image") this.#images++;
    return Object.keys(members).length > 0 ? this.#chunk(members) : "";
  }

  finish(reason: FinishReason): string {
    if (this.#hasFinished) return "";
    this.#hasFinished = true;
    const cited = this.#annotations.length > 0 ? this.#chunk({ annotations: this.#annotations }) : "";
    return (
      cited + this.#chunks.finish(this.#choice, renderFinishReason(reason, this.#isRefused, this.#style.legacyCalls))
    );
  }

  #startCall(part: number, opened: Extract<OpenedPart, { kind: "tool-call" }>): string {
    const call = this.#calls++;
    const { id, name } = opened;
    const bufferedPieces = isWrappedCall(opened, this.#style) ? [] : undefined;
    const custom = bufferedPieces !== undefined || opened.custom === true;
    const before = { opened, call, bufferedPieces, from: 0, length: 0 };
    if (this.#style.legacyCalls) {
      const first = call === 0 ? this.#aroundText(`"function_call":{"arguments":`, "}") : undefined;
      this.#open.set(part, { ...before, bufferedPieces: undefined, frameAround: first });
      return call === 0 ? this.#chunk({ function_call: { name, arguments: "" } }) : "";
    }
    const member = custom ? `"custom":{"input":` : `"function":{"arguments":`;
    const frame = this.#aroundText(`"tool_calls":[{"index":${call},${member}`, "}}]");
    this.#open.set(part, { ...before, frameAround: bufferedPieces === undefined ? frame : undefined });
    const tool = custom
      ? { type: "custom", custom: { name, input: "" } }
      : { type: "function", function: { name, arguments: "" } };
    return this.#chunk({ tool_calls: [{ index: call, id, ...tool }] });
  }

  /** Renders the end of a call. Some clients require arguments next to a signature, so empty ones are sent. */
  #endCall({ opened, call, bufferedPieces }: OpenChatPart, signature: Signature | undefined): string {
    const wrapped = bufferedPieces?.join("") ?? "";
    this.#bufferedCharacters -= wrapped.length;
    const input = wrapped === "" ? "" : unwrapCustom(wrapped);
    const late = input === "" ? "" : this.#chunk({ tool_calls: [{ index: call, custom: { input } }] });
    if (signature === undefined || this.#style.legacyCalls) return late;
    const custom = bufferedPieces !== undefined || (opened.kind === "tool-call" && opened.custom === true);
    const empty = custom ? { custom: { input: "" } } : { function: { arguments: "" } };
    return (
      late + this.#chunk({ tool_calls: [{ index: call, ...empty, extra_content: renderExtraContent(signature) }] })
    );
  }

  #addToBuffer(bufferedPieces: string[], text: string): void {
    this.#bufferedCharacters += text.length;
    if (this.#bufferedCharacters > maxBufferedCharacters)
      throw new Failure("upstream_error", "A tool call is too large to be sent in one piece.");
    bufferedPieces.push(text);
  }

  #aroundText(before: string, after: string): ChunkFrame {
    return { before: this.#around.before + before, after: after + this.#around.after };
  }

  #chunk(delta: JsonRecord): string {
    return this.#around.before + JSON.stringify(delta).slice(1, -1) + this.#around.after;
  }
}

/** JSON before and after a delta's text. It is rendered once, not for each delta. */
interface ChunkFrame {
  readonly before: string;
  readonly after: string;
}

class Chunks {
  readonly #head: string;
  readonly #tail: string;

  constructor({ answerId, now, model, request }: AnswerContext) {
    const head = JSON.stringify({ id: answerId, object: "chat.completion.chunk", created: now, model });
    this.#head = `data: ${head.slice(0, -1)},"choices":[`;
    // If usage is requested, all chunks but the last have `usage: null`.
    this.#tail = request.includeUsage === true ? `],"usage":null}\n\n` : "]}\n\n";
  }

  frameAround(choice: number): ChunkFrame {
    return {
      before: `${this.#head}{"index":${choice},"delta":{`,
      after: `},"logprobs":null,"finish_reason":null}${this.#tail}`,
    };
  }

  withProbabilities(choice: number, delta: JsonRecord, content: readonly JsonRecord[]): string {
    return this.#chunk({ index: choice, delta, logprobs: { content, refusal: null }, finish_reason: null });
  }

  finish(choice: number, reason: string): string {
    return this.#chunk({ index: choice, delta: {}, logprobs: null, finish_reason: reason });
  }

  usage(usage: JsonRecord): string {
    return `${this.#head}],"usage":${JSON.stringify(usage)}}\n\n`;
  }

  #chunk(choice: JsonRecord): string {
    return this.#head + JSON.stringify(choice) + this.#tail;
  }
}

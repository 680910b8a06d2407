import { withoutUndefined, type Failure, type Units } from "@modelgate/contracts";
import {
  type JsonRecord,
  parseJson,
  asRecords,
  changeMember,
  parseMember,
  spliceInTurns,
  spliceMembers,
} from "@modelgate/formats/json";
import type { ReportedExtraUsage } from "./fees.ts";

/** Content of a forwarded frame that the gateway needs. */
export interface SeenFrame {
  /** Newest usage report, combined with earlier ones if the wire reports usage in pieces. */
  readonly usage?: Units | undefined;
  /** True for a frame with content, on a wire whose vendor does not charge for a refusal before any content. */
  readonly hasContent?: boolean | undefined;
  readonly fees?: ReportedExtraUsage | undefined;
  /** True for an extra frame with usage only, which is hidden from a client that did not request it. */
  readonly usageOnly: boolean;
  /** True for the wire's terminal frame, or a frame after which nothing may follow. */
  readonly done: boolean;
  /** True if the vendor reports in the stream that it failed. */
  readonly failed: boolean;
  /** True if the vendor failed because it is overloaded. */
  readonly overloaded?: boolean | undefined;
  /** Number of the frame, on a wire that numbers them. */
  readonly sequence?: number | undefined;
}

export const plainFrame: SeenFrame = { usageOnly: false, done: false, failed: false };

/**
 * Forwards a stream on one wire: frames are not converted, only inspected. `renameFrame` and `echoFrame` change single
 * members.
 */
export interface TextStreamPass {
  /** Inspects a frame. `before`: usage reported so far. `hadContent`: an earlier frame had content. */
  inspect(frame: Buffer, before?: Units, hadContent?: boolean): SeenFrame;
  /**
   * Returns false if complete frames contain only output of the model, so that `inspect` has nothing to find in them.
   * Absent: `inspect` reads every frame.
   */
  mayBeNotable?(frames: Buffer): boolean;
  /** True if a stream may be complete without a terminal frame, since its wire has no such frame. */
  readonly endsWithConnection: boolean;
  renameFrame(frame: Buffer, model: string): Buffer;
  /** Adds members of the request that the vendor was not sent. Absent: answers do not repeat the request. */
  echoFrame?(frame: Buffer, echo: JsonRecord): Buffer;
  /** Returns the raw piece of a frame that contains the model's text; `extractText` reads the text. */
  extractRawText(frame: Buffer): string;
  /** Reads the model's text from joined pieces of frames, or from a complete answer. */
  extractText(raw: string): string;
  showsReasoning(frame: Buffer): boolean;
  /** Renders the failure that ends a stream. `sequence` is the last frame's number, if frames have one. */
  failureFrame(failure: Failure, requestId: string, sequence?: number): string;
  /** Frame that keeps a silent stream alive. */
  readonly heartbeat: string;
  /** Creates the state for ending a new stream early. Absent: streams of this wire cannot be ended early. */
  earlyEnd?(options: EarlyEndOptions): EarlyEnd;
}

export interface PassTarget {
  readonly model: string;
  /** Ids of items that the request carries and that this vendor's store does not have. */
  readonly foreignItems: ReadonlySet<string>;
}

export interface FittedBody {
  readonly body: Buffer;
  /** Lost parts, by their names in the neutral form or on the wire. */
  readonly dropped: readonly string[];
}

/** Pass-through on one wire: only a few members change. Complete bodies are read in steps of milliseconds. */
export interface TextPass extends TextStreamPass {
  /** Returns false for a body that the model refuses, which is converted instead. Absent: always true. */
  takes?(body: Buffer, model: string): Generator<undefined, boolean>;
  /** True if `upstreamBody` removes other wires' signatures, so that a body with such signatures can be passed. */
  readonly dropsForeignSignatures: boolean;
  /** Members in which a vendor's model may read its output limit; the first is preferred. */
  boundOrder(model: string): readonly string[];
  /** Sets the limit of each answer's output. Absent: the first member of `boundOrder` is set. */
  withBound?(body: Buffer, tokens: number): Generator<undefined, Buffer>;
  /** Lists the `foreignNames` that a model refuses, to be removed. Absent: none are removed; `takes` decides. */
  refuses?(names: readonly string[], model: string): readonly string[];
  /** Returns the request with the vendor's model name, and usage requested in streams; if unchanged, the same bytes. */
  upstreamBody(
    body: Buffer,
    change: { readonly model?: string | undefined; readonly reportUsage: boolean },
  ): Generator<undefined, Buffer>;
  /** Changes the request to what the target accepts; lists the parts left out. Absent: no request needs a change. */
  fit?(body: Buffer, target: PassTarget): Generator<undefined, FittedBody>;
  renameAnswer(answer: Buffer, model: string): Buffer;
  /** Adds members of the request that the vendor was not sent to a complete answer, as `echoFrame` does to frames. */
  echoAnswer?(answer: Buffer, echo: JsonRecord): Buffer;
  /** Reads the usage of a complete answer. Throws Failure upstream_error if it failed or is not of this wire. */
  usage(answer: JsonRecord): Units | undefined;
  /** Reads a complete answer's charges in addition to tokens; undefined for none. */
  fees(answer: JsonRecord): ReportedExtraUsage | undefined;
}

/** Sets the limit of each answer's output in a request without one, in the member that the vendor's model prefers. */
export function* withBound(
  pass: TextPass,
  body: Buffer,
  { tokens, model }: { readonly tokens: number; readonly model: string },
): Generator<undefined, Buffer> {
  if (pass.withBound !== undefined) return yield* pass.withBound(body, tokens);
  const [name] = pass.boundOrder(model);
  if (name === undefined) throw new Error("a wire without a member for the bound of output");
  return yield* spliceInTurns(body, { [name]: String(tokens) });
}

/** Returns JSON bytes with another model name at `path`; an absent member stays absent. */
export function renameAt(json: Buffer, path: readonly string[], model: string): Buffer {
  const [name, ...rest] = path;
  if (name === undefined) return json;
  return changeMember(json, name, (inner) =>
    rest.length === 0 ? JSON.stringify(model) : renameAt(inner, rest, model),
  );
}

/** Returns an answer with members of the request that the vendor was not sent; undefined ones are left out. */
export function withEcho(answer: Buffer, echo: JsonRecord): Buffer {
  const members = Object.entries(withoutUndefined(echo)).map(([name, value]) => [name, JSON.stringify(value)] as const);
  return spliceMembers(answer, Object.fromEntries(members));
}

/** Creates the function that returns a frame's text from a byte sequence to the last brace; "" without the sequence. */
export function textFrom(needle: Buffer): (frame: Buffer) => string {
  return (frame) => {
    const index = frame.indexOf(needle);
    return index < 0 ? "" : frame.toString("utf8", index, frame.lastIndexOf(0x7d));
  };
}

export function frameIncludes(...texts: readonly string[]): (frame: Buffer) => boolean {
  const bytes = texts.map((text) => Buffer.from(text));
  return (frame) => {
    for (const needle of bytes) if (frame.includes(needle)) return true;
    return false;
  };
}

/** Reads a top-level member of a complete answer by parsing, since the model's text may contain its name too. */
export function memberOf(answer: Buffer, name: string): unknown {
  try {
    return parseMember(answer, name);
  } catch {
    return undefined;
  }
}

/** Creates a reader of the model's text in raw JSON; `members` are the wire's members that contain text. */
export function memberTextReader(members: readonly string[]): (raw: string) => string {
  /** Matches such a member up to the opening quote of its value. */
  const opening = new RegExp(`"(?:${members.join("|")})"\\s*:\\s*"`, "g");
  return (raw) => {
    let text = "";
    // The end of each literal is searched in code, since a regular expression overflows its stack at megabytes.
    for (opening.lastIndex = 0; opening.test(raw);) {
      const open = opening.lastIndex - 1;
      const end = endOfLiteral(raw, open);
      text += literalText(raw.slice(open, end));
      opening.lastIndex = end;
    }
    return text;
  };
}

/** Decodes a string literal; a truncated or malformed one is returned unchanged. */
function literalText(literal: string): string {
  const inside = literal.slice(1, literal.endsWith('"') ? -1 : undefined);
  if (!literal.includes("\\")) return inside;
  const text = parseJson(literal);
  return typeof text === "string" ? text : inside;
}

/** Returns the index after the closing quote of the literal that opens at `open`, or the text's end. */
function endOfLiteral(text: string, open: number): number {
  for (let end = text.indexOf('"', open + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text[end - 1 - slashes] === "\\") slashes++;
    if (slashes % 2 === 0) return end + 1;
  }
  return text.length;
}

/** Options of a client's call that decide how its stream is ended early. */
export interface EarlyEndOptions {
  /** Number of answers (choices) that the client requested. */
  readonly choices: number;
  /** True if the client wants usage in a separate frame, on wires with that option. */
  readonly includeUsage: boolean;
}

/** State of a forwarded stream that is needed to end it before its vendor does. */
export interface EarlyEnd {
  /** Records a frame that was sent to the client; `raw` is its piece with the model's text, from `extractRawText`. */
  recordFrame(frame: Buffer, raw: string): void;
  /** Returns frames that end the stream at its output limit; undefined if nothing was sent. */
  frames(used: Units, sequence: number | undefined): readonly string[] | undefined;
}

/** Form of a stream in which each frame lists pieces of one or more answers; an answer's last piece has a reason. */
interface EarlyChunkForm {
  read(frame: Buffer): JsonRecord | undefined;
  /** Names of the member that lists the answers, and of the member with an answer's end reason. */
  readonly list: string;
  readonly end: string;
  readonly endBytes: Buffer;
  frames(like: JsonRecord, open: readonly number[], used: Units): readonly string[];
}

/** Creates an `EarlyEnd` of chunks, with a sent frame as template and the indexes of the ended answers. */
export function endOfChunks({ choices }: EarlyEndOptions, form: EarlyChunkForm): EarlyEnd {
  let like: JsonRecord | undefined;
  const ended = new Set<number>();
  return {
    recordFrame(frame) {
      if (like !== undefined && !frame.includes(form.endBytes)) return;
      const chunk = form.read(frame);
      if (chunk === undefined) return;
      like ??= chunk;
      for (const { index, [form.end]: reason } of asRecords(chunk[form.list]))
        if (typeof reason === "string") ended.add(typeof index === "number" ? index : 0);
    },
    frames(used) {
      if (like === undefined) return undefined;
      const open = Array.from({ length: choices }, (_, index) => index).filter((index) => !ended.has(index));
      return form.frames(like, open, used);
    },
  };
}

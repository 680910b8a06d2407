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
import type { FailureEvent } from "./hub/answer.ts";

/** Data of a forwarded frame that the gateway needs. */
export interface SeenFrame {
  /** Newest usage report, combined with earlier ones if the wire reports usage in pieces. */
  readonly usage?: Units | undefined;
  /** True for a frame with content, if the vendor does not charge for a refusal before any content. */
  readonly hasContent?: boolean | undefined;
  readonly fees?: ReportedExtraUsage | undefined;
  /** True for a frame with usage only. It is removed for clients that did not request usage. */
  readonly usageOnly: boolean;
  /** True for the frame that the wire marks as the last one of a complete stream. */
  readonly done: boolean;
  readonly failure: FailureEvent | undefined;
  /** Number of the frame, on a wire that numbers them. */
  readonly sequence?: number | undefined;
}

export const plainFrame: SeenFrame = { usageOnly: false, done: false, failure: undefined };

/**
 * Forwards a stream between a client and a vendor of the same wire. Frames are not converted; only single members
 * change.
 */
export interface TextStreamPass {
  /** Inspects a frame. `before` is the usage reported so far. `hadContent` is true if an earlier frame had content. */
  inspect(frame: Buffer, before?: Units, hadContent?: boolean): SeenFrame;
  /** Returns the index of the first bytes for which `inspect` may be needed; -1 if all frames contain only output. */
  indexOfNotable?(frames: Buffer): number;
  /** True if the wire has no terminal frame. */
  readonly endsWithConnection: boolean;
  renameFrame(frame: Buffer, model: string): Buffer;
  /** Sets the members of `echo` in the answer that a frame contains. */
  echoFrame?(frame: Buffer, echo: JsonRecord): Buffer;
  /** Returns the raw piece of a frame that contains the model's text, for `extractText`. */
  extractRawText(frame: Buffer): string;
  /** Reads the model's text from joined raw pieces, or from a complete answer. */
  extractText(raw: string): string;
  showsReasoning(frame: Buffer): boolean;
  /**
   * Renders the failure that ends a stream. `sequence` is the number of the last frame, and `vendorFrame` the frame in
   * which the vendor reports the failure.
   */
  failureFrame(failure: Failure, requestId: string, sequence?: number, vendorFrame?: Buffer): string;
  /** Frame that keeps a silent stream alive. */
  readonly heartbeat: string;
  /** Creates the state for ending a stream early. */
  earlyEnd?(options: EarlyEndOptions): EarlyEnd;
}

export interface PassTarget {
  readonly model: string;
  /** Ids of items in the request that this vendor's store does not have. */
  readonly foreignItems: ReadonlySet<string>;
  /** True if the vendor is Anthropic. */
  readonly isAnthropic?: boolean | undefined;
}

export interface FittedBody {
  readonly body: Buffer;
  /** Names of the dropped fields: the neutral names, or the paths in the request. */
  readonly dropped: readonly string[];
}

/**
 * Forwards calls between a client and a vendor of the same wire. Only a few members change. Large bodies are read in
 * short steps.
 */
export interface TextPass extends TextStreamPass {
  /** Returns false for a body that the model refuses. It must then be converted. */
  accepts?(body: Buffer, model: string): Generator<undefined, boolean>;
  /** True if `upstreamBody` removes the signatures of other wires. */
  readonly dropsForeignSignatures: boolean;
  /** Members in which a vendor's model may read its output limit; the first is preferred. */
  outputLimitOrder(model: string): readonly string[];
  /** Sets the output limit. By default, the first member of `outputLimitOrder` is set. */
  withOutputLimit?(body: Buffer, tokens: number): Generator<undefined, Buffer>;
  /** Returns those names that the model refuses. */
  refuses?(foreignNames: readonly string[], model: string): readonly string[];
  /** Returns the request with the vendor's model name, and with usage requested in streams. */
  upstreamBody(
    body: Buffer,
    change: { readonly model?: string | undefined; readonly reportUsage: boolean },
  ): Generator<undefined, Buffer>;
  /** Changes the request to what the target accepts. */
  fit?(body: Buffer, target: PassTarget): Generator<undefined, FittedBody>;
  renameAnswer(answer: Buffer, model: string): Buffer;
  /** Sets the members of `echo` in a complete answer. */
  echoAnswer?(answer: Buffer, echo: JsonRecord): Buffer;
  /** Reads the usage of a complete answer. Throws Failure upstream_error for any other body. */
  usage(answer: JsonRecord): Units | undefined;
  /** Reads a complete answer's charges in addition to tokens. */
  fees(answer: JsonRecord): ReportedExtraUsage | undefined;
}

/** Sets the output limit of a request without one. */
export function* withOutputLimit(
  pass: TextPass,
  body: Buffer,
  { tokens, model }: { readonly tokens: number; readonly model: string },
): Generator<undefined, Buffer> {
  if (pass.withOutputLimit !== undefined) return yield* pass.withOutputLimit(body, tokens);
  const [name] = pass.outputLimitOrder(model);
  if (name === undefined) throw new Error("a wire without a member for the output limit");
  return yield* spliceInTurns(body, { [name]: String(tokens) });
}

/** Replaces the model's name at `path`, if there is one. */
export function renameAt(json: Buffer, path: readonly string[], model: string): Buffer {
  const [name, ...rest] = path;
  if (name === undefined) return json;
  return changeMember(json, name, (inner) =>
    rest.length === 0 ? JSON.stringify(model) : renameAt(inner, rest, model),
  );
}

/**
 * Sets the members of `echo` in an answer: members of the client's request that the answer must repeat although the
 * vendor did not get them.
 */
export function withEcho(answer: Buffer, echo: JsonRecord): Buffer {
  const members = Object.entries(withoutUndefined(echo)).map(([name, value]) => [name, JSON.stringify(value)] as const);
  return spliceMembers(answer, Object.fromEntries(members));
}

/** Creates a function that returns a frame's text from `needle` to the last brace. */
export function textFrom(needle: Buffer): (frame: Buffer) => string {
  return (frame) => {
    const index = frame.indexOf(needle);
    return index < 0 ? "" : frame.toString("utf8", index, frame.lastIndexOf(0x7d));
  };
}

/** Creates a function that returns the lowest index of the texts in a frame, or -1. */
export function indexOfFirst(...texts: readonly string[]): (frame: Buffer) => number {
  const bytes = texts.map((text) => Buffer.from(text));
  return (frame) => bytes.reduce((first, needle) => lowerIndex(first, frame.indexOf(needle)), -1);
}

/** Returns the lower one of two indexes, each of which may be -1. */
export function lowerIndex(left: number, right: number): number {
  if (left < 0) return right;
  return right < 0 ? left : Math.min(left, right);
}

export function frameIncludes(...texts: readonly string[]): (frame: Buffer) => boolean {
  const bytes = texts.map((text) => Buffer.from(text));
  return (frame) => {
    for (const needle of bytes) if (frame.includes(needle)) return true;
    return false;
  };
}

/**
 * Returns a member of an answer; undefined if the answer is not JSON. The answer is parsed, because the model's text
 * may contain the member's name too.
 */
export function memberOf(answer: Buffer, name: string): unknown {
  try {
    return parseMember(answer, name);
  } catch {
    return undefined;
  }
}

/**
 * Creates a function that reads the model's text in raw JSON, which may be cut off. `members` are the names of the
 * members with text.
 */
export function memberTextReader(members: readonly string[]): (raw: string) => string {
  const opening = new RegExp(`"(?:${members.join("|")})"\\s*:\\s*"`, "g");
  return (raw) => {
    let text = "";
    // A regular expression for a complete literal overflows its stack at megabytes.
    for (opening.lastIndex = 0; opening.test(raw);) {
      const open = opening.lastIndex - 1;
      const end = endOfLiteral(raw, open);
      text += literalText(raw.slice(open, end));
      opening.lastIndex = end;
    }
    return text;
  };
}

/** Returns the text of a JSON string. A truncated or malformed string is returned unchanged. */
function literalText(literal: string): string {
  const inside = literal.slice(1, literal.endsWith('"') ? -1 : undefined);
  if (!literal.includes("\\")) return inside;
  const text = parseJson(literal);
  return typeof text === "string" ? text : inside;
}

function endOfLiteral(text: string, open: number): number {
  for (let end = text.indexOf('"', open + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text[end - 1 - slashes] === "\\") slashes++;
    if (slashes % 2 === 0) return end + 1;
  }
  return text.length;
}

/** Options of a call that are needed to end its stream early. */
export interface EarlyEndOptions {
  readonly choices: number;
  /** True if the client wants usage in a separate frame. */
  readonly includeUsage: boolean;
}

/** State of a forwarded stream that is needed to end it early. */
export interface EarlyEnd {
  /** Records a frame that was sent to the client. `raw` is from `extractRawText`. */
  recordFrame(frame: Buffer, raw: string): void;
  /** Returns frames that end the stream at its output limit; undefined if nothing was sent. */
  frames(used: Units, sequence: number | undefined): readonly string[] | undefined;
}

/** Form of a stream whose frames list pieces of answers. */
interface EarlyChunkForm {
  read(frame: Buffer): JsonRecord | undefined;
  /** Member that lists the answers. `end` is the member with an answer's end reason. */
  readonly list: string;
  readonly end: string;
  readonly endBytes: Buffer;
  frames(template: JsonRecord, open: readonly number[], used: Units): readonly string[];
}

/** Creates the state for ending a stream of chunks early. */
export function endOfChunks({ choices }: EarlyEndOptions, form: EarlyChunkForm): EarlyEnd {
  let template: JsonRecord | undefined;
  const ended = new Set<number>();
  return {
    recordFrame(frame) {
      if (template !== undefined && !frame.includes(form.endBytes)) return;
      const chunk = form.read(frame);
      if (chunk === undefined) return;
      template ??= chunk;
      for (const { index, [form.end]: reason } of asRecords(chunk[form.list]))
        if (typeof reason === "string") ended.add(typeof index === "number" ? index : 0);
    },
    frames(used) {
      if (template === undefined) return undefined;
      const open = Array.from({ length: choices }, (_, index) => index).filter((index) => !ended.has(index));
      return form.frames(template, open, used);
    },
  };
}

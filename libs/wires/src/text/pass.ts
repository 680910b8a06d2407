import type { Failure, Units } from "@modelgate/contracts";
import { isRecord, type JsonRecord } from "../json/fields.ts";
import { membersOf, spliceMembers } from "../json/members.ts";
import { findMembersInTurns } from "../json/parse-in-turns.ts";
import type { ReportedFees } from "./fees.ts";

/** Content of a forwarded frame that the gateway needs. */
export interface SeenFrame {
  /** Newest usage report, complete. */
  readonly usage?: Units | undefined;
  /** Report of charges in addition to tokens. */
  readonly fees?: ReportedFees | undefined;
  /** True for an extra frame with usage alone, hidden from a client that did not request it. */
  readonly usageOnly: boolean;
  /** True for the wire's terminal frame, or one after which nothing may follow. */
  readonly done: boolean;
  /** True if the vendor reports in the stream that it failed. */
  readonly failed: boolean;
  /** True if the vendor failed because it is overloaded. */
  readonly overloaded?: boolean | undefined;
  /** Number of the frame, on a wire that numbers them. */
  readonly sequence?: number | undefined;
}

/** A frame without content for the gateway. */
export const plainFrame: SeenFrame = { usageOnly: false, done: false, failed: false };

/** Forwards a stream on one wire: frames are inspected, but not rewritten. */
export interface TextStreamPass {
  /** Inspects a frame. `before` is the usage reported so far, for wires that report it in pieces. */
  see(frame: Buffer, before?: Units): SeenFrame;
  /** True if a stream without a terminal frame may still be complete, since its wire has none. */
  readonly endsWithConnection: boolean;
  /** Returns a frame with the client's name of the model. */
  renameFrame(frame: Buffer, model: string): Buffer;
  /** Returns a frame with members of the request that the vendor was not sent. Absent: answers repeat none. */
  echoFrame?(frame: Buffer, echo: JsonRecord): Buffer;
  /** Returns the raw part of a frame with the model's text; `wordsOf` reads the text from many of them. */
  written(frame: Buffer): string;
  /** Reads the model's text from raw frames or from a complete answer. */
  wordsOf(raw: string): string;
  /** Returns true if a frame may contain reasoning. */
  showsThoughts(frame: Buffer): boolean;
  /** Renders the failure that ends a stream. `sequence` is the last frame's number, if frames have one. */
  failureFrame(failure: Failure, requestId: string, sequence?: number): string;
  /** Frame that keeps a silent stream alive. */
  readonly heartbeat: string;
  /** Creates the state for ending a new stream early. Absent: the wire cannot. */
  earlyEnd?(options: EarlyEndOptions): EarlyEnd;
}

/** Target of a forwarded request. */
export interface PassTarget {
  /** Vendor's name of the model. */
  readonly model: string;
  /** Ids of items that the request carries and that this vendor's store does not have. */
  readonly foreignItems: ReadonlySet<string>;
}

/** A forwarded request as its vendor accepts it. */
export interface FittedBody {
  readonly body: Buffer;
  /** Lost parts, in the words of the neutral form or of the wire. */
  readonly dropped: readonly string[];
}

/**
 * Pass-through on one wire: client and vendor both speak it, so bytes are forwarded unchanged except for a few members.
 * Functions that read complete bodies do so in steps of a few milliseconds.
 */
export interface TextPass extends TextStreamPass {
  /**
   * Returns true if a vendor's model accepts the body unchanged. Parts of a conversation may come from vendors with
   * other signatures and members; a body that the model would refuse is converted. Absent: always true.
   */
  takes?(body: Buffer, model: string): Generator<undefined, boolean>;
  /** True if `upstreamBody` removes signatures of other wires' vendors, so that a body with them may be forwarded. */
  readonly dropsForeignSeals: boolean;
  /** Members in which a vendor's model reads its output limit, the preferred one first. */
  boundOrder(model: string): readonly string[];
  /** Sets the limit of each answer's output. Absent: the first member of `boundOrder` is set. */
  withBound?(body: Buffer, tokens: number): Generator<undefined, Buffer>;
  /** Lists which of a request's `foreignNames` a vendor's model refuses. Absent: bodies with any are not accepted. */
  refuses?(names: readonly string[], model: string): readonly string[];
  /** Returns the request with the vendor's model name, and usage requested in streams; the same bytes if unchanged. */
  upstreamBody(
    body: Buffer,
    change: { readonly model?: string | undefined; readonly reportUsage: boolean },
  ): Generator<undefined, Buffer>;
  /** Fits the request to a vendor that differs from the wire, and lists what it lost. Absent: unchanged. */
  fit?(body: Buffer, target: PassTarget): Generator<undefined, FittedBody>;
  renameAnswer(answer: Buffer, model: string): Buffer;
  /** Returns a complete answer with members of the request that the vendor was not sent; see `echoFrame`. */
  echoAnswer?(answer: Buffer, echo: JsonRecord): Buffer;
  /** Reads the usage of a complete answer. Throws Failure upstream_error if it failed, or for another wire's answer. */
  usage(answer: JsonRecord): Units | undefined;
  /** Reads the charges in addition to tokens of a complete answer; undefined for none. */
  fees(answer: JsonRecord): ReportedFees | undefined;
}

/** Sets the output limit of each answer in a request without one, in the member that the vendor's model prefers. */
export function* withBound(
  pass: TextPass,
  body: Buffer,
  { tokens, model }: { readonly tokens: number; readonly model: string },
): Generator<undefined, Buffer> {
  if (pass.withBound !== undefined) return yield* pass.withBound(body, tokens);
  const [name] = pass.boundOrder(model);
  if (name === undefined) throw new Error("a wire without a member for the bound of output");
  yield* findMembersInTurns(body);
  return spliceMembers(body, { [name]: String(tokens) });
}

/** Returns JSON bytes with another model name at `path`; an absent member stays absent. */
export function renameAt(json: Buffer, path: readonly string[], model: string): Buffer {
  const [name, ...rest] = path;
  const member = name === undefined ? undefined : membersOf(json).findLast((each) => each.name === name);
  if (name === undefined || member === undefined) return json;
  if (rest.length === 0) return spliceMembers(json, { [name]: JSON.stringify(model) });
  const inner = renameAt(json.subarray(member.start, member.end), rest, model);
  return spliceMembers(json, { [name]: inner });
}

/** Returns the end of a frame from a byte sequence on, for `written`; "" for a frame without it. */
export function fromWord(frame: Buffer, word: Buffer): string {
  const at = frame.indexOf(word);
  return at < 0 ? "" : frame.toString("utf8", at, frame.lastIndexOf(0x7d));
}

/** Creates a test whether a frame contains one of several texts. */
export function holdsWord(...words: readonly string[]): (frame: Buffer) => boolean {
  const bytes = words.map((word) => Buffer.from(word));
  return (frame) => {
    for (const word of bytes) if (frame.includes(word)) return true;
    return false;
  };
}

/** Returns a top-level member of a complete answer; the same text may also be in what the model wrote. */
export function memberOf(answer: Buffer, name: string): unknown {
  try {
    const member = membersOf(answer).findLast((each) => each.name === name);
    return member === undefined ? undefined : JSON.parse(answer.toString("utf8", member.start, member.end));
  } catch {
    return undefined;
  }
}

/**
 * Creates a reader of the model's text in raw JSON: pieces of frames, or a complete answer. `members` are the wire's
 * members that contain it.
 */
export function memberTextReader(members: readonly string[]): (raw: string) => string {
  /** Matches such a member up to its value's opening quote. */
  const opening = new RegExp(`"(?:${members.join("|")})"\\s*:\\s*"`, "g");
  return (raw) => {
    let words = "";
    // The end of each literal is searched in code: a regular expression overflows its stack at megabytes.
    for (opening.lastIndex = 0; opening.test(raw);) {
      const open = opening.lastIndex - 1;
      const end = endOfLiteral(raw, open);
      words += literalText(raw.slice(open, end));
      opening.lastIndex = end;
    }
    return words;
  };
}

/** Decodes a string literal; a truncated or malformed one is returned unchanged. */
function literalText(literal: string): string {
  const inside = literal.slice(1, literal.endsWith('"') ? -1 : undefined);
  if (!literal.includes("\\")) return inside;
  try {
    const text: unknown = JSON.parse(literal);
    return typeof text === "string" ? text : "";
  } catch {
    return inside;
  }
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

/** Values of a client's call that ending its stream early needs. */
export interface EarlyEndOptions {
  /** Number of answers (choices) that the client requested. */
  readonly choices: number;
  /** True if the client wants usage in a separate frame, on wires with that option. */
  readonly includeUsage: boolean;
}

/** State of a forwarded stream, for ending it before its vendor does. */
export interface EarlyEnd {
  /** Records a frame sent to the client; `raw` is its part with the model's text. */
  saw(frame: Buffer, raw: string): void;
  /**
   * Returns the frames that end the stream as if it had reached its output limit; undefined if no part of an answer was
   * seen. `sequence` is the last frame's number, on a wire that numbers them.
   */
  frames(used: Units, sequence: number | undefined): readonly string[] | undefined;
}

/** A stream whose frames all have the same form, one entry for each answer that grows: each with a word for its end. */
interface EarlyChunkForm {
  /** Reads a frame; undefined for one of another shape. */
  read(frame: Buffer): JsonRecord | undefined;
  /** The member with the list of answers, and the member in which one says its end. */
  readonly list: string;
  readonly end: string;
  readonly endWord: Buffer;
  frames(like: JsonRecord, open: readonly number[], used: Units): readonly string[];
}

/** The memory of such a stream: the form of its frames, and which answers have ended. */
export function endOfChunks({ choices }: EarlyEndOptions, form: EarlyChunkForm): EarlyEnd {
  let like: JsonRecord | undefined;
  const ended = new Set<number>();
  return {
    saw(frame) {
      if (like !== undefined && !frame.includes(form.endWord)) return;
      const chunk = form.read(frame);
      if (chunk === undefined) return;
      like ??= chunk;
      for (const index of indexesOf(chunk[form.list], form.end)) ended.add(index);
    },
    frames(used) {
      if (like === undefined) return undefined;
      const open = Array.from({ length: choices }, (_, index) => index).filter((index) => !ended.has(index));
      return form.frames(like, open, used);
    },
  };
}

/** Indexes of the answers in a list that have their end under a name. */
function indexesOf(list: unknown, end: string): readonly number[] {
  const all: readonly unknown[] = Array.isArray(list) ? list : [];
  const indexes: number[] = [];
  for (const each of all)
    if (isRecord(each) && typeof each[end] === "string")
      indexes.push(typeof each["index"] === "number" ? each["index"] : 0);
  return indexes;
}

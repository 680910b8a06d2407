import type { Failure, Units } from "@modelgate/contracts";
import type { JsonRecord } from "../json/fields.ts";
import { membersOf, spliceMembers } from "../json/members.ts";
import { findMembersInTurns } from "../json/parse-in-turns.ts";
import type { ReportedFees } from "./fees.ts";

/** Facts of a passing frame of a stream that the gateway needs. */
export interface SeenFrame {
  /** The newest report of usage, whole. */
  readonly usage?: Units | undefined;
  /** Its report of charges beside tokens. */
  readonly fees?: ReportedFees | undefined;
  /** An extra frame that carries usage and nothing else; hidden from a client that did not ask for it. */
  readonly usageOnly: boolean;
  /** The wire's terminal frame, or one after which nothing must come. */
  readonly done: boolean;
  /** The vendor says in the stream that it failed. */
  readonly failed: boolean;
  /** True if it failed because it is overloaded; absent: for another reason. */
  readonly overloaded?: boolean | undefined;
  /** The frame's number, on a wire that numbers them. */
  readonly sequence?: number | undefined;
}

/** A frame that says nothing of its own. */
export const plainFrame: SeenFrame = { usageOnly: false, done: false, failed: false };

/** The part of a wire that passes a stream on: frames are forwarded as they came, looked at but not rewritten. */
export interface TextStreamPass {
  /** Inspects a frame; `before` is the usage that the stream reported so far, for wires that report it in pieces. */
  see(frame: Buffer, before?: Units): SeenFrame;
  /** True if a stream that ends without a terminal frame is whole all the same: it finished, and its wire has no such frame. */
  readonly endsWithConnection: boolean;
  /** A frame under the client's name of the model. */
  renameFrame(frame: Buffer, model: string): Buffer;
  /** A frame that repeats members of the request which the vendor was not sent. Absent: the wire's answers repeat none. */
  echoFrame?(frame: Buffer, echo: JsonRecord): Buffer;
  /** A frame's part that holds what the model wrote, as raw text; `wordsOf` reads the words out of many of them. */
  written(frame: Buffer): string;
  /** Reads the model's text from raw frames or from a complete answer. */
  wordsOf(raw: string): string;
  /** Returns true if a frame may hold thoughts. */
  showsThoughts(frame: Buffer): boolean;
  /** Renders the end of a broken stream; nothing follows. `sequence` is the last frame's number, where it has one. */
  failureFrame(failure: Failure, requestId: string, sequence?: number): string;
  /** Keeps a silent stream alive. */
  readonly heartbeat: string;
  /** A new stream's memory, for ending it before its vendor does. Absent: it cannot be. */
  earlyEnd?(options: EarlyEndOptions): EarlyEnd;
}

/**
 * Interface of a wire for pass-through: the same wire is at both ends, so bytes are forwarded as they came, with few
 * members rewritten. Code that handles whole bodies does it in steps of a few milliseconds.
 */
export interface TextPass extends TextStreamPass {
  /**
   * Returns true if a vendor's model takes the body unchanged. Parts of a conversation may come from vendors whose
   * seals and members differ from this one's: what it would refuse is converted instead. Absent: it takes every body.
   */
  takes?(body: Buffer, model: string): Generator<undefined, boolean>;
  /** True if `upstreamBody` leaves out what other wires' vendors sealed: a body with such seals may be passed. */
  readonly dropsForeignSeals: boolean;
  /** The members in which a vendor's model reads the bound of its output, the one that it prefers first. */
  boundOrder(model: string): readonly string[];
  /** The request with a bound of each answer's output. Absent: that is the first member of `boundOrder`. */
  withBound?(body: Buffer, tokens: number): Generator<undefined, Buffer>;
  /** Lists which of a request's `foreignNames` a vendor's model refuses. Absent: bodies that hold any are not taken. */
  refuses?(names: readonly string[], model: string): readonly string[];
  /** The request for the vendor: its own name of the model, and usage requested in streams. The same bytes where nothing differs. */
  upstreamBody(
    body: Buffer,
    change: { readonly model?: string | undefined; readonly reportUsage: boolean },
  ): Generator<undefined, Buffer>;
  /** The request as a vendor takes it that departs from the wire, with the members that it lost. Absent: as it is. */
  fit?(body: Buffer): { readonly body: Buffer; readonly dropped: readonly string[] };
  renameAnswer(answer: Buffer, model: string): Buffer;
  /** A whole answer that repeats members of the request which the vendor was not sent; see `echoFrame`. */
  echoAnswer?(answer: Buffer, echo: JsonRecord): Buffer;
  /** Reads the usage that a complete answer reports. Throws Failure upstream_error if it failed or is no answer of this wire. */
  usage(answer: JsonRecord): Units | undefined;
  /** Reads what a complete answer reports of charges beside tokens. Returns undefined for none. */
  fees(answer: JsonRecord): ReportedFees | undefined;
}

/** Sets the bound of each answer's output in a request that has none, under the name that the vendor's model prefers. */
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

/** JSON bytes under another name of the model; `path` leads to the member, and what is not there stays absent. */
export function renameAt(json: Buffer, path: readonly string[], model: string): Buffer {
  const [name, ...rest] = path;
  const member = name === undefined ? undefined : membersOf(json).findLast((each) => each.name === name);
  if (name === undefined || member === undefined) return json;
  if (rest.length === 0) return spliceMembers(json, { [name]: JSON.stringify(model) });
  const inner = renameAt(json.subarray(member.start, member.end), rest, model);
  return spliceMembers(json, { [name]: inner });
}

/** Returns the end of a frame from a word on, for `written`; "" for a frame without it. */
export function fromWord(frame: Buffer, word: Buffer): string {
  const at = frame.indexOf(word);
  return at < 0 ? "" : frame.toString("utf8", at, frame.lastIndexOf(0x7d));
}

/** Makes the test of a frame for some words. */
export function holdsWord(...words: readonly string[]): (frame: Buffer) => boolean {
  const bytes = words.map((word) => Buffer.from(word));
  return (frame) => bytes.some((word) => frame.includes(word));
}

/** A member of a whole answer, wherever it is in it: the same word may be in what the model wrote. */
export function memberOf(answer: Buffer, name: string): unknown {
  try {
    const member = membersOf(answer).findLast((each) => each.name === name);
    return member === undefined ? undefined : JSON.parse(answer.toString("utf8", member.start, member.end));
  } catch {
    return undefined;
  }
}

/**
 * Creates a reader of what a model wrote, out of raw JSON: pieces of frames, or a whole answer. `members` are those of
 * the wire whose strings hold it.
 */
export function wordsReader(members: readonly string[]): (raw: string) => string {
  /** Up to the opening quote of such a string. */
  const opening = new RegExp(`"(?:${members.join("|")})"\\s*:\\s*"`, "g");
  return (raw) => {
    let words = "";
    // Each literal's end is looked for by hand: an expression over a literal of megabytes overflows its stack.
    for (opening.lastIndex = 0; opening.test(raw);) {
      const open = opening.lastIndex - 1;
      const end = endOfLiteral(raw, open);
      words += literalText(raw.slice(open, end));
      opening.lastIndex = end;
    }
    return words;
  };
}

/** Decodes a string literal; one that was cut off, or is malformed, is returned unchanged. */
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

/** The index after the closing quote of the literal that opens at `open`, or the text's end. */
function endOfLiteral(text: string, open: number): number {
  for (let end = text.indexOf('"', open + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text[end - 1 - slashes] === "\\") slashes++;
    if (slashes % 2 === 0) return end + 1;
  }
  return text.length;
}

/** Facts of a client's call that ending its stream early needs. */
export interface EarlyEndOptions {
  /** Number of answers (choices) that the client requested. */
  readonly choices: number;
  /** True if the client wants the usage in a frame of its own, on wires that leave that to it. */
  readonly includeUsage: boolean;
}

/** Memory of a passing stream, for ending it before its vendor does. */
export interface EarlyEnd {
  /** Looks at a frame that goes to the client; `raw` is its part that holds what the model wrote. */
  saw(frame: Buffer, raw: string): void;
  /**
   * The frames that end the stream as one that reached its bound of tokens; undefined where nothing of an answer was
   * seen yet. `sequence` is the last frame's number, on a wire that numbers them.
   */
  frames(used: Units, sequence: number | undefined): readonly string[] | undefined;
}

/** A stream whose frames all have the same form, one entry for each answer that grows: each with a word for its end. */
interface EarlyChunkForm<Chunk> {
  /** Reads a frame; undefined for one of another shape. */
  read(frame: Buffer): Chunk | undefined;
  readonly endWord: Buffer;
  /** The answers that a frame ends. */
  ends(chunk: Chunk): readonly number[];
  frames(like: Chunk, open: readonly number[], used: Units): readonly string[];
}

/** The memory of such a stream: the form of its frames, and which answers have ended. */
export function endOfChunks<Chunk>({ choices }: EarlyEndOptions, form: EarlyChunkForm<Chunk>): EarlyEnd {
  let like: Chunk | undefined;
  const ended = new Set<number>();
  return {
    saw(frame) {
      if (like !== undefined && !frame.includes(form.endWord)) return;
      const chunk = form.read(frame);
      if (chunk === undefined) return;
      like ??= chunk;
      for (const index of form.ends(chunk)) ended.add(index);
    },
    frames(used) {
      if (like === undefined) return undefined;
      const open = Array.from({ length: choices }, (_, index) => index).filter((index) => !ended.has(index));
      return form.frames(like, open, used);
    },
  };
}

import type { WithUsage } from "../../wire.ts";
import { asText, ownEntry, type JsonRecord } from "@modelgate/formats/json";
import type { Part, Signature, TokenProbability, Citation } from "./part.ts";
import { Failure, type Units } from "@modelgate/contracts";
import type { ReportedExtraUsage } from "../fees.ts";

export type FinishReason =
  | "stop"
  | "stop-sequence"
  | "length"
  | "context-full"
  | "tool-calls"
  | "filtered"
  | "refused"
  | "paused"
  | "malformed-tool-call"
  | "other";

/** OpenAI's finish reasons of completions, which other wires use too. */
export const completionFinishReasons = {
  stop: "stop",
  "stop-sequence": "stop",
  length: "length",
  "context-full": "length",
  "tool-calls": "stop",
  filtered: "content_filter",
  // A refusal is sent as text, and only this finish reason shows that the text is a refusal.
  refused: "content_filter",
  paused: "stop",
  "malformed-tool-call": "stop",
  other: "stop",
} as const satisfies Record<FinishReason, string>;

/** One answer to a request; most requests get exactly one. */
export interface Choice {
  readonly parts: readonly Part[];
  readonly finish: FinishReason;
  readonly stopSequence?: string | undefined;
}

export interface TextAnswer extends WithUsage {
  readonly id: string;
  readonly model: string;
  /** Creation time in Unix seconds; 0 if the vendor reports none. */
  readonly createdAt: number;
  readonly choices: readonly Choice[];
  readonly serviceTier?: string | undefined;
}

/** The beginning of a part of a streamed answer; deltas with its text or arguments follow. */
export type OpenedPart =
  | { readonly kind: "text" }
  | { readonly kind: "refusal"; readonly details?: JsonRecord | undefined }
  | { readonly kind: "reasoning"; readonly summary?: boolean | undefined; readonly id?: string | undefined }
  | { readonly kind: "tool-call"; readonly id: string; readonly name: string; readonly custom?: boolean | undefined };

/** A part that is streamed as its start, its text or arguments, and its end. */
export type StreamedPart = Extract<Part, { kind: OpenedPart["kind"] }>;

/** A part that is sent complete: an image, a compaction, or a vendor's item. */
export type WholePart = Exclude<Part, StreamedPart>;

/**
 * A step of a streamed answer. `part` numbers the parts of one choice in order of appearance, from 0. Parts may
 * interleave (parallel tool calls on the chat wire); the reader ends every open part before `finish`.
 */
export type TextEvent =
  | {
      readonly type: "start";
      readonly id: string;
      readonly model: string;
      readonly createdAt: number;
      readonly usage?: Units | undefined;
    }
  | { readonly type: "part-start"; readonly choice: number; readonly part: number; readonly opened: OpenedPart }
  | {
      readonly type: "part-delta";
      readonly choice: number;
      readonly part: number;
      readonly text: string;
      readonly logProbabilities?: readonly TokenProbability[] | undefined;
    }
  | { readonly type: "citation"; readonly choice: number; readonly part: number; readonly citation: Citation }
  | {
      readonly type: "part-end";
      readonly choice: number;
      readonly part: number;
      readonly signature?: Signature | undefined;
    }
  | { readonly type: "part-whole"; readonly choice: number; readonly part: number; readonly whole: WholePart }
  | {
      readonly type: "finish";
      readonly choice: number;
      readonly reason: FinishReason;
      readonly stopSequence?: string | undefined;
    }
  /** Vendor's report of charges in addition to tokens. */
  | { readonly type: "fees"; readonly fees: ReportedExtraUsage }
  /** Vendor's newest usage report, which replaces earlier ones. */
  | { readonly type: "usage"; readonly usage: Units }
  /** Heartbeat of the vendor, without content. */
  | { readonly type: "ping" }
  /** A failure that the vendor reports in the stream, with its `code` and `message`. */
  | { readonly type: "failure"; readonly code: string; readonly message: string; readonly status?: number | undefined };

export const notJsonFailure: readonly TextEvent[] = [
  { type: "failure", code: "invalid_json", message: "The vendor's stream is not JSON." },
];

/** Returns events for the usage and the charges that a frame reports; empty if it reports none. */
export function reportEvents(usage: Units | undefined, fees: ReportedExtraUsage | undefined): readonly TextEvent[] {
  return [
    ...(usage === undefined ? [] : [{ type: "usage", usage } as const]),
    ...(fees === undefined ? [] : [{ type: "fees", fees } as const]),
  ];
}

/** Translates a vendor's finish reason. An unknown one is a normal end, which is `tool-calls` if `kinds` has calls. */
export function parseFinishReason(
  reasons: Readonly<Record<string, FinishReason>>,
  finishReason: unknown,
  kinds: ReadonlySet<Part["kind"]>,
): FinishReason {
  const reason = typeof finishReason === "string" ? ownEntry(reasons, finishReason) : undefined;
  return reason ?? (kinds.has("tool-call") ? "tool-calls" : "stop");
}

/** Parses a time written as a date to Unix seconds; 0 for anything else. */
export function parseTime(date: unknown): number {
  const milliseconds = Date.parse(asText(date));
  return Number.isNaN(milliseconds) ? 0 : Math.floor(milliseconds / 1_000);
}

/** Reads `part` of a vendor's answer, which is named in the message. Throws Failure upstream_error if it is unreadable. */
export function readAnswerPart<Result>(part: string, read: () => Result): Result {
  try {
    return read();
  } catch (cause) {
    throw new Failure("upstream_error", `The vendor's answer has ${part} that cannot be read.`, { cause });
  }
}

export function isEmptyText(part: Part): boolean {
  return (part.kind === "text" || part.kind === "reasoning") && part.text === "" && part.signature === undefined;
}

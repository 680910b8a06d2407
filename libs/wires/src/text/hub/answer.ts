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

/** OpenAI's finish reasons of completions. */
export const completionFinishReasons = {
  stop: "stop",
  "stop-sequence": "stop",
  length: "length",
  "context-full": "length",
  "tool-calls": "stop",
  filtered: "content_filter",
  // Clients see a refusal only by this finish reason, because its text is ordinary text.
  refused: "content_filter",
  paused: "stop",
  "malformed-tool-call": "stop",
  other: "stop",
} as const satisfies Record<FinishReason, string>;

/** One answer to a request. */
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

/** Beginning of a part of a streamed answer. Deltas follow. */
export type OpenedPart =
  | { readonly kind: "text" }
  | { readonly kind: "refusal"; readonly details?: JsonRecord | undefined }
  | { readonly kind: "reasoning"; readonly summary?: boolean | undefined; readonly id?: string | undefined }
  | { readonly kind: "tool-call"; readonly id: string; readonly name: string; readonly custom?: boolean | undefined };

/** A part that is streamed as start, deltas and end. */
export type StreamedPart = Extract<Part, { kind: OpenedPart["kind"] }>;

/** A part that is sent complete. */
export type WholePart = Exclude<Part, StreamedPart>;

/** An event of a streamed answer. `part` is the number of a part within its choice, from 0. Parts may overlap. */
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
  | { readonly type: "fees"; readonly fees: ReportedExtraUsage }
  /** Replaces earlier reports. */
  | { readonly type: "usage"; readonly usage: Units }
  | { readonly type: "ping" }
  | FailureEvent;

/** Failure that a vendor reports within its stream. */
export interface FailureEvent {
  readonly type: "failure";
  readonly code: string;
  readonly message: string;
  readonly status?: number | undefined;
}

export const notJsonFailure: readonly TextEvent[] = [
  { type: "failure", code: "invalid_json", message: "The vendor's stream is not JSON." },
];

/** Returns the events for a frame's usage and charges. */
export function reportEvents(usage: Units | undefined, fees: ReportedExtraUsage | undefined): readonly TextEvent[] {
  return [
    ...(usage === undefined ? [] : [{ type: "usage", usage } as const]),
    ...(fees === undefined ? [] : [{ type: "fees", fees } as const]),
  ];
}

/** Translates a vendor's finish reason. An unknown one becomes a normal end. */
export function parseFinishReason(
  reasons: Readonly<Record<string, FinishReason>>,
  finishReason: unknown,
  kinds: ReadonlySet<Part["kind"]>,
): FinishReason {
  const reason = typeof finishReason === "string" ? ownEntry(reasons, finishReason) : undefined;
  return reason ?? (kinds.has("tool-call") ? "tool-calls" : "stop");
}

/** Parses a date to Unix seconds; 0 for anything else. */
export function parseTime(date: unknown): number {
  const milliseconds = Date.parse(asText(date));
  return Number.isNaN(milliseconds) ? 0 : Math.floor(milliseconds / 1_000);
}

/** Reads a part of a vendor's answer. Throws Failure upstream_error, whose message names the part (`part`). */
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

import { asRecords, asText, isRecord, type JsonRecord, parseRecord } from "@modelgate/formats/json";
import type { Frame } from "@modelgate/formats/sse";
import {
  parseFinishReason,
  isEmptyText,
  notJsonFailure,
  reportEvents,
  type TextEvent,
  type FailureEvent,
} from "../hub/answer.ts";
import type { StreamReader } from "../hub/wire.ts";
import { PartTracker } from "../hub/part-tracker.ts";
import type { Part, TokenProbability } from "../hub/part.ts";
import { parseCitations, parseProbabilities } from "./sources.ts";
import { contentFees, contentUsage } from "./usage.ts";
import { finishReasons, answerParts, parseHead, isBlocked } from "./vendor-answer.ts";

/**
 * Reads a stream of pieces. It is complete when every candidate has a finish reason, or when the prompt was blocked.
 */
export class ContentReader implements StreamReader {
  /** Always false, because usage may follow until the connection ends. */
  readonly done = false;
  readonly #trackers = new Map<number, PartTracker>();
  readonly #finished = new Set<number>();
  #started: string | undefined;
  #pieces = 0;

  get isComplete(): boolean {
    return this.#finished.size > 0 && [...this.#trackers.keys()].every((choice) => this.#finished.has(choice));
  }

  read({ data }: Frame): readonly TextEvent[] {
    if (data === "") return [];
    const piece = parseRecord(data);
    if (piece === undefined) return notJsonFailure;
    if (isRecord(piece["error"])) return [failureOf(piece["error"])];
    this.#pieces++;
    const events = [...this.#start(piece), ...asRecords(piece["candidates"]).flatMap((each) => this.#candidate(each))];
    if (isBlocked(piece)) events.push(...this.#finish(0, "SAFETY"));
    return [...events, ...reportEvents(contentUsage(piece["usageMetadata"]), contentFees(piece))];
  }

  end(): readonly TextEvent[] {
    return [...this.#trackers.values()].flatMap((tracker) => tracker.endAll());
  }

  #start(piece: JsonRecord): readonly TextEvent[] {
    if (this.#started !== undefined) return [];
    const head = parseHead(piece);
    this.#started = head.id;
    return [{ type: "start", ...head }];
  }

  #candidate(candidate: JsonRecord): readonly TextEvent[] {
    const choice = typeof candidate["index"] === "number" ? candidate["index"] : 0;
    const tracker = this.#tracker(choice);
    const probabilities = [...parseProbabilities(candidate["logprobsResult"])];
    const events = answerParts(candidate, [this.#started ?? "", choice, this.#pieces]).flatMap((part) =>
      readPart(tracker, part, probabilities),
    );
    const part = tracker.numberOf("text");
    if (part !== undefined)
      events.push(
        ...parseCitations(candidate).map((citation) => ({ type: "citation", choice, part, citation }) as const),
      );
    const reason = candidate["finishReason"];
    return typeof reason === "string" ? [...events, ...this.#finish(choice, reason)] : events;
  }

  #finish(choice: number, reason: string): readonly TextEvent[] {
    if (this.#finished.has(choice)) return [];
    this.#finished.add(choice);
    const tracker = this.#tracker(choice);
    return [
      ...tracker.endAll(),
      { type: "finish", choice, reason: parseFinishReason(finishReasons, reason, tracker.kinds) },
    ];
  }

  #tracker(choice: number): PartTracker {
    const tracker = this.#trackers.get(choice) ?? new PartTracker(choice);
    this.#trackers.set(choice, tracker);
    return tracker;
  }
}

/**
 * Returns the events of a part. Pieces of text or reasoning are joined until another kind of part or a signature
 * follows.
 */
function readPart(tracker: PartTracker, part: Part, probabilities: TokenProbability[]): readonly TextEvent[] {
  if (isEmptyText(part)) return [];
  if (part.kind !== "text" && part.kind !== "reasoning") return [...tracker.endAll(), ...tracker.whole(part)];
  const key = part.kind;
  const others = tracker.openKeys().filter((open) => open !== key);
  const ended = others.flatMap((other) => tracker.end(other));
  const partProbabilities = part.kind === "text" ? probabilities.splice(0) : [];
  const grown = [...tracker.start(key, { kind: key }), ...tracker.delta(key, part.text, partProbabilities)];
  return part.signature === undefined
    ? [...ended, ...grown]
    : [...ended, ...grown, ...tracker.end(key, part.signature)];
}

/** Reads the failure in a stream. */
export function failureOf(error: JsonRecord): FailureEvent {
  const { code, status, message } = error;
  return {
    type: "failure",
    code: typeof status === "string" ? status : "INTERNAL",
    message: asText(message),
    ...(typeof code === "number" ? { status: code } : {}),
  };
}

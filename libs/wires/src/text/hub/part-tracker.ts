import type { OpenedPart, TextEvent } from "./answer.ts";
import type { Part, Signature, TokenProbability } from "./part.ts";
import { partToEvents } from "./events.ts";

interface OpenPart {
  readonly number: number;
  /** True for the call of a function, whose arguments must be JSON. */
  readonly isFunctionCall: boolean;
  hasText: boolean;
  /** Index of the current paragraph, for vendors that number paragraphs. */
  index: unknown;
}

/** Tracks the open parts of a choice by the keys that a stream uses. Each part ends once. */
export class PartTracker {
  readonly #choice: number;
  readonly #open = new Map<string, OpenPart>();
  readonly #ended = new Set<string>();
  readonly #kinds = new Set<Part["kind"]>();
  #next = 0;

  constructor(choice: number) {
    this.#choice = choice;
  }

  get kinds(): ReadonlySet<Part["kind"]> {
    return this.#kinds;
  }

  isOpen(key: string): boolean {
    return this.#open.has(key);
  }

  hasText(key: string): boolean {
    return this.#open.get(key)?.hasText ?? false;
  }

  openKeys(prefix = ""): readonly string[] {
    return [...this.#open.keys()].filter((key) => key.startsWith(prefix));
  }

  isDone(prefix: string): boolean {
    return [...this.#ended].some((key) => key.startsWith(prefix));
  }

  isAt(key: string, index: unknown): boolean {
    const entry = this.#open.get(key);
    return entry !== undefined && entry.hasText && entry.index === index;
  }

  /** Begins paragraph `index`. Returns the text before it: a blank line, or "" for the first paragraph. */
  takeParagraphBreak(key: string, index: unknown): string {
    const entry = this.#open.get(key);
    if (entry === undefined) return "";
    const before = entry.index;
    entry.index = index;
    return before === undefined || before === index ? "" : "\n\n";
  }

  start(key: string, opened: OpenedPart): readonly TextEvent[] {
    if (this.#open.has(key)) return [];
    const part = this.#number(opened.kind);
    const isFunctionCall = opened.kind === "tool-call" && opened.custom !== true;
    this.#open.set(key, { number: part, isFunctionCall, hasText: false, index: undefined });
    return [{ type: "part-start", choice: this.#choice, part, opened }];
  }

  delta(key: string, text: string, logProbabilities: readonly TokenProbability[] = []): readonly TextEvent[] {
    const entry = this.#open.get(key);
    if (entry === undefined || (text === "" && logProbabilities.length === 0)) return [];
    entry.hasText = true;
    const event = { type: "part-delta", choice: this.#choice, part: entry.number, text } as const;
    return [logProbabilities.length > 0 ? { ...event, logProbabilities } : event];
  }

  numberOf(key: string): number | undefined {
    return this.#open.get(key)?.number;
  }

  end(key: string, signature?: Signature): readonly TextEvent[] {
    const entry = this.#open.get(key);
    if (entry === undefined) return [];
    const noArguments = entry.isFunctionCall && !entry.hasText ? this.delta(key, "{}") : [];
    this.#open.delete(key);
    this.#ended.add(key);
    const event = { type: "part-end", choice: this.#choice, part: entry.number } as const;
    return [...noArguments, signature === undefined ? event : { ...event, signature }];
  }

  endAll(): readonly TextEvent[] {
    return [...this.#open.keys()].flatMap((key) => this.end(key));
  }

  whole(part: Part): readonly TextEvent[] {
    return partToEvents(part, this.#choice, this.#number(part.kind));
  }

  #number(kind: Part["kind"]): number {
    this.#kinds.add(kind);
    return this.#next++;
  }
}

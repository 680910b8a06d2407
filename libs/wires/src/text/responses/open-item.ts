import type { OpenedPart } from "../hub/answer.ts";
import type { Citation, Seal, TokenProbability } from "../hub/part.ts";
import type { JsonObject } from "../hub/request.ts";
import type { ItemStatus } from "./answer-parts.ts";

/** Puts one event on the wire: its type, and its members beside type and sequence number. */
export type Emit = (type: string, members: JsonObject) => string;

/** What every event about an item names it by. */
export interface ItemRef {
  readonly id: string;
  readonly index: number;
}

/**
 * An output item while it is streamed. Every method returns the events that it causes, as text. An item outlives its
 * parts: the next part may join it.
 */
export interface OpenItem {
  /** Whether a part that opens now belongs to this item. */
  joins(opened: OpenedPart): boolean;
  start(opened: OpenedPart): string;
  delta(text: string, logProbabilities: readonly TokenProbability[]): string;
  cite(citation: Citation): string;
  endPart(seal: Seal | undefined): string;
  /** The last events before `response.output_item.done`. */
  close(): string;
  /** The item as it is now. */
  item(status: ItemStatus): JsonObject;
}

import { isRecord, type JsonRecord } from "../json/fields.ts";
import type { VendorId } from "./vendor-id.ts";

/** Something that a vendor made in its store while it answered. */
export type MadeId = Pick<VendorId, "store" | "id">;

/**
 * What answers of a wire name that their vendor made in its store. Only places that the vendor itself fills are looked at:
 * what a model or a tool wrote may name anything.
 */
export interface MadeReader {
  /** One of these stands in every answer that names something; most have none, and need not be parsed. */
  readonly needles: readonly string[];
  /** Whether answers are looked at where they are kept, in one piece, and not as they pass. */
  readonly whereKept?: true;
  /** Whether a request asks for an answer in which its vendor makes something. */
  isAsked(body: JsonRecord): boolean;
  /**
   * Reads what a whole answer or an event of a stream names.
   * @param kept whether the answer stays in the vendor's store with all of its items
   */
  read(answer: JsonRecord, kept: boolean): readonly MadeId[];
}

/** Most things of one answer that are returned. */
const mostMade = 1_000;

/** What a vendor made in its store, as a whole answer or an event of a stream names it. */
export function madeIn({ read }: Pick<MadeReader, "read">, answer: JsonRecord, kept = true): readonly MadeId[] {
  const made = read(answer, kept).filter(({ id }) => id !== "");
  return made.length > mostMade ? made.slice(0, mostMade) : made;
}

/** Whether an answer's bytes may name such things. */
export function mayNameMade({ needles }: Pick<MadeReader, "needles">, bytes: Buffer | string): boolean {
  return needles.some((needle) => bytes.includes(needle));
}

/** The thing with that id; none where it is no id. */
export function named(store: MadeId["store"], id: unknown): readonly MadeId[] {
  return typeof id === "string" ? [{ store, id }] : [];
}

/** A member of what may be an object. */
export function memberOf(value: unknown, name: string): unknown {
  return isRecord(value) ? value[name] : undefined;
}

/** The objects in what may be a list. */
export function records(value: unknown): readonly JsonRecord[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

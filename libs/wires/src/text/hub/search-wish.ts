import { present } from "@modelgate/contracts";
import { isRecord, type JsonRecord } from "../../json/fields.ts";

/** The name by which a choice of tools forces the vendor's search on the web. */
export const searchName = "web_search";

/** What several wires can say of a search on the web; each says the rest in options of its own. */
export interface SearchWish {
  readonly allowedDomains?: unknown;
  readonly blockedDomains?: unknown;
  /** Most searches of one answer. */
  readonly mostUses?: unknown;
  /** How much of what was found the model reads: `low`, `medium`, `high`. */
  readonly contextSize?: unknown;
  /** Where the user is: city, region, country, timezone. */
  readonly location?: JsonRecord | undefined;
}

/** A location without the word that every wire puts beside it. */
export function locationOf(value: unknown): JsonRecord | undefined {
  if (!isRecord(value)) return undefined;
  const { type: _, ...location }: JsonRecord = value;
  return present(location);
}

/** A location as most wires say it. */
export function renderLocation(location: JsonRecord | undefined): JsonRecord | undefined {
  return location === undefined ? undefined : { type: "approximate", ...location };
}

/** Whether a wish says something that a wire has no word for. */
export function saysBeyond(wish: SearchWish, words: readonly (keyof SearchWish)[]): boolean {
  const known: ReadonlySet<string> = new Set(words);
  return Object.entries(wish).some(([name, value]) => (value ?? undefined) !== undefined && !known.has(name));
}

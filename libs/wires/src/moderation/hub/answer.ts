import { Failure, type Units } from "@modelgate/contracts";
import type { ModerationRequest } from "./request.ts";

/** The result of one item. Names of categories are those of POST /v1/moderations. */
export interface ModerationResult {
  readonly flagged: boolean;
  /** null: the model does not know the category. */
  readonly categories: Readonly<Record<string, boolean | null>>;
  /** From 0 to 1. */
  readonly scores: Readonly<Record<string, number>>;
  /** Kinds of parts that each score is about; absent where the vendor gives none. */
  readonly appliedInputTypes?: Readonly<Record<string, readonly string[]>> | undefined;
}

/** Results in the order of the items. */
export interface ModerationAnswer {
  /** "" where the vendor gave none. */
  readonly id: string;
  /** The vendor's name of the model; "" where it gives none. */
  readonly model: string;
  readonly results: readonly ModerationResult[];
  /** Absent where the vendor reported none, which is usual. */
  readonly usage?: Units | undefined;
}

/** Returns the results, one per item. Throws Failure upstream_error where there are more or fewer. */
export function resultsFor(
  { items: { length } }: ModerationRequest,
  results: readonly ModerationResult[],
): readonly ModerationResult[] {
  if (results.length === length) return results;
  throw new Failure("upstream_error", `The vendor judged ${results.length} of ${length} inputs.`);
}

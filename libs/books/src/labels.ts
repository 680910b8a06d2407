import { isTagName, type UsageEvent } from "@modelgate/contracts";

/** Labels from the client: the end user, or a tag. */
export type LabelName = "endUser" | `tag:${string}`;

/** A label in the books. */
export interface Label {
  readonly name: LabelName;
  readonly value: string;
}

/** Returns true for the name of a label: `endUser`, or `tag:` and the name of a tag. */
export function isLabelName(word: string): word is LabelName {
  return word === "endUser" || (word.startsWith("tag:") && isTagName(word.slice("tag:".length)));
}

/** Members of a call that its labels come from. */
type Labelled = Pick<UsageEvent, "endUser" | "tags" | "outcome" | "costNanos">;

/**
 * Returns the labels of a call, ordered by name; values that are not text are left out. A failed call that costs
 * nothing has none, because a client could create unlimited new ones.
 */
export function labelsOf(event: Labelled): readonly Label[] {
  if (isRefused(event)) return [];
  const { endUser, tags } = event;
  const all = [["endUser", endUser], ...Object.entries(tags ?? {}).map(([name, value]) => [`tag:${name}`, value])];
  return all
    .flatMap(([name = "", value]): readonly Label[] =>
      isLabelName(name) && typeof value === "string" && value !== "" ? [{ name, value }] : [],
    )
    .sort((left, right) => (left.name < right.name ? -1 : 1));
}

/**
 * Returns whether a call failed at no cost: it was refused here or by a vendor, or the vendor failed. A client may
 * cause this any number of times.
 */
function isRefused({ outcome, costNanos }: Labelled): boolean {
  return outcome === "failed" && costNanos === "0";
}

/** Returns the tags among the labels of a call; there are too many end users for separate totals. */
export function tagsOf(event: Labelled): readonly Label[] {
  return labelsOf(event).filter(({ name }) => name !== "endUser");
}

/** Renders all labels of a call as one text; equal labels give equal texts. */
export function labelsText(labels: readonly Label[]): string {
  return JSON.stringify(Object.fromEntries(labels.map(({ name, value }) => [name, value])));
}

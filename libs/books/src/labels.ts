import { isTagName, type UsageEvent } from "@modelgate/contracts";

/** Labels from the client: the end user, or a tag. */
export type LabelName = "endUser" | `tag:${string}`;

/** One of them as the books have it. */
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
 * The labels of a call, in the order of their names; what is no text is left out. A failed call that costs nothing has none: a
 * client could name new ones without end.
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

/** A failed call at no cost: refused here or by a vendor, or a vendor's failure, which a client may provoke as often as it likes. */
function isRefused({ outcome, costNanos }: Labelled): boolean {
  return outcome === "failed" && costNanos === "0";
}

/** The tags among the labels of a call: end users are too many for totals of their own. */
export function tagsOf(event: Labelled): readonly Label[] {
  return labelsOf(event).filter(({ name }) => name !== "endUser");
}

/** All labels of a call as one text, the same for the same labels. */
export function labelsText(labels: readonly Label[]): string {
  return JSON.stringify(Object.fromEntries(labels.map(({ name, value }) => [name, value])));
}

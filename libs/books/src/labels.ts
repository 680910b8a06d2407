import { isTagName, type UsageEvent } from "@modelgate/contracts";

/** Name of a label. Labels come from the client: the end user (`endUser`), or a tag (`tag:` and its name). */
export type LabelName = "endUser" | `tag:${string}`;

/** A label of a call in the books. */
export interface Label {
  readonly name: LabelName;
  readonly value: string;
}

/** Returns whether a text is the name of a label: `endUser`, or `tag:` and a valid name of a tag. */
export function isLabelName(word: string): word is LabelName {
  return word === "endUser" || (word.startsWith("tag:") && isTagName(word.slice("tag:".length)));
}

/** Members of a call from which its labels are derived. */
type LabelSource = Pick<UsageEvent, "endUser" | "tags" | "outcome" | "costNanos">;

/**
 * Returns the labels of a call, ordered by name. Values that are not text are left out. A failed call that costs
 * nothing has no labels, because a client could create any number of such calls with new labels.
 */
export function labelsOf(event: LabelSource): readonly Label[] {
  const { endUser, tags } = event;
  if ((endUser ?? tags) === undefined || isFreeFailure(event)) return noLabels;
  const all = [["endUser", endUser], ...Object.entries(tags ?? {}).map(([name, value]) => [`tag:${name}`, value])];
  return all
    .flatMap(([name = "", value]): readonly Label[] =>
      isLabelName(name) && typeof value === "string" && value !== "" ? [{ name, value }] : [],
    )
    .sort((left, right) => (left.name < right.name ? -1 : 1));
}

const noLabels: readonly Label[] = [];

/**
 * Returns whether a call failed and costs nothing: the gateway or a vendor refused it, or the vendor failed. A client
 * can make any number of such calls.
 */
function isFreeFailure({ outcome, costNanos }: LabelSource): boolean {
  return outcome === "failed" && costNanos === "0";
}

/** Returns the tags among the labels of a call. End users are too many for separate totals. */
export function tagsOf(event: LabelSource): readonly Label[] {
  return event.tags === undefined ? noLabels : labelsOf(event).filter(({ name }) => name !== "endUser");
}

/** Renders all labels of a call as one text. Equal labels give equal texts. */
export function labelsText(labels: readonly Label[]): string {
  return JSON.stringify(Object.fromEntries(labels.map(({ name, value }) => [name, value])));
}

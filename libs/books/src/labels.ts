import { isTagName, type UsageEvent } from "@modelgate/contracts";

/** Name of a label that a client sends: its end user, or `tag:` and the name of a tag. */
export type LabelName = "endUser" | `tag:${string}`;

/** A label of a call in the books. */
export interface Label {
  readonly name: LabelName;
  readonly value: string;
}

/** Returns whether a text is `endUser`, or `tag:` and a valid tag name. */
export function isLabelName(word: string): word is LabelName {
  return word === "endUser" || (word.startsWith("tag:") && isTagName(word.slice("tag:".length)));
}

type LabelSource = Pick<UsageEvent, "endUser" | "tags" | "outcome" | "costNanos">;

/**
 * Returns the labels of a call, ordered by name. A failed call without a cost has none, because a client could create
 * any number of labels with such calls.
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

function isFreeFailure({ outcome, costNanos }: LabelSource): boolean {
  return outcome === "failed" && costNanos === "0";
}

/** Returns the tags of a call. */
export function tagsOf(event: LabelSource): readonly Label[] {
  return event.tags === undefined ? noLabels : labelsOf(event).filter(({ name }) => name !== "endUser");
}

/** Renders labels as one text. Equal labels give equal texts. */
export function labelsText(labels: readonly Label[]): string {
  return JSON.stringify(Object.fromEntries(labels.map(({ name, value }) => [name, value])));
}

import { isLabelName, type LabelName } from "./labels.ts";
import type { TotalsQuery } from "./totals-query.ts";

/** Dimensions of a tag's totals in addition to its value. */
const dimensions: ReadonlySet<string> = new Set(["account", "outcome", "day"]);

/** The tag whose own totals have all that a query asks for; undefined: it asks for more, or for no tag. */
export function onlyTagOf(query: TotalsQuery): LabelName | undefined {
  const { groupBy, labels = [], token, model, channel } = query;
  if ([token, model, channel].some((one) => one !== undefined)) return undefined;
  if (!groupBy.every((dimension) => isLabelName(dimension) || dimensions.has(dimension))) return undefined;
  const [tag, ...others] = new Set([...groupBy.filter(isLabelName), ...labels.map(({ name }) => name)]);
  return others.length > 0 || tag === "endUser" ? undefined : tag;
}

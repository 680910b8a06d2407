import { readFirstByteTimes, isLabelName, type FirstBytesQuery } from "@modelgate/books";
import { Failure, firstByteDimensionNames, firstByteDimensions, oneOfPredicate } from "@modelgate/contracts";
import type { OperatorRoutes } from "@modelgate/platform";
import type { BooksConnection } from "../books-connection.ts";
import { readPeriod } from "./period.ts";

/** Routes of percentiles of the time to the first byte. */
export function firstByteRoutes(connection: BooksConnection): OperatorRoutes {
  return {
    "GET /usage/first-bytes": async ({ query }) => {
      const by = (query.get("by") ?? "")
        .split(",")
        .flatMap((word) => (word === "" ? [] : [parseDimension(word.trim())]));
      const word = (name: string): string | undefined => query.get(name) ?? undefined;
      const filter = { account: word("account"), model: word("model"), channel: word("channel") };
      refuseMixed(by, filter);
      return connection.use((books) => readFirstByteTimes(books, { ...readPeriod(query), ...filter, by }));
    },
  };
}

function parseDimension(word: string): FirstBytesQuery["by"][number] {
  if (isLabelName(word) && word !== "endUser") return word;
  const found = firstByteDimensions.find((name) => name === word);
  if (found !== undefined) return found;
  throw new Failure("invalid_value", `by ${oneOfPredicate(firstByteDimensionNames)}.`, { param: "by" });
}

/** Throws Failure for a query by tag with a filter or another dimension than day, because such times are not stored. */
function refuseMixed(by: FirstBytesQuery["by"], filter: Readonly<Record<string, string | undefined>>): void {
  if (!by.some(isLabelName)) return;
  const [param] = Object.entries(filter).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  if (param !== undefined)
    throw new Failure("invalid_value", `First-byte times by a tag cover all calls: leave ${param} out.`, { param });
  if (by.filter(isLabelName).length > 1 || by.some((name) => !isLabelName(name) && name !== "day"))
    throw new Failure("invalid_value", "Grouping by tag can only be combined with day.", { param: "by" });
}

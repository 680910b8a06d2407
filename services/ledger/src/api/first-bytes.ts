import { firstByteTimes, type FirstBytesQuery } from "@modelgate/books";
import { Failure, oneOf } from "@modelgate/contracts";
import type { OperatorRoutes } from "@modelgate/platform";
import type { BooksConnection } from "../books-connection.ts";
import { periodOf } from "./period.ts";

const dimensions = ["model", "channel", "day", "hour"] as const;

/** Percentiles of the time to the first byte. */
export function firstByteRoutes(connection: BooksConnection): OperatorRoutes {
  return {
    "GET /usage/first-bytes": async ({ query }) => {
      const by = (query.get("by") ?? "").split(",").flatMap((word) => (word === "" ? [] : [dimension(word.trim())]));
      const word = (name: string): string | undefined => query.get(name) ?? undefined;
      const narrowed = { account: word("account"), model: word("model"), channel: word("channel") };
      const asked: FirstBytesQuery = { ...periodOf(query), ...narrowed, by };
      return connection.use((books) => firstByteTimes(books, asked));
    },
  };
}

function dimension(word: string): (typeof dimensions)[number] {
  const found = dimensions.find((name) => name === word);
  if (found !== undefined) return found;
  throw new Failure("invalid_value", `by ${oneOf(dimensions)}.`, { param: "by" });
}

import { readTotals, totalsDimensions, type TotalsDimension } from "@modelgate/books";
import { Failure } from "@modelgate/contracts";
import type { OperatorRoutes } from "@modelgate/platform";
import type { BooksConnection } from "../books-connection.ts";
import { narrowingOf } from "./filter.ts";
import { periodOf } from "./period.ts";

/** Totals of usage and cost of whole days, by any of their dimensions. */
export function totalsRoutes(connection: BooksConnection): OperatorRoutes {
  return {
    "GET /usage": async ({ query }) => {
      const groupBy = (query.get("by") ?? "account,model,day").split(",").map(dimension);
      const { requestId, status, ...narrowing } = narrowingOf(query);
      if (requestId !== undefined || status !== undefined)
        throw new Failure("invalid_value", "Totals are not kept by request or status: list the events.", {
          param: requestId === undefined ? "status" : "request",
        });
      const asked = { ...periodOf(query, "dates"), ...narrowing, groupBy };
      return connection.use((books) => readTotals(books, asked));
    },
  };
}

function dimension(word: string): TotalsDimension {
  const known = totalsDimensions.find((name) => name === word.trim());
  if (known === undefined)
    throw new Failure("invalid_value", `by takes ${totalsDimensions.join(", ")}.`, { param: "by" });
  return known;
}

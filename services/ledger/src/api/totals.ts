import {
  isTotalsDimension,
  readTotals,
  sumColumns,
  sumName,
  type CallFilter,
  type SumColumn,
  type TotalsDimension,
} from "@modelgate/books";
import { Failure, oneOfPredicate, totalsDimensionNames } from "@modelgate/contracts";
import type { OperatorRoutes } from "@modelgate/platform";
import type { BooksConnection } from "../books-connection.ts";
import { fieldFilterOf } from "./filter.ts";
import { readPeriod } from "./period.ts";

/** Maximum rows of usage totals or of a chargeback. They are in memory at the same time. */
export const maxTotals = 100_000;

/** Routes of usage totals by any dimensions. */
export function totalsRoutes(connection: BooksConnection): OperatorRoutes {
  return {
    "GET /usage": async ({ query }) => {
      const filter = fieldFilterOf(query);
      const groupBy = parseDimensions(query.get("by") ?? "account,model,day", filter);
      const sums = query.get("sums")?.split(",").map(parseSum);
      const totalsQuery = { ...readPeriod(query), ...filter, groupBy, sums, maxGroups: maxTotals };
      return connection.use((books) => readTotals(books, totalsQuery));
    },
  };
}

/**
 * Parses dimensions separated by commas. Throws Failure for unknown ones, and for teams without an account or
 * organisation, because two organisations may have teams with the same id.
 */
export function parseDimensions(
  text: string,
  filter: Pick<CallFilter, "account" | "organisation">,
): readonly TotalsDimension[] {
  const names = text.split(",").map((word) => word.trim());
  if (names.every(isTotalsDimension)) {
    checkTeamsAreUnique(names, filter);
    return names;
  }
  throw new Failure("invalid_value", `by ${oneOfPredicate(totalsDimensionNames)}.`, { param: "by" });
}

function checkTeamsAreUnique(
  names: readonly TotalsDimension[],
  { account, organisation }: Pick<CallFilter, "account" | "organisation">,
): void {
  if (!names.includes("team") || names.includes("account") || (account ?? organisation) !== undefined) return;
  throw new Failure(
    "missing_required_parameter",
    "by=team needs organisation or account, or by=account,team: organisations may have teams with the same id.",
    { param: "organisation" },
  );
}

function parseSum(word: string): SumColumn {
  const found = sumColumns.find((column) => sumName(column) === word.trim());
  if (found !== undefined) return found;
  throw new Failure("invalid_value", `sums ${oneOfPredicate(sumColumns.map(sumName))}.`, { param: "sums" });
}

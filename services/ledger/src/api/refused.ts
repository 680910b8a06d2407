import { readRefused } from "@modelgate/books";
import { failures, isFailureCode } from "@modelgate/contracts";
import type { OperatorRoutes } from "@modelgate/platform";
import type { BooksConnection } from "../books-connection.ts";
import { encodeCursor, readLimit, readPosition } from "./cursor.ts";
import { fieldFilterOf } from "./filter.ts";
import { readPeriod } from "./period.ts";

const defaultRows = 100;
const maxRows = 1_000;

/** Routes of calls that were refused before money was reserved. */
export function refusedRoutes(connection: BooksConnection): OperatorRoutes {
  return {
    "GET /usage/refused": async ({ query }) => {
      const { account, organisation, teams, token, model, requestId, status } = fieldFilterOf(query);
      const filter = { ...readPeriod(query), account, organisation, teams, token, model, requestId, status };
      const reading = { limit: readLimit(query, defaultRows, maxRows), after: readPosition(query) };
      const { refusals, next } = await connection.use((books) => readRefused(books, filter, reading));
      return {
        refused: refusals.map(({ call, calls }) => ({ ...call, calls, meaning: failureMeaning(call.code) })),
        next: next === undefined ? null : encodeCursor(next),
      };
    },
  };
}

/** Returns the description of a failure code, or the code itself if it is unknown. */
function failureMeaning(code: string): string {
  return isFailureCode(code) ? failures[code].message : code;
}

import { readRefused } from "@modelgate/books";
import { failures, isFailureCode } from "@modelgate/contracts";
import type { OperatorRoutes } from "@modelgate/platform";
import type { BooksConnection } from "../books-connection.ts";
import { cursorOf, limitIn, positionIn } from "./cursor.ts";
import { narrowingOf } from "./filter.ts";
import { periodOf } from "./period.ts";

/** Rows of a page, where the operator names no number, and at most. */
const usualRows = 100;
const maxRows = 1_000;

/** Calls that were refused before money was held for them: pages of them, newest first over all accounts. */
export function refusedRoutes(connection: BooksConnection): OperatorRoutes {
  return {
    "GET /usage/refused": async ({ query }) => {
      const { account, token, model, requestId, status } = narrowingOf(query);
      const filter = { ...periodOf(query), account, token, model, requestId, status };
      const reading = { limit: limitIn(query, usualRows, maxRows), after: positionIn(query) };
      const { refusals, next } = await connection.use((books) => readRefused(books, filter, reading));
      return {
        refused: refusals.map(({ call, calls }) => ({ ...call, calls, meaning: meaningOf(call.code) })),
        next: next === undefined ? null : cursorOf(next),
      };
    },
  };
}

/** Returns the meaning of a failure's code, in the gateway's words; of a code of another version the code itself. */
function meaningOf(code: string): string {
  return isFailureCode(code) ? failures[code].message : code;
}

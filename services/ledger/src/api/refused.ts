import { readRefused } from "@modelgate/books";
import { failures, isFailureCode } from "@modelgate/contracts";
import type { OperatorRoutes } from "@modelgate/platform";
import type { BooksConnection } from "../books-connection.ts";
import { cursorOf, limitIn, positionIn } from "./cursor.ts";
import { fieldFilterOf } from "./filter.ts";
import { periodOf } from "./period.ts";

/** Default rows of a page. */
const defaultRows = 100;
const maxRows = 1_000;

/** Routes of calls that were refused before money was reserved, in pages, newest call first. */
export function refusedRoutes(connection: BooksConnection): OperatorRoutes {
  return {
    "GET /usage/refused": async ({ query }) => {
      const { account, token, model, requestId, status } = fieldFilterOf(query);
      const filter = { ...periodOf(query), account, token, model, requestId, status };
      const reading = { limit: limitIn(query, defaultRows, maxRows), after: positionIn(query) };
      const { refusals, next } = await connection.use((books) => readRefused(books, filter, reading));
      return {
        refused: refusals.map(({ call, calls }) => ({ ...call, calls, meaning: meaningOf(call.code) })),
        next: next === undefined ? null : cursorOf(next),
      };
    },
  };
}

/** Returns the gateway's description of a failure code. An unknown code, from another version, is returned itself. */
function meaningOf(code: string): string {
  return isFailureCode(code) ? failures[code].message : code;
}

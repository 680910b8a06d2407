import { readLog, readLogPage, type LogPlace, type LogQuery } from "@modelgate/accounts";
import { Failure } from "@modelgate/contracts";
import type { Redis } from "@modelgate/platform";
import { periodOf, readPeriod } from "./period.ts";
import type { OperatorRoutes } from "./router.ts";
import { Streamed } from "./streamed.ts";
import { csvHead, csvRow } from "./usage-csv.ts";

/** Rows of a page, where the operator names no number, and at most. */
const usualRows = 100;
const mostRows = 1_000;

/** The usage log: pages of it, and all of it as a file. */
export function usageLogRoutes(redis: Redis): OperatorRoutes {
  return {
    "GET /usage/events": async ({ query }) => {
      const limit = Number(query.get("limit") ?? usualRows);
      if (!Number.isInteger(limit) || limit < 1 || limit > mostRows)
        throw new Failure("invalid_value", `limit must be a whole number from 1 to ${mostRows}.`, { param: "limit" });
      const after = query.get("after");
      const page = await readPeriod(() =>
        readLogPage(redis, queryOf(query, "newest first"), limit, after === null ? undefined : placeOf(after)),
      );
      return { events: page.events, next: page.next === undefined ? null : cursorOf(page.next) };
    },
    "GET /usage/export": async ({ query }) => {
      const format = query.get("format") ?? "csv";
      const logged = queryOf(query, "oldest first");
      const log = readLog(redis, logged);
      // The first stretch is read before the answer begins: what is wrong with the question can still be said.
      const first = await readPeriod(() => log.next());
      const stretches = async function* () {
        if (first.done !== true) yield first.value;
        yield* log;
      };
      if (format === "ndjson") return new Streamed("application/x-ndjson", ndjson(stretches()));
      if (format === "csv") return new Streamed("text/csv; charset=utf-8", csv(stretches()));
      throw new Failure("invalid_value", "format must be csv or ndjson.", { param: "format" });
    },
  };
}

type Stretches = ReturnType<typeof readLog>;

async function* ndjson(stretches: Stretches): AsyncGenerator<string> {
  for await (const { found } of stretches)
    if (found.length > 0) yield found.map(({ event }) => `${JSON.stringify(event)}\n`).join("");
}

async function* csv(stretches: Stretches): AsyncGenerator<string> {
  yield csvHead;
  for await (const { found } of stretches) if (found.length > 0) yield found.map(({ event }) => csvRow(event)).join("");
}

function queryOf(query: URLSearchParams, order: LogQuery["order"]): LogQuery {
  const word = (name: string): string | undefined => query.get(name) ?? undefined;
  return {
    ...periodOf(query, "dates or times"),
    account: word("account"),
    token: word("token"),
    model: word("model"),
    channel: word("channel"),
    requestId: word("request"),
    order,
  };
}

function cursorOf(place: LogPlace): string {
  return Buffer.from(JSON.stringify([place.day, place.account, place.entry])).toString("base64url");
}

function placeOf(cursor: string): LogPlace {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString());
    if (Array.isArray(parts) && parts.length === 3) {
      const [day, account, entry] = parts.map(String);
      if (day !== undefined && account !== undefined && /^\d+-\d+$/.test(entry ?? ""))
        return { day, account, entry: entry ?? "" };
    }
  } catch {
    // said below
  }
  throw new Failure("invalid_value", "after must be the `next` of a page before.", { param: "after" });
}

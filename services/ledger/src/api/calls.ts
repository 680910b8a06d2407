import { readCalls, readTotals, type CallFilter, type CallPosition } from "@modelgate/books";
import { Failure, withoutUndefined, type UsageEvent } from "@modelgate/contracts";
import { StreamedAnswer, type OperatorRoutes } from "@modelgate/platform";
import type { BooksConnection } from "../books-connection.ts";
import { encodeCursor, readLimit, readPosition } from "./cursor.ts";
import { csvHeader, csvRow } from "./calls-csv.ts";
import { focusDimensions, focusHeader, focusRows, focusSums } from "./focus-csv.ts";
import { fieldFilterOf } from "./filter.ts";
import { readPeriod } from "./period.ts";

const defaultRows = 100;
const maxRows = 1_000;
const csvType = "text/csv; charset=utf-8";
const dayMs = 86_400_000;
/** Maximum days of a FOCUS export. Each day is a query of the books. */
const maxFocusDays = 400;

/** Routes of the usage log: pages with the newest call first, and exports with the oldest first. */
export function callRoutes(connection: BooksConnection): OperatorRoutes {
  return {
    "GET /usage/events": async ({ query }) => {
      const limit = readLimit(query, defaultRows, maxRows);
      const [after, filter] = [readPosition(query), readCallFilter(query)];
      const page = await connection.use((books) => readCalls(books, filter, { order: "newest first", limit, after }));
      return {
        events: visibleCalls(query, page.events),
        next: page.next === undefined ? null : encodeCursor(page.next),
      };
    },
    "GET /usage/export": async ({ query }) => {
      const format = query.get("format") ?? "csv";
      if (format !== "ndjson" && format !== "csv" && format !== "focus")
        throw new Failure("invalid_value", "format must be csv, ndjson or focus.", { param: "format" });
      if (format === "focus") return new StreamedAnswer(csvType, focusPieces(connection, readFocusFilter(query)));
      const pages = readPages(connection, readCallFilter(query));
      // Reads the first page before the answer starts, so that a failure can be reported.
      const first = await pages.next();
      const all = async function* (): PagedCalls {
        for (let page = first; page.done !== true; page = await pages.next()) yield visibleCalls(query, page.value);
        return undefined;
      };
      return format === "ndjson"
        ? new StreamedAnswer(
            "application/x-ndjson",
            renderRows(all(), (event) => `${JSON.stringify(event)}\n`),
          )
        : new StreamedAnswer(csvType, renderRows(all(), csvRow, csvHeader));
    },
  };
}

/** Returns calls without the parts that the parameter `hide` names. Control sets it for members. */
function visibleCalls(query: URLSearchParams, events: readonly UsageEvent[]): readonly UsageEvent[] {
  const hidden = query.get("hide")?.split(",") ?? [];
  if (!hidden.includes("vendor-words")) return events;
  return events.map(({ tries, receipt, ...rest }) =>
    withoutUndefined({
      ...rest,
      receipt: hidden.includes("receipts") ? undefined : receipt,
      tries: tries?.map(({ vendorMessage: _message, added: _added, ...attempt }) => attempt),
    }),
  );
}

type PagedCalls = AsyncGenerator<readonly UsageEvent[], undefined>;

/** Yields all calls of a filter, with only one page in memory. */
async function* readPages(connection: BooksConnection, filter: CallFilter): PagedCalls {
  for (let after: CallPosition | undefined; ;) {
    const position = after;
    const page = await connection.use((books) =>
      readCalls(books, filter, { order: "oldest first", limit: maxRows, after: position }),
    );
    yield page.events;
    if (page.next === undefined) return undefined;
    after = page.next;
  }
}

async function* renderRows(pages: PagedCalls, row: (event: UsageEvent) => string, head = ""): AsyncGenerator<string> {
  if (head !== "") yield head;
  for await (const events of pages) if (events.length > 0) yield events.map(row).join("");
}

/**
 * Yields the charges of a period in the format FOCUS 1.2, with only one day in memory. Yields "" for a day without
 * charges, to notice a client that has disconnected.
 */
async function* focusPieces(connection: BooksConnection, filter: CallFilter): AsyncGenerator<string> {
  yield focusHeader;
  for (let from = filter.from; from < filter.to;) {
    const to = Math.min(filter.to, (Math.floor(from / dayMs) + 1) * dayMs);
    const day = { ...filter, from, to, groupBy: focusDimensions, sums: focusSums };
    yield focusRows(await connection.use((books) => readTotals(books, day)), { from, to });
    from = to;
  }
}

/** Reads the filter of a FOCUS export. Throws Failure if the period is too long. */
function readFocusFilter(query: URLSearchParams): CallFilter {
  const filter = readCallFilter(query);
  if (filter.to - filter.from <= maxFocusDays * dayMs) return filter;
  throw new Failure("invalid_value", `from must be at most ${maxFocusDays} days before to with format=focus.`, {
    param: "from",
  });
}

function readCallFilter(query: URLSearchParams): CallFilter {
  return { ...readPeriod(query), ...fieldFilterOf(query) };
}

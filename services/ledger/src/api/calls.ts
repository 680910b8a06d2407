import { readCalls, type CallFilter, type CallPosition } from "@modelgate/books";
import { Failure, type UsageEvent } from "@modelgate/contracts";
import { StreamedAnswer, type OperatorRoutes } from "@modelgate/platform";
import type { BooksConnection } from "../books-connection.ts";
import { cursorOf, limitIn, positionIn } from "./cursor.ts";
import { csvHead, csvRow } from "./calls-csv.ts";
import { narrowingOf } from "./filter.ts";
import { periodOf } from "./period.ts";

/** Default rows of a page. */
const usualRows = 100;
const maxRows = 1_000;

/** Routes of the usage log: pages, newest first over all accounts, and the complete log as a file, oldest first. */
export function callRoutes(connection: BooksConnection): OperatorRoutes {
  return {
    "GET /usage/events": async ({ query }) => {
      const limit = limitIn(query, usualRows, maxRows);
      const [after, filter] = [positionIn(query), filterOf(query)];
      const page = await connection.use((books) => readCalls(books, filter, { order: "newest first", limit, after }));
      return { events: shownIn(query, page.events), next: page.next === undefined ? null : cursorOf(page.next) };
    },
    "GET /usage/export": async ({ query }) => {
      const format = query.get("format") ?? "csv";
      if (format !== "ndjson" && format !== "csv")
        throw new Failure("invalid_value", "format must be csv or ndjson.", { param: "format" });
      const pages = readOn(connection, filterOf(query));
      // The first page is read before the answer starts, so that a failure can still be reported.
      const first = await pages.next();
      const all = async function* (): Pages {
        for (let page = first; page.done !== true; page = await pages.next()) yield shownIn(query, page.value);
        return undefined;
      };
      return format === "ndjson"
        ? new StreamedAnswer(
            "application/x-ndjson",
            written(all(), (event) => `${JSON.stringify(event)}\n`),
          )
        : new StreamedAnswer("text/csv; charset=utf-8", written(all(), csvRow, csvHead));
    },
  };
}

/** Returns calls without vendors' messages where the query requests that: control does so for members of an account. */
function shownIn(query: URLSearchParams, events: readonly UsageEvent[]): readonly UsageEvent[] {
  if (query.get("hide") !== "vendor-words") return events;
  return events.map(({ tries, ...rest }) =>
    tries === undefined ? rest : { ...rest, tries: tries.map(({ vendorMessage: _hidden, ...one }) => one) },
  );
}

type Pages = AsyncGenerator<readonly UsageEvent[], undefined>;

/** Yields every call that matches a filter, page by page; only one page is in memory. */
async function* readOn(connection: BooksConnection, filter: CallFilter): Pages {
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

async function* written(pages: Pages, row: (event: UsageEvent) => string, head = ""): AsyncGenerator<string> {
  if (head !== "") yield head;
  for await (const events of pages) if (events.length > 0) yield events.map(row).join("");
}

function filterOf(query: URLSearchParams): CallFilter {
  return { ...periodOf(query), ...narrowingOf(query) };
}

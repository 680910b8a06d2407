import { createWriteStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { toolUnits } from "@modelgate/contracts";
import { CommandFailed, type Server } from "./server.ts";
import { UsageError, type Arguments, type Command, type Output } from "./command.ts";
import { field } from "../field.ts";
import { fieldCell, dollarsCell, renderTable, timeCell, type Column } from "./table.ts";
import { usageFilters } from "./usage.ts";
import { fetchRefusedCalls, renderRefusedCalls } from "./usage-refused.ts";

const unitCell = (name: string) => (row: unknown) => fieldCell(name)(field(row, "units"));
const toolCallsCell = (row: unknown): string => {
  const units = field(row, "units");
  const calls = toolUnits.reduce((all, name) => all + Number(field(units, name) ?? 0), 0);
  return calls === 0 ? "" : String(calls);
};
const tagsCell = (row: unknown): string => {
  const tags = field(row, "tags");
  const pairs = Object.entries(typeof tags === "object" && tags !== null ? tags : {});
  return pairs.map(([name, value]) => `${name}=${String(value)}`).join(",") || "-";
};
function noteCell(row: unknown): string {
  return ["unpriced", "capped"].filter((name) => field(row, name) !== undefined).join(", ");
}
const listColumns: readonly Column[] = [
  ["TIME", timeCell("time")],
  ["REQUEST", fieldCell("requestId")],
  ["ACCOUNT", fieldCell("accountId")],
  ["MODEL", fieldCell("model")],
  ["CHANNEL", fieldCell("channelId")],
  ["STATUS", fieldCell("status")],
  ["INPUT", unitCell("inputTokens")],
  ["OUTPUT", unitCell("outputTokens")],
  ["COST", dollarsCell("costNanos")],
  ["NOTE", noteCell],
];
/** Columns of a single call. */
export const callColumns: readonly Column[] = [
  ["TIME", fieldCell("time")],
  ["REQUEST", fieldCell("requestId")],
  ["VENDOR'S ID", fieldCell("upstreamRequestId")],
  ["ACCOUNT", fieldCell("accountId")],
  ["TOKEN", fieldCell("tokenId")],
  ["MODEL", fieldCell("model")],
  ["CHANNEL", fieldCell("channelId")],
  ["STATUS", fieldCell("status")],
  ["OUTCOME", fieldCell("outcome")],
  ["INPUT", unitCell("inputTokens")],
  ["OUTPUT", unitCell("outputTokens")],
  ["TOOLS", toolCallsCell],
  ["COST", dollarsCell("costNanos")],
  ["UNPRICED UNITS", fieldCell("unpriced")],
  ["CAPPED UNITS", fieldCell("capped")],
  ["END USER", fieldCell("endUser")],
  ["TAGS", tagsCell],
];

const outOption = "output file (default: stdout)";

export const usageLogCommands: readonly Command[] = [
  {
    name: "usage list",
    summary: "List usage events, and calls that were refused, newest first.",
    positionals: [],
    options: {
      ...usageFilters,
      limit: "rows per page (default: 100, maximum: 1000)",
      after: "the `next` value of the previous page",
    },
    example: "gatectl usage list --account acme --model gpt-x --from 2026-01-01 --to 2026-01-31",
    async run({ options }, server) {
      const data = await server.get("/usage/events", options);
      const next = field(data, "next");
      const nextPageHint = typeof next === "string" ? `More: --after ${next}` : "";
      const events = field(data, "events");
      const refused = await fetchRefusedCalls(server, options);
      const parts = [renderTable(events, listColumns, "no usage"), nextPageHint, renderRefusedCalls(refused)];
      return { data: { events, next, refused }, text: parts.filter((part) => part !== "").join("\n\n") };
    },
  },
  {
    name: "usage export",
    summary: "Write usage events, or charges in the format FOCUS 1.2, to stdout or a file, oldest first.",
    positionals: [],
    options: { ...usageFilters, format: "csv, ndjson or focus (default: csv)", out: outOption },
    example: "gatectl usage export --format ndjson --from 2026-01-01 --to 2026-01-31 --out january.ndjson",
    run: (args, server) => writeExport(args, "/usage/export", server),
  },
  {
    name: "usage chargeback",
    summary: "Write the cost of a period (default: this month) by account, team, key or tag as CSV.",
    positionals: [],
    options: { by: "group by, as in tag:team or account,token (default: account)", ...usageFilters, out: outOption },
    example: "gatectl usage chargeback --by tag:team --period last-month --out january.csv",
    run: (args, server) => writeExport(args, "/usage/chargeback", server),
  },
];

/** Writes an export to the file in `out`, or to stdout. */
async function writeExport(
  { options: { out, ...query }, json, stdout }: Arguments,
  path: string,
  server: Server,
): Promise<Output> {
  if (json && out === undefined)
    throw new UsageError("--json needs --out, because stdout cannot hold the document and the export");
  const source = await server.stream(path, query);
  let bytes = 0;
  const countBytes = async function* () {
    for await (const piece of source) {
      bytes += piece.length;
      yield piece;
    }
  };
  const target = out === undefined ? stdout : createWriteStream(out);
  try {
    await pipeline(Readable.from(countBytes()), target, { end: out !== undefined });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new CommandFailed(`The export was interrupted: ${why}.`);
  }
  return { data: { file: out ?? null, bytes }, text: out === undefined ? "" : `${bytes} bytes written to ${out}` };
}

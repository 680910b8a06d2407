import { field } from "../field.ts";
import type { Arguments } from "./command.ts";
import type { Server } from "./server.ts";
import { fieldCell, renderTable, timeCell, type Column } from "./table.ts";

/** Describes how many further refused calls a row represents. */
const alsoRefusedCell = (row: unknown): string => {
  const calls = Number(field(row, "calls") ?? 1);
  return calls > 1 ? `and ${calls - 1} more` : "";
};
const columns: readonly Column[] = [
  ["TIME", timeCell("time")],
  ["REQUEST", fieldCell("requestId")],
  ["ACCOUNT", fieldCell("accountId")],
  ["TOKEN", fieldCell("tokenId")],
  ["ENDPOINT", fieldCell("endpoint")],
  ["MODEL", fieldCell("model")],
  ["STATUS", fieldCell("status")],
  ["CODE", fieldCell("code")],
  ["FIELD", fieldCell("param")],
  ["MESSAGE", (row) => fieldCell(field(row, "message") === undefined ? "meaning" : "message")(row)],
  ["", alsoRefusedCell],
];

/** Returns the refused calls for a command's filters; none for later pages, or with filters that only other calls have. */
export async function fetchRefusedCalls(server: Server, options: Arguments["options"]): Promise<readonly unknown[]> {
  const { channel, outcome, tag, "end-user": endUser, after, ...filter } = options;
  const hasOtherFilter = [channel, tag, endUser, after].some((value) => value !== undefined);
  if (hasOtherFilter || (outcome !== undefined && outcome !== "failed")) return [];
  const refused = field(await server.get("/usage/refused", filter), "refused");
  const calls: readonly unknown[] = Array.isArray(refused) ? refused : [];
  return calls;
}

/** Renders refused calls under a separate heading. */
export function renderRefusedCalls(refused: readonly unknown[]): string {
  return refused.length === 0 ? "" : `Refused, at no cost:\n${renderTable(refused, columns, "")}`;
}

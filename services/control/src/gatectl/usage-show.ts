import { CommandFailed } from "./server.ts";
import { requiredPositional, type Command } from "./command.ts";
import { field } from "../field.ts";
import { fieldCell, renderTable, type Column } from "./table.ts";
import { callColumns } from "./usage-log.ts";
import { fetchRefusedCalls, renderRefusedCalls } from "./usage-refused.ts";

const earliestDay = "2020-01-01";

const attemptColumns: readonly Column[] = [
  ["CHANNEL", fieldCell("channel")],
  ["KEY", fieldCell("key")],
  ["MS", fieldCell("ms")],
  ["STATUS", fieldCell("status")],
  ["FAILED", fieldCell("failed")],
  ["VENDOR'S CODE", fieldCell("vendorCode")],
  ["ADDED BY CHANNEL", fieldCell("added")],
  ["VENDOR'S MESSAGE", fieldCell("vendorMessage")],
];

/** Command that shows all about one request. */
export const usageShowCommand: Command = {
  name: "usage show",
  summary: "Show the calls of a request with each attempt at a vendor, or the reason of its refusal.",
  positionals: ["REQUEST"],
  options: {},
  example: "gatectl usage show req_2Tq0vKx1a",
  async run(args, server) {
    const id = requiredPositional(args, 0, "REQUEST");
    const filter = { "request-id": id, from: earliestDay };
    const events = field(await server.get("/usage/events", filter), "events");
    const calls: readonly unknown[] = Array.isArray(events) ? events : [];
    const refused = await fetchRefusedCalls(server, filter);
    if (calls.length + refused.length === 0)
      throw new CommandFailed(
        `No call has the request id ${JSON.stringify(id)}. A call appears a moment after its end. Refused calls are stored for a week.`,
      );
    const text = [...calls.map(callText), renderRefusedCalls(refused)].filter((part) => part !== "").join("\n\n");
    return { data: { events: calls, refused }, text };
  },
};

function callText(call: unknown): string {
  const tries = field(call, "tries");
  const callTable = renderTable(call, callColumns, "");
  return Array.isArray(tries) && tries.length > 0
    ? `${callTable}\n\nAttempts:\n${renderTable(tries, attemptColumns, "")}`
    : callTable;
}

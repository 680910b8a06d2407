import { alertTargetKinds } from "@modelgate/contracts";
import { field } from "../field.ts";
import { positionalInPath, type Command } from "./command.ts";
import { fieldCell, renderTable, timeCell, type Column } from "./table.ts";

const columns: readonly Column[] = [
  ["ID", fieldCell("id")],
  ["TIME", timeCell("time")],
  ["SEVERITY", fieldCell("severity")],
  ["DELIVERIES", deliveriesOf],
  ["ALERT", (row) => fieldCell("summary")(row)],
];

const targetColumns: readonly Column[] = [
  ["ID", fieldCell("id")],
  ["KIND", fieldCell("kind")],
  ["NAME", fieldCell("name")],
  ["ACCOUNT", (row) => (field(row, "account") === "" ? "all" : fieldCell("account")(row))],
  ["ADDRESS", fieldCell("address")],
  ["ALERTS", (row) => alertsOf(row)],
];

function alertsOf(row: unknown): string {
  const alerts = field(row, "alerts");
  return Array.isArray(alerts) ? alerts.join(",") : "all";
}

function deliveriesOf(row: unknown): string {
  const deliveries: unknown = field(row, "deliveries");
  const states = Array.isArray(deliveries) ? deliveries.map((each: unknown) => String(field(each, "state"))) : [];
  const counts = Map.groupBy(states, (state) => state);
  return [...counts].map(([state, all]) => `${all.length} ${state}`).join(", ") || "-";
}

const list = (data: unknown) => ({ data, text: renderTable(data, targetColumns, "no alert targets") });

/** Commands for alerts and their targets. */
export const alertCommands: readonly Command[] = [
  {
    name: "alert target list",
    summary: "List the targets of alerts.",
    positionals: [],
    options: { account: "an account's targets" },
    example: "gatectl alert target list",
    run: async ({ options: { account } }, server) => list(await server.get("/alert-targets", { account })),
  },
  {
    name: "alert target add",
    summary: "Add a target of alerts. The secret of a webhook is shown once.",
    positionals: [],
    options: {
      "kind!": `one of ${alertTargetKinds.join(", ")}`,
      url: "address, which may be a secret; for e-mail smtps://user:password@host",
      secret: "signing key of a Feishu bot, or routing key of PagerDuty",
      from: "sender of e-mails",
      to: "recipients of e-mails, separated by commas",
      account: "an account whose alerts it receives (default: all alerts)",
      alerts: "kinds of alerts, separated by commas (default: all kinds)",
      name: "name for people",
    },
    example: "gatectl alert target add --kind slack --url https://hooks.slack.com/services/T/B/X",
    async run({ options: { alerts, ...options } }, server) {
      const data = await server.post("/alert-targets", { ...options, alerts: alerts?.split(",") });
      const secret = field(data, "secret");
      return { data, text: `${list(data).text}${typeof secret === "string" ? `\n\n${secret}` : ""}` };
    },
  },
  {
    name: "alert target remove",
    summary: "Remove a target of alerts.",
    positionals: ["TARGET"],
    options: {},
    example: "gatectl alert target remove trg_0123456789ab",
    async run(args, server) {
      const data = await server.post(`/alert-targets/${positionalInPath(args, 0, "TARGET")}/delete`);
      return { data, text: "removed" };
    },
  },
  {
    name: "alert target test",
    summary: "Send a test alert to a target.",
    positionals: ["TARGET"],
    options: {},
    example: "gatectl alert target test trg_0123456789ab",
    async run(args, server) {
      const data = await server.post(`/alert-targets/${positionalInPath(args, 0, "TARGET")}/test`);
      const isDelivered = field(data, "delivered") === true;
      return {
        data,
        text: isDelivered ? "delivered" : `not delivered: ${String(field(data, "error"))}`,
        exitCode: isDelivered ? 0 : 1,
      };
    },
  },
  {
    name: "alert list",
    summary: "List alerts with their deliveries, newest first.",
    positionals: [],
    options: {
      account: "an account's alerts",
      kind: "a kind of alerts",
      state: "dead: only alerts with a delivery that was given up",
      limit: "number of alerts (default: 200)",
    },
    example: "gatectl alert list --state dead",
    async run({ options }, server) {
      const data = await server.get("/alerts", options);
      return { data, text: renderTable(data, columns, "no alerts") };
    },
  },
  {
    name: "alert retry",
    summary: "Repeat the deliveries of an alert that were given up.",
    positionals: ["ALERT"],
    options: {},
    example: "gatectl alert retry alt_0123456789ab",
    async run(args, server) {
      const data = await server.post(`/alerts/${positionalInPath(args, 0, "ALERT")}/retry`);
      return { data, text: `${String(field(data, "retried"))} deliveries are tried again` };
    },
  },
];

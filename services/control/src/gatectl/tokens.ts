import { formatUsd, parseNanos } from "@modelgate/contracts";
import { field } from "../field.ts";
import { positionalInPath, UsageError, type Arguments, type Command } from "./command.ts";
import { CommandFailed, mayHaveSucceeded, type Server } from "./server.ts";
import { fieldCell, renderTable, timeCell, type Column } from "./table.ts";

const columns: readonly Column[] = [
  ["TOKEN", fieldCell("id")],
  ["KEY", fieldCell("hint")],
  ["NAME", fieldCell("name")],
  ["ACCOUNT", fieldCell("accountId")],
  ["GROUP", fieldCell("group")],
  ["MODELS", (row) => (field(row, "models") === undefined ? "all of the group" : fieldCell("models")(row))],
  ["STATE", tokenState],
  ["EXPIRES", timeCell("expiresAt")],
  ["BUDGET", budgetOf],
  ["ROTATION DUE", timeCell("rotationDueAt")],
];

/** Columns of a single token. */
const allColumns: readonly Column[] = [
  ...columns,
  ["TEAM", fieldCell("team")],
  ["ADDRESSES", (row) => (field(row, "allowedAddresses") === undefined ? "all" : fieldCell("allowedAddresses")(row))],
];

function previousKeyText(row: unknown): string {
  const previous = field(row, "previous");
  if (previous === undefined) return "";
  const [hint, expiresAt, lastUsedAt = "none"] = ["hint", "expiresAt", "lastUsedAt"].map((name) => {
    const value = field(previous, name);
    return typeof value === "string" ? value : undefined;
  });
  const end = typeof expiresAt === "string" && Date.parse(expiresAt) <= Date.now() ? "ended" : "ends";
  return `\n\nThe old key ${hint} ${end} at ${expiresAt}. Last use since the rotation: ${lastUsedAt}.`;
}

function budgetOf(row: unknown): string {
  const dollars = (name: string, period: string): readonly string[] => {
    const nanos = field(field(row, "budget"), name);
    return typeof nanos === "string" ? [`$${formatUsd(parseNanos(nanos))} a ${period}`] : [];
  };
  const requests = field(field(row, "budget"), "requestsPerDay");
  const limits = typeof requests === "number" ? [`${requests} requests a day`] : [];
  return [...dollars("perDay", "day"), ...dollars("perMonth", "month"), ...limits].join(", ") || "-";
}

function limitsInOptions({ options }: Arguments): object {
  const valueOf = (name: string) => (options[name] === "none" ? null : options[name]);
  return {
    dollarsPerDay: valueOf("dollars-per-day"),
    dollarsPerMonth: valueOf("dollars-per-month"),
    requestsPerDay: countInOption(options["requests-per-day"]),
    rotateAfterDays: countInOption(options["rotate-after-days"]),
  };
}

/** Returns the number in an option, or null for "none". */
function countInOption(written: string | undefined): number | string | null | undefined {
  return written === "none" ? null : numberOrText(written);
}

const limitOptions = {
  "dollars-per-day": "maximum spend per UTC day, US dollars",
  "dollars-per-month": "maximum spend per UTC month, US dollars",
  "requests-per-day": "maximum requests per UTC day",
  "rotate-after-days":
    "days after which the key is due for rotation, and an alert is sent (at most 365; default: never)",
};

/** Returns a text as a number, or unchanged, because control then refuses it with a clear message. */
function numberOrText(written: string | undefined): number | string | undefined {
  return written !== undefined && /^\d+$/.test(written) ? Number(written) : written;
}

const addressOption = {
  "allow-addresses": "IP addresses and CIDR ranges from which the key works, separated by commas (default: all)",
};

function addressesInOptions({ options }: Arguments): object {
  const written = options["allow-addresses"];
  return { allowedAddresses: written === "none" ? null : written?.split(",").map((range) => range.trim()) };
}

function tokenState(row: unknown): string {
  const expiresAt = field(row, "expiresAt");
  if (field(row, "disabled") === true) return "disabled";
  return typeof expiresAt === "string" && Date.parse(expiresAt) <= Date.now() ? "expired" : "enabled";
}

const showTokens = (data: unknown) => ({ data, text: renderTable(data, columns, "no tokens") });
const showNewToken = (data: unknown) => ({
  data,
  text: `${showTokens(data).text}\n\nThe key (shown only once):\n${String(field(data, "key"))}`,
});
const changeCommand =
  (verb: string, body: (args: Arguments) => object = () => ({})) =>
  async (args: Arguments, server: Server) =>
    showTokens(await server.post(`/tokens/${positionalInPath(args, 0, "TOKEN")}/${verb}`, body(args)));

/** Commands for API keys. */
export const tokenCommands: readonly Command[] = [
  {
    name: "token create",
    summary: "Create a token; its key is shown once.",
    positionals: ["ACCOUNT"],
    options: {
      "group!": "the token's group",
      team: "team of the account's organisation whose budgets the token counts against",
      name: "display name",
      models: "allowed models, separated by commas (default: all of the group)",
      expires: "time of expiry, RFC 3339",
      ...addressOption,
      ...limitOptions,
    },
    example: "gatectl token create acme --group default --name ci --expires 2030-01-01T00:00:00Z",
    async run(args, server) {
      const { options } = args;
      const data = await server.post(`/accounts/${positionalInPath(args, 0, "ACCOUNT")}/tokens`, {
        group: options["group"],
        team: options["team"],
        name: options["name"],
        models: options["models"]?.split(",").map((model) => model.trim()),
        expiresAt: options["expires"],
        ...addressesInOptions(args),
        ...limitsInOptions(args),
      });
      return showNewToken(data);
    },
  },
  {
    name: "token list",
    summary: "List an account's tokens.",
    positionals: ["ACCOUNT"],
    options: {},
    example: "gatectl token list acme",
    run: async (args, server) =>
      showTokens(await server.get(`/accounts/${positionalInPath(args, 0, "ACCOUNT")}/tokens`)),
  },
  {
    name: "token show",
    summary: "Show a token.",
    positionals: ["TOKEN"],
    options: {},
    example: "gatectl token show tok_0123456789abcdef0123",
    async run(args, server) {
      const data = await server.get(`/tokens/${positionalInPath(args, 0, "TOKEN")}`);
      return { data, text: renderTable(data, allColumns, "") + previousKeyText(data) };
    },
  },
  {
    name: "token set",
    summary: "Change a token's limits, addresses and rotation period; `none` removes one.",
    positionals: ["TOKEN"],
    options: { ...limitOptions, ...addressOption },
    example: "gatectl token set tok_0123456789abcdef0123 --dollars-per-day 5.00 --dollars-per-month none",
    async run(args, server) {
      if (Object.keys(args.options).length === 0) throw new UsageError("nothing to change");
      const change = { ...limitsInOptions(args), ...addressesInOptions(args) };
      const data = await server.post(`/tokens/${positionalInPath(args, 0, "TOKEN")}`, change);
      return { data, text: renderTable(data, allColumns, "") };
    },
  },
  {
    name: "token disable",
    summary: "Disable a token.",
    positionals: ["TOKEN"],
    options: {},
    example: "gatectl token disable tok_0123456789abcdef0123",
    run: changeCommand("disable"),
  },
  {
    name: "token enable",
    summary: "Enable a token.",
    positionals: ["TOKEN"],
    options: {},
    example: "gatectl token enable tok_0123456789abcdef0123",
    run: changeCommand("enable"),
  },
  {
    name: "token expire",
    summary: "Let a token expire, now or at a given time.",
    positionals: ["TOKEN"],
    options: { at: "RFC 3339 time (default: now)" },
    example: "gatectl token expire tok_0123456789abcdef0123 --at 2027-01-01T00:00:00Z",
    run: changeCommand("expire", ({ options }) => ({ at: options["at"] })),
  },
  {
    name: "token rotate",
    summary: "Replace a token's key; the new key is shown once, and the old one works for a while.",
    positionals: ["TOKEN"],
    options: {
      "grace-seconds": "seconds until the old key expires; 0: immediately (default: 604800, 7 days)",
    },
    example: "gatectl token rotate tok_0123456789abcdef0123 --grace-seconds 86400",
    async run(args, server) {
      const graceSeconds = numberOrText(args.options["grace-seconds"]);
      const id = positionalInPath(args, 0, "TOKEN");
      try {
        return showNewToken(await server.post(`/tokens/${id}/rotate`, { graceSeconds }));
      } catch (error) {
        if (!mayHaveSucceeded(error)) throw error;
        const hint = `The key may have been replaced: see \`gatectl token show ${id}\`. Another rotation then ends the old key immediately.`;
        throw new CommandFailed(`${error.message} ${hint}`, error.details);
      }
    },
  },
  {
    name: "token delete",
    summary: "Delete a token. Its usage is kept.",
    positionals: ["TOKEN"],
    options: {},
    example: "gatectl token delete tok_0123456789abcdef0123",
    async run(args, server) {
      const data = await server.post(`/tokens/${positionalInPath(args, 0, "TOKEN")}/delete`);
      return { data, text: "deleted" };
    },
  },
];

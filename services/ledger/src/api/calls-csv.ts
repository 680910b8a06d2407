import { formatUsd, parseNanos, unitNames, type UsageEvent } from "@modelgate/contracts";

type CellReader = (event: UsageEvent) => string | number | boolean | undefined;

const columns: Readonly<Record<string, CellReader>> = {
  time: ({ time }) => time,
  id: ({ id }) => id,
  requestId: ({ requestId }) => requestId,
  upstreamRequestId: ({ upstreamRequestId }) => upstreamRequestId,
  accountId: ({ accountId }) => accountId,
  tokenId: ({ tokenId }) => tokenId,
  group: ({ group }) => group,
  area: ({ area }) => area,
  endpoint: ({ endpoint }) => endpoint,
  model: ({ model }) => model,
  requestedModel: ({ requestedModel }) => requestedModel,
  upstreamModel: ({ upstreamModel }) => upstreamModel,
  channelId: ({ channelId }) => channelId,
  status: ({ status }) => status,
  outcome: ({ outcome }) => outcome,
  estimated: ({ estimated }) => estimated,
  ...Object.fromEntries(unitNames.map((unit) => [unit, ({ units }: UsageEvent) => units[unit]])),
  serviceTier: ({ serviceTier }) => serviceTier,
  unpriced: ({ unpriced }) => unpriced?.join(" "),
  capped: ({ capped }) => capped?.join(" "),
  priceVersion: ({ priceVersion }) => priceVersion,
  multiplier: ({ multiplier }) => multiplier,
  costNanos: ({ costNanos }) => costNanos,
  costUsd: ({ costNanos }) => formatUsd(parseNanos(costNanos)),
  latencyMs: ({ latencyMs }) => latencyMs,
  firstByteMs: ({ firstByteMs }) => firstByteMs,
  attempts: ({ attempts }) => attempts,
  endUser: ({ endUser }) => endUser,
  team: ({ team }) => team,
  member: ({ member }) => member,
  tags: ({ tags }) =>
    tags === undefined
      ? undefined
      : Object.entries(tags)
          .map(([name, value]) => `${name}=${value}`)
          .join(","),
  receipt: ({ receipt }) => receipt?.number,
};

/** Heading row of the CSV export (RFC 4180). */
export const csvHeader = `${Object.keys(columns).join(",")}\r\n`;

/** Renders a usage event as a CSV row in the columns of `csvHeader`. */
export function csvRow(event: UsageEvent): string {
  return csvLine(Object.values(columns).map((cell) => cell(event)));
}

/** Renders a row of CSV (RFC 4180). */
export function csvLine(cells: readonly ReturnType<CellReader>[]): string {
  return `${cells.map(csvCell).join(",")}\r\n`;
}

/**
 * Quotes a value if necessary. A prefix stops spreadsheets from running it as a formula, because clients choose some
 * texts.
 */
function csvCell(value: ReturnType<CellReader>): string {
  const text = value === undefined ? "" : String(value);
  const safe = typeof value === "string" && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

import { formatUsd, parseNanos, unitNames, type UsageEvent } from "@modelgate/contracts";

type Cell = (event: UsageEvent) => string | number | boolean | undefined;

const columns: Readonly<Record<string, Cell>> = {
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
  tags: ({ tags }) =>
    tags === undefined
      ? undefined
      : Object.entries(tags)
          .map(([name, value]) => `${name}=${value}`)
          .join(","),
  receipt: ({ receipt }) => receipt?.number,
};

/** Column headings, RFC 4180. */
export const csvHead = `${Object.keys(columns).join(",")}\r\n`;

/** Renders an event as a row under `csvHead`. */
export function csvRow(event: UsageEvent): string {
  return `${Object.values(columns)
    .map((cell) => written(cell(event)))
    .join(",")}\r\n`;
}

/**
 * Quotes a value where necessary. Prefixes text that a spreadsheet would run as a formula, because a client chooses its
 * request id.
 */
function written(value: ReturnType<Cell>): string {
  const text = value === undefined ? "" : String(value);
  const safe = typeof value === "string" && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

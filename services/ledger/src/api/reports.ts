import { readTotals } from "@modelgate/books";
import { formatUsd, parseNanos } from "@modelgate/contracts";
import { StreamedAnswer, type OperatorRoutes } from "@modelgate/platform";
import type { BooksConnection } from "../books-connection.ts";
import { csvLine } from "./calls-csv.ts";
import { fieldFilterOf } from "./filter.ts";
import { readPeriod, type Period } from "./period.ts";
import { maxTotals, parseDimensions } from "./totals.ts";

const dayMs = 86_400_000;
/** Maximum number of complete days from which a forecast is computed. */
const forecastDays = 7;
/**
 * Number of days before today in which the first call is searched. The mean of a forecast does not include days before
 * that call.
 */
const firstCallDays = 35;

/** Routes of reports: a forecast of the spend, and a chargeback as CSV. */
export function reportRoutes(connection: BooksConnection): OperatorRoutes {
  return {
    "GET /usage/forecast": async ({ query }) => {
      const [period, filter] = [readReportPeriod(query), fieldFilterOf(query)];
      return connection.use(async (books) => {
        const spent = async (from: number, to: number): Promise<bigint> => {
          if (from >= to) return 0n;
          const [total] = await readTotals(books, { from, to, ...filter, groupBy: [], sums: ["cost"] });
          return BigInt(total?.sums["costNanos"] ?? 0);
        };
        const now = Date.now();
        const today = Math.floor(now / dayMs) * dayMs;
        const spentNanos = await spent(period.from, period.to);
        const recent = { from: today - firstCallDays * dayMs, to: today, ...filter };
        const daily = (await readTotals(books, { ...recent, groupBy: ["day"], sums: ["cost"] })).map(
          ({ by, sums }) => ({
            day: Date.parse(by.day ?? ""),
            nanos: BigInt(sums["costNanos"] ?? 0),
          }),
        );
        const todayNanos = await spent(today, now);
        const forecastNanos =
          spentNanos +
          estimateSpend({ daily, todayNanos, today, now }, Math.max(0, period.to - Math.max(now, period.from)));
        return {
          from: new Date(period.from).toISOString(),
          to: new Date(period.to).toISOString(),
          spentNanos: spentNanos.toString(),
          forecastNanos: forecastNanos.toString(),
        };
      });
    },
    "GET /usage/chargeback": async ({ query }) => {
      const filter = fieldFilterOf(query);
      const groupBy = parseDimensions(query.get("by") ?? "account", filter);
      const period = readReportPeriod(query);
      const totalsQuery = { ...period, ...filter, groupBy, sums: chargebackSums, maxGroups: maxTotals };
      const totals = await connection.use((books) => readTotals(books, totalsQuery));
      const [from, to] = [period.from, period.to].map((at) => new Date(at).toISOString());
      const lines = totals.map(({ by, sums }) =>
        csvLine([
          from,
          to,
          ...groupBy.map((dimension) => by[dimension]),
          sums["calls"],
          sums["inputTokens"] ?? "0",
          sums["outputTokens"] ?? "0",
          formatUsd(parseNanos(sums["costNanos"] ?? "0")),
          sums["costNanos"] ?? "0",
        ]),
      );
      const head = csvLine(["from", "to", ...groupBy, "calls", "inputTokens", "outputTokens", "costUsd", "costNanos"]);
      return new StreamedAnswer("text/csv; charset=utf-8", piecesOf([head, ...lines]));
    },
  };
}

/** Reads the period of a query. The default is the current month. */
function readReportPeriod(query: URLSearchParams): Period {
  if (["period", "day", "from", "to"].some((name) => query.has(name))) return readPeriod(query);
  return readPeriod(new URLSearchParams({ period: "this-month" }));
}

const chargebackSums = ["calls", "cost", "inputTokens", "outputTokens"] as const;

/** Recent spend, from which later spend is estimated. */
interface RecentSpend {
  /** Spend of days before today, the oldest first. Days without calls are absent. */
  readonly daily: readonly { readonly day: number; readonly nanos: bigint }[];
  readonly todayNanos: bigint;
  /** Beginning of today, in Unix ms. */
  readonly today: number;
  readonly now: number;
}

/**
 * Estimates the spend of the next `ms` from the mean rate of the last seven days, or of the days since the first call, or
 * from today's rate if these days have no spend.
 */
export function estimateSpend({ daily, todayNanos, today, now }: RecentSpend, ms: number): bigint {
  const begin = Math.max(today - forecastDays * dayMs, daily[0]?.day ?? 0);
  const recentNanos = daily.reduce((sum, { day, nanos }) => (day < begin ? sum : sum + nanos), 0n);
  if (recentNanos !== 0n) return (recentNanos * BigInt(ms)) / BigInt(today - begin);
  return (todayNanos * BigInt(ms)) / BigInt(Math.max(1, now - today));
}

async function* piecesOf(lines: readonly string[]): AsyncGenerator<string> {
  yield lines.join("");
}

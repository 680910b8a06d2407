import { sql, type RawBuilder } from "kysely";
import { totalsPeriods } from "./add-totals.ts";
import { isLabelName, type LabelName } from "./labels.ts";
import type { Books } from "./open.ts";
import { ownerConditions } from "./read-calls.ts";
import { sumColumns } from "./sums.ts";
import { renderPeriod, type TotalsDimension, type TotalsQuery } from "./totals-query.ts";

/** Table that has sums of calls per hour or day. */
export type TotalsName = keyof typeof totalsPeriods;

/** Values of a group's dimensions, and its sums by column. */
export interface TotalsGroup {
  readonly by: readonly string[];
  readonly amounts: readonly (readonly [string, bigint])[];
}

/** Reads sums by group from a table of totals. The query must cover complete periods. */
export async function readTotalsTable(
  { db, engine }: Books,
  table: TotalsName,
  query: TotalsQuery,
): Promise<readonly TotalsGroup[]> {
  const tag = table === "daily_tag_totals" ? onlyTagOf(query) : undefined;
  const labelOf = (name: LabelName) => (tag === undefined ? labelIn(engine, name) : sql.ref("value"));
  const valueOf = (dimension: TotalsDimension): RawBuilder<unknown> => {
    if (dimension === "labels") return sql.ref("labels");
    if (isLabelName(dimension)) return labelOf(dimension);
    if (dimension === "team") return teamIn(table);
    if (dimension === "hour") return sql.ref("period");
    return dimension === "day" ? sql`period - period % ${sql.lit(totalsPeriods.daily_totals)}` : sql.ref(dimension);
  };
  const sums = sumColumns.filter((name) => name === "calls" || (query.sums?.includes(name) ?? true));
  const columns = [
    ...query.groupBy.map((dimension, at) => sql`${valueOf(dimension)} as ${sql.ref(`by_${at}`)}`),
    // As text, because a sum may exceed Number.MAX_SAFE_INTEGER.
    ...sums.map((name) => sql`cast(coalesce(sum(${sql.ref(name)}), 0) as text) as ${sql.ref(name)}`),
  ];
  const conditions = (["account", "token", "model", "channel", "outcome"] as const).flatMap((column) =>
    query[column] === undefined ? [] : [sql`${sql.ref(column)} = ${query[column]}`],
  );
  const labelled = [
    ...(tag === undefined ? [] : [sql`name = ${tag}`]),
    ...(query.labels ?? []).map(({ name, value }) => sql`${labelOf(name)} = ${value}`),
  ];
  const period = [sql`period >= ${query.from}`, sql`period < ${query.to}`];
  const where = [...period, ...ownerConditions(table, query), ...conditions, ...labelled];
  const ordinals = query.groupBy.map((_, at) => sql.lit(at + 1));
  const grouped = ordinals.length === 0 ? sql`` : sql`group by ${sql.join(ordinals)}`;
  const limited = query.maxGroups === undefined ? sql`` : sql`limit ${query.maxGroups + 1}`;
  const { rows } = await sql<Record<string, string | number>>`
    select ${sql.join(columns)} from ${sql.table(table)} where ${sql.join(where, sql` and `)} ${grouped} ${limited}`.execute(
    db,
  );
  return rows.map((row) => ({
    by: query.groupBy.map((dimension, at) => showDimension(dimension, row[`by_${at}`] ?? "")),
    amounts: sums.map((name) => [name, BigInt(row[name] ?? 0)] as const),
  }));
}

/**
 * Returns the SQL expression for a label, or "". The name is safe in the statement, because it contains no quote
 * (`isLabelName`).
 */
function labelIn(engine: Books["engine"], name: LabelName): RawBuilder<string> {
  return engine === "postgres"
    ? sql`coalesce(labels::json ->> ${sql.lit(name)}, '')`
    : sql`coalesce(json_extract(labels, ${sql.lit(`$."${name}"`)}), '')`;
}

/** Returns the SQL expression for the team of a row's key, or "". */
function teamIn(table: TotalsName): RawBuilder<string> {
  const [account, token] = [sql.ref(`${table}.account`), sql.ref(`${table}.token`)];
  return sql`coalesce((select team from tokens where tokens.account = ${account} and tokens.token = ${token}), '')`;
}

function showDimension(dimension: TotalsDimension, value: string | number): string {
  return dimension === "day" || dimension === "hour" ? renderPeriod(dimension, Number(value)) : String(value);
}

/** Dimensions of `daily_tag_totals` in addition to the tag. */
const tagTotalsDimensions: ReadonlySet<string> = new Set(["account", "outcome", "day"]);

/** Returns the tag of a query that `daily_tag_totals` can answer; undefined for any other query. */
export function onlyTagOf(query: TotalsQuery): LabelName | undefined {
  const { groupBy, labels = [], token, teams, model, channel } = query;
  if ([token, teams, model, channel].some((value) => value !== undefined)) return undefined;
  if (!groupBy.every((dimension) => isLabelName(dimension) || tagTotalsDimensions.has(dimension))) return undefined;
  const [tag, ...others] = new Set([...groupBy.filter(isLabelName), ...labels.map(({ name }) => name)]);
  return others.length > 0 || tag === "endUser" ? undefined : tag;
}

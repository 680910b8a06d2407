import { sql, type Kysely, type RawBuilder } from "kysely";
import type { Books } from "@modelgate/books";

const dayMs = 86_400_000;
const days = 30;

/** Period in Unix ms, from the start of a day (UTC). `to` is exclusive. */
export interface Month {
  readonly from: number;
  readonly to: number;
}

/** Returns the month that begins with a day. */
export function monthFrom(from: number): Month {
  return { from, to: from + days * dayMs };
}

/** Returns the month that ends today. */
export function monthToToday(): Month {
  return monthFrom((Math.floor(Date.now() / dayMs) - days + 1) * dayMs);
}

/**
 * Fills the books with the same busy month in every run. The database generates the rows, because the ledger's batches
 * would take hours.
 */
export async function fillMonth(books: Books, calls: number, month: Month): Promise<void> {
  const indexes = await dropIndexes(books);
  for (let day = 0; day < days; day++) {
    const [first, next] = [Math.floor((calls * day) / days), Math.floor((calls * (day + 1)) / days)];
    await fillDay(books, month.from + day * dayMs, { first, next });
    process.stderr.write(`day ${day + 1} of ${days}\n`);
  }
  await books.db.transaction().execute(async (transaction) => {
    if (books.engine === "postgres") await sql`set local statement_timeout = 0`.execute(transaction);
    for (const index of indexes) await sql.raw(index).execute(transaction);
    await sql`analyze`.execute(transaction);
  });
}

interface CallNumberRange {
  readonly first: number;
  readonly next: number;
}

async function fillDay({ db, engine }: Books, from: number, range: CallNumberRange): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    if (engine === "postgres") await sql`set local statement_timeout = 0`.execute(transaction);
    await sql`create temporary table made as ${generatedCallsQuery(from, range)}`.execute(transaction);
    if (engine === "postgres") await makePartitions(transaction, from);
    await sql`insert into calls select account, at, id, request, token, model, channel, outcome, status, cost, ${eventIn(engine)}
      from made`.execute(transaction);
    await sql`insert into call_ids select account, id, at, request, upstream from made`.execute(transaction);
    for (const [name, column] of [
      ["endUser", "enduser"],
      ["tag:team", "team"],
    ] as const)
      await sql`insert into call_labels select account, at, id, ${sql.lit(name)}, ${sql.ref(column)} from made
        where ${sql.ref(column)} <> ''`.execute(transaction);
    for (const [table, period] of [
      ["hourly_totals", 3_600_000],
      ["daily_totals", dayMs],
    ] as const)
      await addTotals(transaction, table, period);
    await addFirstBytes(transaction, engine);
    await addTagTotals(transaction, engine);
    await addTotals(
      transaction,
      "labelled_totals",
      dayMs,
      sql`'{"endUser":"' || enduser || '","tag:team":"' || team || '"}'`,
    );
    await sql`drop table made`.execute(transaction);
  });
}

async function addTotals(
  transaction: Kysely<any>,
  table: string,
  period: number,
  labels?: RawBuilder<unknown>,
): Promise<void> {
  const named = labels === undefined ? sql`` : sql`, labels`;
  const value = labels === undefined ? sql`` : sql`, ${labels}`;
  const which = labels === undefined ? sql`` : sql`where enduser <> ''`;
  const key = sql`account, at - at % ${sql.lit(period)}, token, model, channel, outcome ${value}`;
  await sql`insert into ${sql.table(table)} (account, period, token, model, channel, outcome ${named}, calls, cost,
    ${sql.ref("inputTokens")}, ${sql.ref("cachedInputTokens")}, ${sql.ref("outputTokens")})
    select ${key}, count(*), sum(cost), sum(input), sum(cached), sum(output) from made ${which}
    group by ${key}`.execute(transaction);
}

/** Returns the bucket of a time to the first byte, as in `libs/books/src/first-bytes.ts`. */
function bucketIn(engine: Books["engine"]): RawBuilder<number> {
  const ms = engine === "postgres" ? sql`firstbyte::double precision` : sql`firstbyte`;
  return sql`cast(floor(ln(${ms} + 1) / ln(1.05)) as integer)`;
}

async function addFirstBytes(transaction: Kysely<any>, engine: Books["engine"]): Promise<void> {
  const bucket = bucketIn(engine);
  await sql`insert into first_bytes (account, period, model, channel, bucket, calls)
    select account, at - at % 3600000, model, channel, ${bucket}, count(*) from made where outcome = 'completed'
    group by 1, 2, 3, 4, 5`.execute(transaction);
  await sql`insert into daily_first_bytes (account, period, model, channel, bucket, calls)
    select account, at - at % ${sql.lit(dayMs)}, model, channel, ${bucket}, count(*) from made where outcome = 'completed'
    group by 1, 2, 3, 4, 5`.execute(transaction);
}

async function addTagTotals(transaction: Kysely<any>, engine: Books["engine"]): Promise<void> {
  await sql`insert into daily_tag_totals (account, period, name, value, outcome, calls, cost,
      ${sql.ref("inputTokens")}, ${sql.ref("cachedInputTokens")}, ${sql.ref("outputTokens")})
    select account, at - at % ${sql.lit(dayMs)}, 'tag:team', team, outcome, count(*), sum(cost), sum(input), sum(cached), sum(output)
    from made where team <> '' group by 1, 2, 3, 4, 5`.execute(transaction);
  await sql`insert into daily_tag_first_bytes (account, period, name, value, bucket, calls)
    select account, at - at % ${sql.lit(dayMs)}, 'tag:team', team, ${bucketIn(engine)}, count(*) from made
    where team <> '' and outcome = 'completed' group by 1, 2, 3, 4, 5`.execute(transaction);
}

/** Returns a pseudo-random number per call, which is the same in both engines. `multiplier` selects the sequence. */
const pseudoRandom = (multiplier: number, below: number): RawBuilder<number> =>
  sql`((n * ${sql.lit(multiplier)} + 12345) % 2147483648 / 1024 % ${sql.lit(below)})`;

function generatedCallsQuery(from: number, { first, next }: CallNumberRange): RawBuilder<unknown> {
  const [account, token, turn] = [
    pseudoRandom(1_103_515_245, 200),
    pseudoRandom(22_695_477, 3),
    pseudoRandom(134_775_813, 2),
  ];
  return sql`
    with recursive numbers(n) as (
      select cast(${sql.lit(first)} as bigint) union all select n + 1 from numbers where n + 1 < ${sql.lit(next)}
    ), drawn as (
      select n, ${account} as a, ${token} as t, ${turn} as m, ${pseudoRandom(69_069_007, 20_000)} as seldom,
        ${pseudoRandom(214_013_271, 2)} as c, ${pseudoRandom(48_271_117, 500)} as luck, ${pseudoRandom(16_645_253, 4_000)} as input,
        ${pseudoRandom(90_001_009, 2_000)} as cached, ${pseudoRandom(31_415_927, 1_000)} as output, ${pseudoRandom(27_182_817, 10_000)} as u
      from numbers
    )
    select n, 'account-' || a as account,
      ${sql.lit(from)} + (n - ${sql.lit(first)}) * ${sql.lit(dayMs)} / ${sql.lit(Math.max(1, next - first))} as at,
      'call_' || (n + 10000000000000000) as id, 'req_' || (n * 2654435761 % 4294967296) || '_' || n as request,
      'chatcmpl-' || (n * 40503 % 4294967296) || '_' || n as upstream,
      'tok_' || a || '_' || t as token,
      case when seldom = 0 then 'seldom' else 'model-' || ((a * 7 + t * 3) % 9 + m) end as model,
      'channel-' || ((a * 7 + t * 3 + c) % 6) as channel,
      case when luck < 10 then 'failed' else 'completed' end as outcome,
      case when luck = 0 then 429 when luck < 10 then 502 else 200 end as status,
      input * 250 + output * 1000 as cost, input, cached, output, 150 + output * 3 / 2 as firstbyte,
      case when n % 4 = 0 then 'user-' || u else '' end as enduser,
      case when n % 4 = 0 then 'team-' || (u % 20) else '' end as team
    from drawn`;
}

/** Returns an event as long as a real one. */
const eventIn = (
  engine: Books["engine"],
): RawBuilder<string> => sql`'{"id":"' || id || '","time":"' || ${timeIn(engine)} || '","requestId":"' || request || '","accountId":"'
  || account || '","tokenId":"' || token || '","group":"default","area":"text","endpoint":"POST /v1/chat/completions",'
  || '"model":"' || model || '","upstreamModel":"gpt-5-mini-2026-01-01","channelId":"' || channel || '","status":' || status
  || ',"outcome":"' || outcome || '","units":{"inputTokens":' || input || ',"cachedInputTokens":' || cached
  || ',"outputTokens":' || output || ',"requests":1},"estimated":false,"multiplier":1,"latencyMs":' || (150 + output * 7)
  || ',"firstByteMs":' || firstbyte || ',"attempts":1,"priceVersion":"5f2a9c01b7e4","costNanos":"' || cost || '","receipt":{"number":' || n
  || ',"previous":"0f1e2d3c4b5a69788796a5b4c3d2e1f001234567","balanceNanos":"123456789012",'
  || '"hash":"76543210f0e1d2c3b4a5968778695a4b3c2d1e0f"}}'`;

function timeIn(engine: Books["engine"]): RawBuilder<string> {
  return engine === "postgres"
    ? sql`to_char(to_timestamp(at / 1000.0) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
    : sql`strftime('%Y-%m-%dT%H:%M:%fZ', at / 1000.0, 'unixepoch')`;
}

/** Creates the partitions of a day, as the ledger does. */
async function makePartitions(transaction: Kysely<any>, from: number): Promise<void> {
  const day = new Date(from).toISOString().slice(0, 10).replaceAll("-", "");
  for (const table of ["calls", "call_labels"])
    await sql`create table ${sql.table(`${table}_${day}`)} partition of ${sql.table(table)}
      for values from (${sql.lit(from)}) to (${sql.lit(from + dayMs)})`.execute(transaction);
}

/** Drops all indexes except keys. Returns the statements that create them. */
async function dropIndexes({ db, engine }: Books): Promise<readonly string[]> {
  const { rows } =
    engine === "postgres"
      ? await sql<{ name: string; made: string }>`select indexname as name, indexdef as made from pg_indexes
          where tablename in ('calls', 'call_labels', 'call_ids') and indexdef not like '%UNIQUE%'`.execute(db)
      : await sql<{ name: string; made: string }>`select name, sql as made from sqlite_master
          where type = 'index' and tbl_name in ('calls', 'call_labels', 'call_ids') and sql is not null`.execute(db);
  for (const { name } of rows) await sql`drop index ${sql.ref(name)}`.execute(db);
  return rows.map(({ made }) => made.replace(" ON ONLY ", " ON "));
}

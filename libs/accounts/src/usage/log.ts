import type { UsageEvent } from "@modelgate/contracts";
import type { Redis } from "@modelgate/platform";
import { keys } from "../keys.ts";
import { listAccountIds } from "../money/account.ts";
import { daysBetween } from "./days.ts";
import { fieldBreak } from "./record.ts";

/** Which events of the usage log are asked for; what is absent narrows nothing. */
export interface LogQuery {
  /** RFC 3339 dates or times, both included; a date as `to` means all of its day. */
  readonly from: string;
  readonly to: string;
  readonly account?: string | undefined;
  readonly token?: string | undefined;
  readonly model?: string | undefined;
  readonly channel?: string | undefined;
  readonly requestId?: string | undefined;
  readonly order: "oldest first" | "newest first";
}

/** Where an event stands in the log: a reading can go on after it. */
export interface LogPlace {
  readonly day: string;
  readonly account: string;
  /** Id within the day's stream of the account. */
  readonly entry: string;
}

/** A stretch of the log that has been read: what of it was asked for, and how far it goes. */
export interface LogStretch {
  readonly found: readonly { readonly event: UsageEvent; readonly place: LogPlace }[];
  /** How many events were looked at, or accounts that have none. */
  readonly looked: number;
  readonly end: LogPlace;
}

/** Events that are read from Redis at once. */
const stretchSize = 500;
/** Accounts that are asked at once whether they have a log of a day. */
const accountsAtOnce = 500;
/** Beyond every entry of a day's log, in each direction: where an account that has been passed is gone on after. */
const beyond = { "oldest first": "9999999999999999-0", "newest first": "0-1" } as const;

/**
 * Reads the usage log stretch by stretch, day by day and within a day account by account; no more than a stretch is
 * held. Accounts without a log of a day are passed in stretches of their own, in which nothing is found. Throws
 * RangeError for dates that are none or too far apart.
 */
export async function* readLog(redis: Redis, query: LogQuery, after?: LogPlace): AsyncGenerator<LogStretch> {
  const ahead = query.order === "oldest first";
  const accounts = query.account === undefined ? await listAccountIds(redis) : [query.account];
  const days = daysBetween(query.from, query.to);
  for (const day of ahead ? days : days.toReversed()) {
    if (after !== undefined && (ahead ? day < after.day : day > after.day)) continue;
    const begun = day === after?.day ? after : undefined;
    const left = begun === undefined ? accounts : accounts.filter((account) => account >= begun.account);
    for (let at = 0; at < left.length; at += accountsAtOnce)
      yield* readAccounts(redis, query, { day, accounts: left.slice(at, at + accountsAtOnce) }, begun);
  }
}

async function* readAccounts(
  redis: Redis,
  query: LogQuery,
  { day, accounts }: { readonly day: string; readonly accounts: readonly string[] },
  after: LogPlace | undefined,
): AsyncGenerator<LogStretch> {
  const key = query.requestId === undefined ? keys.usageLog : keys.usageRequests;
  // Sent in one go by the connection.
  const logged = await Promise.all(accounts.map((account) => redis.exists(key(account, day))));
  for (const [at, account] of accounts.entries()) {
    if (logged[at] === 0) continue;
    yield* readDay(redis, query, { day, account }, account === after?.account ? after.entry : undefined);
  }
  const last = accounts.at(-1);
  if (last !== undefined)
    yield { found: [], looked: accounts.length, end: { day, account: last, entry: beyond[query.order] } };
}

async function* readDay(
  redis: Redis,
  query: LogQuery,
  at: Omit<LogPlace, "entry">,
  after: string | undefined,
): AsyncGenerator<LogStretch> {
  const read = query.requestId === undefined ? readOn(redis, query.order) : readRequest(redis, query, query.requestId);
  for (let last = after; ;) {
    const { entries, names } = await read(at, last);
    const end = names.at(-1);
    if (end === undefined) return;
    const found = entries.flatMap(([entry, fields]) => {
      const event: UsageEvent = JSON.parse(fields[1] ?? "{}");
      return matches(event, query) ? [{ event, place: { ...at, entry } }] : [];
    });
    yield { found, looked: names.length, end: { ...at, entry: end } };
    if (names.length < stretchSize) return;
    last = end;
  }
}

type Entries = readonly (readonly [entry: string, fields: readonly string[]])[];
/** What a stretch holds, and the names of all entries that it is made of: those that were trimmed from the log too. */
type ReadEntries = (
  at: Omit<LogPlace, "entry">,
  after: string | undefined,
) => Promise<{ readonly entries: Entries; readonly names: readonly string[] }>;

function readOn(redis: Redis, order: LogQuery["order"]): ReadEntries {
  return async ({ day, account }, after) => {
    const key = keys.usageLog(account, day);
    const entries =
      order === "oldest first"
        ? await redis.xrange(key, after === undefined ? "-" : `(${after}`, "+", "COUNT", stretchSize)
        : await redis.xrevrange(key, after === undefined ? "+" : `(${after}`, "-", "COUNT", stretchSize);
    return { entries, names: entries.map(([entry]) => entry) };
  };
}

/** The calls of one request, found by their index: a session has many, and a client may use one id for all it asks. */
function readRequest(redis: Redis, { order }: LogQuery, requestId: string): ReadEntries {
  return async ({ day, account }, after) => {
    const key = keys.usageRequests(account, day);
    const prefix = requestId + fieldBreak;
    const begin = after === undefined ? undefined : `(${prefix}${after}`;
    const [first, last] = [`[${prefix}`, `[${prefix}~`];
    const members =
      order === "oldest first"
        ? await redis.zrangebylex(key, begin ?? first, last, "LIMIT", 0, stretchSize)
        : await redis.zrevrangebylex(key, begin ?? last, first, "LIMIT", 0, stretchSize);
    const names = members.map((member) => member.slice(prefix.length));
    const log = keys.usageLog(account, day);
    const parts = await Promise.all(names.map((entry) => redis.xrange(log, entry, entry)));
    return { entries: parts.flat(), names };
  };
}

function matches(event: UsageEvent, query: LogQuery): boolean {
  const same = (wanted: string | undefined, value: string): boolean => wanted === undefined || wanted === value;
  return (
    event.time >= query.from &&
    // "2026-01-31" is before every time of that day: compared as far as it goes.
    event.time.slice(0, query.to.length) <= query.to &&
    same(query.token, event.tokenId) &&
    same(query.model, event.model) &&
    same(query.channel, event.channelId) &&
    same(query.requestId, event.requestId)
  );
}

/** A page of the log; `next` is there where reading can go on. */
export interface LogPage {
  readonly events: readonly UsageEvent[];
  readonly next?: LogPlace;
}

/** Most events and accounts that one page looks at: a page of a rare model may have few events and a `next`. */
const mostLooked = 50_000;

/** Reads a page of at most `limit` events. Throws RangeError as `readLog` does. */
export async function readLogPage(redis: Redis, query: LogQuery, limit: number, after?: LogPlace): Promise<LogPage> {
  const events: UsageEvent[] = [];
  let looked = 0;
  for await (const stretch of readLog(redis, query, after)) {
    for (const { event, place } of stretch.found) {
      events.push(event);
      if (events.length === limit) return { events, next: place };
    }
    looked += stretch.looked;
    if (looked >= mostLooked) return { events, next: stretch.end };
  }
  return { events };
}

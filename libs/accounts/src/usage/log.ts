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
  /** How many events were looked at. */
  readonly looked: number;
  readonly end: LogPlace;
}

/** Events that are read from Redis at once. */
const stretchSize = 500;

/**
 * Reads the usage log stretch by stretch, day by day and within a day account by account; no more than a stretch is
 * held. Throws RangeError for dates that are none or too far apart.
 */
export async function* readLog(redis: Redis, query: LogQuery, after?: LogPlace): AsyncGenerator<LogStretch> {
  const ahead = query.order === "oldest first";
  const accounts = query.account === undefined ? await listAccountIds(redis) : [query.account];
  const days = daysBetween(query.from, query.to);
  for (const day of ahead ? days : days.toReversed()) {
    if (after !== undefined && (ahead ? day < after.day : day > after.day)) continue;
    for (const account of accounts) {
      const sameDay = day === after?.day;
      if (sameDay && account < after.account) continue;
      yield* readDay(redis, query, { day, account }, sameDay && account === after.account ? after.entry : undefined);
    }
  }
}

async function* readDay(
  redis: Redis,
  query: LogQuery,
  { day, account }: Omit<LogPlace, "entry">,
  after: string | undefined,
): AsyncGenerator<LogStretch> {
  const read = query.requestId === undefined ? readOn(redis, query.order) : readRequest(redis, query.requestId);
  for (let last = after; ;) {
    const entries = await read({ day, account }, last);
    const end = entries.at(-1)?.[0];
    if (end === undefined) return;
    const found = entries.flatMap(([entry, fields]) => {
      const event: UsageEvent = JSON.parse(fields[1] ?? "{}");
      return matches(event, query) ? [{ event, place: { day, account, entry } }] : [];
    });
    yield { found, looked: entries.length, end: { day, account, entry: end } };
    if (entries.length < stretchSize) return;
    last = end;
  }
}

type Entries = readonly (readonly [entry: string, fields: readonly string[]])[];
type ReadEntries = (at: Omit<LogPlace, "entry">, after: string | undefined) => Promise<Entries>;

function readOn(redis: Redis, order: LogQuery["order"]): ReadEntries {
  return ({ day, account }, after) => {
    const key = keys.usageLog(account, day);
    return order === "oldest first"
      ? redis.xrange(key, after === undefined ? "-" : `(${after}`, "+", "COUNT", stretchSize)
      : redis.xrevrange(key, after === undefined ? "+" : `(${after}`, "-", "COUNT", stretchSize);
  };
}

/** The calls of one request, found by their index; there are few. */
function readRequest(redis: Redis, requestId: string): ReadEntries {
  return async ({ day, account }, after) => {
    if (after !== undefined) return [];
    const from = `${requestId}${fieldBreak}`;
    const members = await redis.zrangebylex(
      keys.usageRequests(account, day),
      `[${from}`,
      `[${from}~`,
      "LIMIT",
      0,
      stretchSize - 1,
    );
    const parts = await Promise.all(
      members.map((member) => {
        const entry = member.slice(from.length);
        return redis.xrange(keys.usageLog(account, day), entry, entry);
      }),
    );
    return parts.flat();
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

/** Most events that one page looks at: a page of a rare model may have few events and a `next`. */
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

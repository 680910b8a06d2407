import { createHash } from "node:crypto";

/** Maximum age of outcomes that count as evidence. */
const windowMs = 60_000;
/** Maximum outcomes that are kept of one account with one model and key of a channel. */
const maxOutcomes = 32;
/**
 * Maximum combinations of account, model and key that are kept of one channel; the least recently used one is dropped.
 */
const maxTallies = 256;
/** Maximum channels that evidence is kept of. */
const maxChannels = 1_000;
/** Bytes at each end of a large body that its fingerprint is computed from. */
const fingerprintBytes = 32 * 1024;

/** Caller and route of a call. */
export interface Subject {
  readonly account: string;
  readonly model: string;
  readonly key: string;
}

/** A failure, as it is counted. */
export interface FailureSeen {
  /** Part of the route that the failure counts against. */
  readonly of: "channel" | "model" | "key";
  /** Fingerprint of the request's body; undefined if the body can be read only once. */
  readonly body: string | undefined;
  /**
   * True if no client can cause the failure: no connection, an unknown host, an invalid certificate, a refused
   * signature.
   */
  readonly isCertain?: boolean | undefined;
}

/** Outcome of one call. */
export interface CallOutcome {
  /** Unix ms. */
  readonly at: number;
  readonly failed?: FailureSeen | undefined;
}

/** Latest outcomes of one account with one model and key, oldest first. */
export interface Tally extends Subject {
  readonly outcomes: CallOutcome[];
}

/**
 * Outcomes of the last minute's calls at channels that this process made. Failures of the same body and account count
 * as one, because the body may be the cause.
 */
export class Evidence {
  readonly #channels = new Map<string, Map<string, Tally>>();

  /** Counts an outcome. */
  add(channelId: string, { account, model, key }: Subject, outcome: CallOutcome): void {
    const tallies = getOrCreate(this.#channels, channelId, maxChannels, () => new Map<string, Tally>());
    const name = `${account}\n${model}\n${key}`;
    const { outcomes } = getOrCreate(tallies, name, maxTallies, () => ({ account, model, key, outcomes: [] }));
    const { at, failed } = outcome;
    while (outcomes[0] !== undefined && outcomes[0].at <= at - windowMs) outcomes.shift();
    if (failed?.body !== undefined && failed.isCertain !== true && outcomes.some((known) => isRepeat(known, failed)))
      return;
    if (outcomes.length >= maxOutcomes) outcomes.shift();
    outcomes.push(outcome);
  }

  /** Returns the outcomes at a channel within the window before `now`. */
  at(channelId: string, now: number): readonly Tally[] {
    const tallies = [...(this.#channels.get(channelId)?.values() ?? [])];
    return tallies.map((tally) => ({ ...tally, outcomes: tally.outcomes.filter(({ at }) => at > now - windowMs) }));
  }

  /** Drops the failures of a channel, for one account or for all, because it works again. */
  forgive(channelId: string, account?: string): void {
    for (const tally of this.#channels.get(channelId)?.values() ?? []) {
      if (account !== undefined && tally.account !== account) continue;
      const good = tally.outcomes.filter(({ failed }) => failed === undefined);
      tally.outcomes.splice(0, tally.outcomes.length, ...good);
    }
  }
}

/**
 * Returns the entry of a map and creates it if it is missing; the least recently used one is then dropped if the map is
 * full.
 */
export function getOrCreate<Value>(map: Map<string, Value>, key: string, maxSize: number, make: () => Value): Value {
  const known = map.get(key);
  // Moving an entry with each call would make the map rebuild its tables, whose garbage gets old. The order of use is
  // therefore maintained only when the map is at least half full.
  if (known !== undefined && map.size <= maxSize / 2) return known;
  const value = known ?? make();
  // Moved to the end: the first entry is the least recently used one.
  map.delete(key);
  const [oldest] = map.keys();
  if (map.size >= maxSize && oldest !== undefined) map.delete(oldest);
  map.set(key, value);
  return value;
}

function isRepeat({ failed: known }: CallOutcome, failed: FailureSeen): boolean {
  return known !== undefined && known.body === failed.body && known.of === failed.of;
}

/**
 * Computes a body's fingerprint from its length and its two ends. Undefined if there is no body, or if it can be read
 * only once.
 */
export function fingerprintOf(body: unknown): string | undefined {
  if (!Buffer.isBuffer(body)) return undefined;
  const hash = createHash("sha1").update(String(body.length));
  if (body.length <= 2 * fingerprintBytes) hash.update(body);
  else hash.update(body.subarray(0, fingerprintBytes)).update(body.subarray(-fingerprintBytes));
  return hash.digest("base64url");
}

import { createHash } from "node:crypto";

/** Maximum age of evidence. */
const windowMs = 60_000;
/** Maximum outcomes of a tally. */
const maxOutcomes = 32;
/** Maximum tallies of a channel. The least recently used one is dropped. */
const maxTallies = 256;
/** Maximum channels. The least recently used one is dropped. */
const maxChannels = 1_000;
/** Number of bytes at each end of a large body from which its fingerprint is computed. */
const fingerprintBytes = 32 * 1024;

export interface EvidenceSource {
  readonly account: string;
  readonly model: string;
  readonly key: string;
}

/** A failure of a call, as evidence against a part of its route. */
export interface FailureEvidence {
  /** Part of the route that may have caused the failure. */
  readonly of: "channel" | "model" | "key";
  /** Fingerprint of the request's body; undefined for a stream. */
  readonly body: string | undefined;
  /** True if no client can cause the failure, for example if the connection was refused. */
  readonly isNeverClientFault?: boolean | undefined;
}

/** Success or failure of one call. */
export interface CallOutcome {
  /** Time of the outcome in Unix ms. */
  readonly at: number;
  readonly failed?: FailureEvidence | undefined;
}

/** Latest outcomes of one account with one model and one key, oldest first. */
export interface Tally extends EvidenceSource {
  readonly outcomes: CallOutcome[];
}

/** Outcomes of this process's calls in the last minute, by channel. */
export class Evidence {
  readonly #channels = new Map<string, Map<string, Tally>>();

  add(channelId: string, { account, model, key }: EvidenceSource, outcome: CallOutcome): void {
    const tallies = getOrCreate(this.#channels, channelId, maxChannels, () => new Map<string, Tally>());
    const name = `${account}\n${model}\n${key}`;
    const { outcomes } = getOrCreate(tallies, name, maxTallies, () => ({ account, model, key, outcomes: [] }));
    const { at, failed } = outcome;
    while (outcomes[0] !== undefined && outcomes[0].at <= at - windowMs) outcomes.shift();
    if (
      failed?.body !== undefined &&
      failed.isNeverClientFault !== true &&
      outcomes.some((other) => isRepeat(other, failed))
    )
      return;
    if (outcomes.length >= maxOutcomes) outcomes.shift();
    outcomes.push(outcome);
  }

  /** Returns a channel's outcomes in the minute before `now`. */
  recentTallies(channelId: string, now: number): readonly Tally[] {
    const tallies = [...(this.#channels.get(channelId)?.values() ?? [])];
    return tallies.map((tally) => ({ ...tally, outcomes: tally.outcomes.filter(({ at }) => at > now - windowMs) }));
  }

  /** Drops the failures of a channel, for one account or for all. */
  dropFailures(channelId: string, account?: string): void {
    for (const tally of this.#channels.get(channelId)?.values() ?? []) {
      if (account !== undefined && tally.account !== account) continue;
      const good = tally.outcomes.filter(({ failed }) => failed === undefined);
      tally.outcomes.splice(0, tally.outcomes.length, ...good);
    }
  }
}

/** Returns the map's entry for a key, or creates it. A full map drops its least recently used entry. */
export function getOrCreate<Value>(map: Map<string, Value>, key: string, maxSize: number, make: () => Value): Value {
  const existing = map.get(key);
  // Moving an entry at each access is expensive: the map often rebuilds its tables. Entries are therefore moved only in
  // a map that is more than half full.
  if (existing !== undefined && map.size <= maxSize / 2) return existing;
  const value = existing ?? make();
  // The first entry of the map is the least recently used one.
  map.delete(key);
  const [oldest] = map.keys();
  if (map.size >= maxSize && oldest !== undefined) map.delete(oldest);
  map.set(key, value);
  return value;
}

function isRepeat({ failed: other }: CallOutcome, failed: FailureEvidence): boolean {
  return other !== undefined && other.body === failed.body && other.of === failed.of;
}

/**
 * Computes the fingerprint of a body; of a large body, only from its length and its two ends. Undefined if the body is
 * not a buffer.
 */
export function fingerprintOf(body: unknown): string | undefined {
  if (!Buffer.isBuffer(body)) return undefined;
  const hash = createHash("sha1").update(String(body.length));
  if (body.length <= 2 * fingerprintBytes) hash.update(body);
  else hash.update(body.subarray(0, fingerprintBytes)).update(body.subarray(-fingerprintBytes));
  return hash.digest("base64url");
}

import { createHash } from "node:crypto";

/** Outcomes older than this say nothing about how a channel is now. */
const windowMs = 60_000;
/** Outcomes kept of one account with one model and key of a channel. */
const maxOutcomes = 32;
/** Combinations of account, model and key kept of one channel; the one unused for longest is dropped. */
const maxTallies = 256;
/** Channels that evidence is kept of. */
const maxChannels = 1_000;
/** Bytes of a large body that its fingerprint is made from, at each end. */
const fingerprintBytes = 32 * 1024;

/** Caller and route of a call. */
export interface Subject {
  readonly account: string;
  readonly model: string;
  readonly key: string;
}

/** A failure, as it is counted. */
export interface FailureSeen {
  /** Subject that it speaks against. */
  readonly of: "channel" | "model" | "key";
  /** Fingerprint of the request's body; undefined where it has none that could be read twice. */
  readonly body: string | undefined;
  /** Nothing that a client sends can bring it about: no connection, no name, no valid certificate, a signature that is refused. */
  readonly isCertain?: boolean | undefined;
}

/** Outcome of one call. */
export interface CallOutcome {
  /** Unix ms. */
  readonly at: number;
  readonly failed?: FailureSeen | undefined;
}

/** The latest outcomes of one account with one model and key, oldest first. */
export interface Tally extends Subject {
  readonly outcomes: CallOutcome[];
}

/**
 * Outcomes of the last minute's calls at channels, as far as this process saw them. A failure that repeats for the
 * same body of the same account is counted once: it may be the body's.
 */
export class Evidence {
  readonly #channels = new Map<string, Map<string, Tally>>();

  /** Counts an outcome. */
  add(channelId: string, subject: Subject, outcome: CallOutcome): void {
    const { outcomes } = this.#tally(channelId, subject);
    const { at, failed } = outcome;
    while (outcomes[0] !== undefined && outcomes[0].at <= at - windowMs) outcomes.shift();
    if (failed?.body !== undefined && failed.isCertain !== true && outcomes.some((known) => isRepeat(known, failed)))
      return;
    if (outcomes.length >= maxOutcomes) outcomes.shift();
    outcomes.push(outcome);
  }

  /** The outcomes at a channel since `now` minus the window. */
  at(channelId: string, now: number): readonly Tally[] {
    const tallies = [...(this.#channels.get(channelId)?.values() ?? [])];
    return tallies.map((tally) => ({ ...tally, outcomes: tally.outcomes.filter(({ at }) => at > now - windowMs) }));
  }

  /** Drops the failures of a channel, of one account or of all: it works again. */
  forgive(channelId: string, account?: string): void {
    for (const tally of this.#channels.get(channelId)?.values() ?? []) {
      if (account !== undefined && tally.account !== account) continue;
      const good = tally.outcomes.filter(({ failed }) => failed === undefined);
      tally.outcomes.splice(0, tally.outcomes.length, ...good);
    }
  }

  #tally(channelId: string, { account, model, key }: Subject): Tally {
    const tallies = getOrCreate(this.#channels, channelId, maxChannels, () => new Map<string, Tally>());
    return getOrCreate(tallies, `${account}\n${model}\n${key}`, maxTallies, () => ({
      account,
      model,
      key,
      outcomes: [],
    }));
  }
}

/** The entry of a map, made where it is missing; the one unused for longest gives way to it. */
export function getOrCreate<Value>(map: Map<string, Value>, key: string, most: number, make: () => Value): Value {
  const known = map.get(key);
  // What makes a map's tables anew with each call leaves garbage that grows old: the order of use is kept where it is needed.
  if (known !== undefined && map.size <= most / 2) return known;
  const value = known ?? make();
  // Moved behind all others: the first is the one that was unused for longest.
  map.delete(key);
  const [oldest] = map.keys();
  if (map.size >= most && oldest !== undefined) map.delete(oldest);
  map.set(key, value);
  return value;
}

function isRepeat({ failed: known }: CallOutcome, failed: FailureSeen): boolean {
  return known !== undefined && known.body === failed.body && known.of === failed.of;
}

/** A body's fingerprint: of its length and its ends. Undefined where there is no body that could be read twice. */
export function fingerprintOf(body: unknown): string | undefined {
  if (!Buffer.isBuffer(body)) return undefined;
  const hash = createHash("sha1").update(String(body.length));
  if (body.length <= 2 * fingerprintBytes) hash.update(body);
  else hash.update(body.subarray(0, fingerprintBytes)).update(body.subarray(-fingerprintBytes));
  return hash.digest("base64url");
}

import { createHmac } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import {
  claimCallbacks,
  firstCallbackDue,
  readTokenDigest,
  removeCallback,
  retryCallback,
  shards,
  type Callback,
} from "@modelgate/accounts";
import type { RemoteStreams } from "@modelgate/channels";
import { Failure } from "@modelgate/contracts";
import { WorkCheck, msUntilSharedTick, type Logger, type Redis } from "@modelgate/platform";
import type { JsonRecord } from "@modelgate/formats/json";

/** Sends changes of a task's state to the callback URLs of clients. */
export interface Callbacks extends AsyncDisposable {
  /** Sends a stored callback in the background, until the client accepts it or it is abandoned. */
  send(callback: Callback | undefined): void;
  /** Returns the time in Unix ms from which another process may send a callback that this process sends now. */
  leaseEnd(): number;
}

export interface CallbackOptions {
  readonly redis: Redis;
  readonly remote: RemoteStreams;
  readonly log: Logger;
  readonly now: () => number;
  /** Maximum ms to wait for the client's answer. */
  readonly timeoutMs: number;
  /** Interval in ms at which due callbacks are read. */
  readonly roundMs: number;
}

/** Pauses between attempts, in ms. */
const retryDelaysMs = [1_000, 10_000, 60_000, 300_000, 900_000];
/** Maximum age in ms of a callback that is still sent. */
const maxAgeMs = 3_600_000;
/** Maximum due callbacks of one shard that are claimed at a time. */
const maxClaimed = 16;
/** Maximum callbacks that this process sends at the same time, in total and per account. */
const [maxOpen, maxPerAccount] = [1_000, 200];
/** Maximum characters of a client's callback URL. */
const maxUrlCharacters = 2_048;

/**
 * Opens the delivery of callbacks. A client may receive a callback twice, with the same event id, if a process dies.
 * The header `x-modelgate-signature: t=<seconds>,v1=<hex>` contains the HMAC-SHA256 of "<seconds>.<body>"; its key is
 * the hexadecimal SHA-256 of the client's API key.
 */
export function openCallbacks(options: CallbackOptions): Callbacks {
  const { redis, log, now, timeoutMs, roundMs } = options;
  const stop = new AbortController();
  const leaseMs = 2 * timeoutMs;
  const claim = claimerOf(redis, now, leaseMs);
  /** Callbacks that are being sent, with their accounts. */
  const openDeliveries = new Map<Promise<void>, string>();
  const isFull = (accountId: string): boolean =>
    openDeliveries.size >= maxOpen ||
    [...openDeliveries.values()].filter((owner) => owner === accountId).length >= maxPerAccount;

  async function deliver(callback: Callback): Promise<void> {
    const { event, tries } = callback;
    try {
      const isAccepted = await post(options, callback, stop.signal).catch((error: unknown) => {
        log.debug({ err: error, taskId: event.taskId }, "a callback did not arrive");
        return false;
      });
      const delayMs = isAccepted ? undefined : retryDelaysMs[tries];
      if (!isAccepted && stop.signal.aborted) return; // another process sends it when its lease ends
      if (delayMs !== undefined) await retryCallback(redis, { ...callback, tries: tries + 1 }, now() + delayMs);
      else await (isAccepted ? removeCallback(redis, callback) : abandon(callback));
    } catch (error) {
      log.debug({ err: error, taskId: event.taskId }, "a callback will be sent again when its lease expires");
    }
  }

  async function abandon(callback: Callback): Promise<void> {
    const { event, tries } = callback;
    await removeCallback(redis, callback);
    log.info({ taskId: event.taskId, state: event.state, tries }, "giving up on a callback");
  }

  function send(callback: Callback | undefined): void {
    if (callback === undefined) return;
    const { accountId, time } = callback.event;
    const isOld = now() - Date.parse(time) > maxAgeMs;
    if (!isOld && isFull(accountId)) return;
    const step = (isOld ? abandon(callback).catch(() => undefined) : deliver(callback)).finally(() =>
      openDeliveries.delete(step),
    );
    openDeliveries.set(step, accountId);
  }

  async function rounds(): Promise<void> {
    while (!stop.signal.aborted) {
      const due = await claim().catch(() => []);
      due.forEach(send);
      await setTimeout(msUntilSharedTick(roundMs), undefined, { signal: stop.signal }).catch(() => undefined);
    }
  }

  const running = rounds();
  return {
    send,
    leaseEnd: () => now() + leaseMs,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await Promise.all([running, ...openDeliveries.keys()]);
    },
  };
}

/** Returns the function that claims due callbacks. It sends few commands to Redis while none are due. */
function claimerOf(redis: Redis, now: () => number, leaseMs: number): () => Promise<readonly Callback[]> {
  const workCheck = new WorkCheck({
    redis,
    graceMs: 0,
    nextDue: async () => Math.min(...(await Promise.all(shards.map((shard) => firstCallbackDue(redis, shard))))),
    now,
  });
  return async () => {
    if (!(await workCheck.hasWork())) return [];
    const claim = { nowMs: now(), leaseMs, maxMembers: maxClaimed };
    return (await Promise.all(shards.map((shard) => claimCallbacks(redis, shard, claim)))).flat();
  };
}

/** Sends a callback once. Returns true if it must not be sent again. Rejects if the client cannot be reached. */
async function post(
  { redis, remote, now, timeoutMs }: CallbackOptions,
  { url, event }: Callback,
  stopped: AbortSignal,
): Promise<boolean> {
  const key = await readTokenDigest(redis, event.tokenId);
  if (key === undefined) return true;
  const { channelId: _channelId, ...visible } = event;
  const body = Buffer.from(JSON.stringify(visible));
  const seconds = Math.floor(now() / 1_000);
  const signature = createHmac("sha256", key).update(`${seconds}.${body.toString()}`).digest("hex");
  await using stream = await remote.open({
    url,
    body,
    headers: { "content-type": "application/json", "x-modelgate-signature": `t=${seconds},v1=${signature}` },
    proxy: undefined,
    timeoutMs,
    signal: AbortSignal.any([stopped, AbortSignal.timeout(timeoutMs)]),
  });
  return stream.answer.status < 300;
}

/** Returns a request's `callback_url`, and the request without this field. Throws Failure invalid_value. */
export function extractCallback(members: JsonRecord): { readonly members: JsonRecord; readonly callbackUrl?: string } {
  const { callback_url: url, ...otherMembers } = members;
  if (url === undefined || url === null || url === "") return { members: otherMembers };
  const parsed = typeof url === "string" && url.length <= maxUrlCharacters ? URL.parse(url) : null;
  if (parsed === null || !["http:", "https:"].includes(parsed.protocol) || parsed.username + parsed.password !== "")
    throw new Failure(
      "invalid_value",
      `callback_url must be an http(s) address of at most ${maxUrlCharacters} characters, without a user name or password.`,
      { param: "callback_url" },
    );
  return { members: otherMembers, callbackUrl: parsed.href };
}

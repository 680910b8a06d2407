import { createHmac } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { digestOfToken, taskEvent, type TaskRecord } from "@modelgate/accounts";
import type { RemoteStreams } from "@modelgate/channels";
import { Failure, type TaskState } from "@modelgate/contracts";
import type { Logger, Redis } from "@modelgate/platform";
import type { JsonRecord } from "@modelgate/wires";

/** Tells clients of their tasks at the addresses that they gave with them. */
export interface Callbacks extends AsyncDisposable {
  /** Tells a transition, in the background; a client that cannot be reached is tried again a few times, then given up. */
  tell(task: TaskRecord, previousState: TaskState | null): void;
}

/** What callbacks are told with. */
export interface CallbackOptions {
  readonly redis: Redis;
  readonly remote: RemoteStreams;
  readonly log: Logger;
  readonly now: () => number;
  /** Longest wait for the client's answer. */
  readonly timeoutMs: number;
}

/** Pauses before the tries of one call, in ms. */
const pausesMs = [0, 1_000, 5_000, 25_000];
/** Most calls that are under way or wait, of all accounts and of one; beyond it a transition is not told. */
const [mostOpen, mostOfAccount] = [1_000, 200];
/** Longest address that a client may give, in characters. */
const longestUrl = 2_048;

/**
 * Calls are a courtesy beside the events and the task itself: what a killed process had not told is not told. Each is
 * the task event as JSON, signed: `x-modelgate-signature: t=<seconds>,v1=<hex>` is the HMAC-SHA256 of "<seconds>.<body>",
 * its key the SHA-256 of the API key that created the task, in hex.
 */
export function openCallbacks({ redis, remote, log, now, timeoutMs }: CallbackOptions): Callbacks {
  const stop = new AbortController();
  /** Calls that are not over, and whose they are. */
  const open = new Map<Promise<void>, string>();
  const isFull = (accountId: string): boolean =>
    open.size >= mostOpen || [...open.values()].filter((owner) => owner === accountId).length >= mostOfAccount;

  async function once(url: string, tokenId: string, body: Buffer): Promise<boolean> {
    const key = await digestOfToken(redis, tokenId);
    if (key === undefined) return true;
    const seconds = Math.floor(now() / 1_000);
    const signature = createHmac("sha256", key).update(`${seconds}.${body.toString()}`).digest("hex");
    await using stream = await remote.open({
      url,
      body,
      headers: { "content-type": "application/json", "x-modelgate-signature": `t=${seconds},v1=${signature}` },
      timeoutMs,
      signal: AbortSignal.any([stop.signal, AbortSignal.timeout(timeoutMs)]),
    });
    return stream.answer.status < 300;
  }

  async function call(url: string, task: TaskRecord, body: Buffer): Promise<void> {
    for (const pauseMs of pausesMs) {
      try {
        await setTimeout(pauseMs, undefined, { signal: stop.signal });
        if (await once(url, task.tokenId, body)) return;
      } catch (error) {
        if (stop.signal.aborted) return;
        log.debug({ err: error, taskId: task.id }, "a callback did not arrive");
      }
    }
    log.debug({ taskId: task.id, state: task.state }, "a callback was not taken");
  }

  return {
    tell(task, previousState) {
      if (task.callbackUrl === undefined) return;
      if (isFull(task.accountId))
        return log.warn({ taskId: task.id, account: task.accountId }, "a callback is not told: too many are under way");
      const body = Buffer.from(JSON.stringify(taskEvent(task, previousState, now())));
      const step = call(task.callbackUrl, task, body).finally(() => open.delete(step));
      open.set(step, task.accountId);
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await Promise.all(open.keys());
    },
  };
}

/** A request's `callback_url`, and the request without it: no vendor is told. Throws Failure invalid_value. */
export function takeCallback(members: JsonRecord): { readonly members: JsonRecord; readonly callbackUrl?: string } {
  const { callback_url: url, ...others } = members;
  if (url === undefined || url === null || url === "") return { members: others };
  const parsed = typeof url === "string" && url.length <= longestUrl ? URL.parse(url) : null;
  if (parsed === null || !["http:", "https:"].includes(parsed.protocol) || parsed.username + parsed.password !== "")
    throw new Failure(
      "invalid_value",
      `callback_url must be an http(s) address of at most ${longestUrl} characters, without a user name or password.`,
      { param: "callback_url" },
    );
  return { members: others, callbackUrl: parsed.href };
}

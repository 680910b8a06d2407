import { randomBytes } from "node:crypto";
import { hostsIn, openRemoteStreams, type RemoteStreams } from "@modelgate/channels";
import type { Environment, Logger } from "@modelgate/platform";
import { openRelay, type OpenRelay } from "@modelgate/relay";
import { openCallbacks, type Callbacks } from "./callbacks.ts";
import type { variables } from "./env.ts";
import type { Pace } from "./poll/advance.ts";

/** Every bound of a task's life; named in `env.ts`. */
export interface TaskLimits {
  readonly referenceBytes: number;
  readonly lifetimeMs: number;
  readonly keepMs: number;
  readonly roundMs: number;
  readonly batch: number;
  readonly concurrency: number;
  readonly leaseMs: number;
  readonly lookTimeoutMs: number;
  readonly contentSilenceMs: number;
  readonly followMs: number;
}

/** What the video service's endpoints and its poller work with. */
export interface Deps extends OpenRelay {
  readonly limits: TaskLimits;
  readonly pace: Pace;
  readonly remote: RemoteStreams;
  readonly callbacks: Callbacks;
  readonly publicUrl: string | undefined;
  /** The clock of tasks, Unix ms. */
  readonly now: () => number;
  readonly random: () => number;
  readonly newTaskId: () => string;
  /** Work that goes on when its client has left; the end of the process waits for it. */
  readonly undertakings: Undertakings;
}

/** Opens everything once. */
export async function openDeps(env: Environment<typeof variables>, log: Logger): Promise<Deps> {
  const open = await openRelay(env, log);
  const undertakings = new Undertakings();
  const callbacks = openCallbacks({
    redis: open.relay.redis,
    remote: openRemoteStreams({ privateHosts: hostsIn(env.CALLBACK_HOSTS) }),
    log,
    now: Date.now,
    timeoutMs: env.CALLBACK_TIMEOUT_MS,
    roundMs: env.POLL_ROUND_MS,
  });
  return {
    ...open,
    limits: {
      referenceBytes: env.REFERENCE_BYTES,
      lifetimeMs: env.TASK_LIFETIME_MS,
      keepMs: env.TASK_KEEP_MS,
      roundMs: env.POLL_ROUND_MS,
      batch: env.POLL_BATCH,
      concurrency: env.POLL_CONCURRENCY,
      leaseMs: env.POLL_LEASE_MS,
      lookTimeoutMs: env.LOOK_TIMEOUT_MS,
      contentSilenceMs: env.CONTENT_SILENCE_MS,
      followMs: env.FOLLOW_MS,
    },
    pace: { firstMs: env.LOOK_FIRST_MS, longestMs: env.LOOK_LONGEST_MS, usualMs: env.USUAL_MS },
    remote: openRemoteStreams(),
    callbacks,
    publicUrl: env.PUBLIC_URL,
    now: Date.now,
    random: Math.random,
    newTaskId: () => `video_${randomBytes(18).toString("base64url")}`,
    undertakings,
    async [Symbol.asyncDispose]() {
      await undertakings.over();
      await callbacks[Symbol.asyncDispose]();
      await open[Symbol.asyncDispose]();
    },
  };
}

/** How long the end of a process waits for what its clients no longer wait for. */
const lastWorkMs = 10_000;

/** Promises that nobody may be waiting for any more. */
export class Undertakings {
  readonly #open = new Set<Promise<unknown>>();

  /** The same promise, remembered until it is settled. */
  keep<Value>(work: Promise<Value>): Promise<Value> {
    const step = work.then(
      () => undefined,
      () => undefined,
    );
    this.#open.add(step);
    void step.then(() => this.#open.delete(step));
    return work;
  }

  /** Resolves when all are settled, or after a bounded time. */
  async over(): Promise<void> {
    const deadline = Promise.withResolvers<void>();
    const alarm = setTimeout(deadline.resolve, lastWorkMs);
    await Promise.race([Promise.all(this.#open), deadline.promise]);
    clearTimeout(alarm);
  }
}

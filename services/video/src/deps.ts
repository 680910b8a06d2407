import { randomBytes } from "node:crypto";
import { makeTaskCipher, type TaskCipher } from "@modelgate/accounts";
import {
  parseHosts,
  openRemoteFiles,
  openRemoteStreams,
  type RemoteFiles,
  type RemoteStreams,
} from "@modelgate/channels";
import type { BufferBudget, ServiceContext } from "@modelgate/platform";
import { openRelay, type ServiceRelay } from "@modelgate/relay";
import { openCallbacks, type Callbacks } from "./callbacks.ts";
import type { Env } from "./env.ts";
import type { PollPace } from "./poll/advance.ts";

/**
 * Limits of tasks, and the intervals at which due tasks are claimed and followed tasks are read. The pauses between
 * polls of a task are in `pace`.
 */
export type TaskLimits = Readonly<Env["tasks"]>;

/** Dependencies of the video service's endpoints and of its poller. */
export interface Deps extends ServiceRelay, AsyncDisposable {
  readonly limits: TaskLimits;
  readonly pace: PollPace;
  readonly remote: RemoteStreams;
  /** Fetches images from clients' URLs. */
  readonly images: RemoteFiles;
  readonly callbacks: Callbacks;
  readonly taskCipher: Pick<TaskCipher, "encrypt">;
  readonly publicUrl: string | undefined;
  /** Returns the current time in Unix ms. */
  readonly now: () => number;
  readonly random: () => number;
  readonly newTaskId: () => string;
  /** Work that continues after its client has disconnected. The process waits for it before it ends. */
  readonly backgroundWork: BackgroundWork;
}

/** Opens the relay, and starts the delivery of callbacks. */
export async function openDeps(context: Pick<ServiceContext<Env>, "ending" | "env" | "log" | "shared">): Promise<Deps> {
  const { env, log } = context;
  const openedRelay = await openRelay(env.relay, context);
  const backgroundWork = new BackgroundWork();
  const callbacks = openCallbacks({
    redis: openedRelay.relay.redis,
    remote: openRemoteStreams({ privateHosts: parseHosts(env.callbacks.privateHosts) }),
    log,
    now: Date.now,
    timeoutMs: env.callbacks.timeoutMs,
    roundMs: env.tasks.roundMs,
  });
  return {
    ...openedRelay,
    limits: env.tasks,
    pace: env.pace,
    remote: openRemoteStreams(),
    images: openImageFetcher(env, openedRelay.body.budget),
    callbacks,
    taskCipher: makeTaskCipher(env.relay.secrets),
    publicUrl: env.publicUrl,
    now: Date.now,
    random: Math.random,
    newTaskId: () => `video_${randomBytes(18).toString("base64url")}`,
    backgroundWork,
    async [Symbol.asyncDispose]() {
      await backgroundWork.waitForEnd();
      await callbacks[Symbol.asyncDispose]();
    },
  };
}

function openImageFetcher({ frames: { privateHosts, ...bounds }, tasks }: Env, budget: BufferBudget): RemoteFiles {
  const limits = { ...bounds, maxBytes: tasks.referenceBytes };
  return openRemoteFiles(limits, budget, { privateHosts: parseHosts(privateHosts) });
}

/** Maximum time in ms for which the end of the process waits for background work. */
const maxEndWaitMs = 10_000;

/** Work in progress whose clients may have disconnected. */
export class BackgroundWork {
  readonly #open = new Set<Promise<unknown>>();

  /** Returns the promise, and tracks it until it is settled. */
  track<Value>(work: Promise<Value>): Promise<Value> {
    const settled = work.then(
      () => undefined,
      () => undefined,
    );
    this.#open.add(settled);
    void settled.then(() => this.#open.delete(settled));
    return work;
  }

  /** Resolves when all tracked promises are settled, or after a maximum time. */
  async waitForEnd(): Promise<void> {
    const deadline = Promise.withResolvers<void>();
    const alarm = setTimeout(deadline.resolve, maxEndWaitMs);
    await Promise.race([Promise.all(this.#open), deadline.promise]);
    clearTimeout(alarm);
  }
}

import { Redis } from "ioredis";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  createAccount,
  createTask,
  findAccount,
  findTask,
  hold,
  sweepHolds,
  shardOf,
  type TaskRecord,
} from "@modelgate/accounts";
import { publishConfiguration } from "@modelgate/catalog";
import { createLogger, readEnv, SharedParts } from "@modelgate/platform";
import {
  startBackends,
  startScriptedServer,
  until,
  type Backends,
  type ScriptedAnswer,
  type ScriptedServer,
} from "@modelgate/testkit";
import { openDeps, type Deps } from "../src/deps.ts";
import { variables } from "../src/env.ts";
import { pollOnce } from "../src/poll/poll-once.ts";
import { openPoller } from "../src/poll/poller.ts";
import { taskOf } from "./task.ts";

const secret = "a secret of a test suite";
const cost = 500_000_000n;
const day = 86_400_000;
const noon = 1_800_000_000_000;

let backends: Backends;
let redis: Redis;
let vendor: ScriptedServer;
/** Answers to polls by task: a scripted answer, a closed connection, or no answer. */
const answers = new Map<string, ScriptedAnswer | "nothing" | "silence">();
const unknownTask = { status: 404, body: { error: { message: "no such video" } } };
/** Two replicas with a common clock, which the tests set. */
let replicas: readonly Deps[];
let processes: readonly SharedParts[];
let clock = noon;
let count = 0;

beforeAll(async () => {
  backends = await startBackends();
  redis = new Redis(backends.redisUrl);
  vendor = await startScriptedServer(({ path }, response) => {
    const answer = answers.get(path.split("/").at(-1) ?? "") ?? unknownTask;
    if (answer === "nothing") response.destroy();
    return typeof answer === "string" ? undefined : answer;
  });
  const configuration = { id: "main", provider: "openai", baseUrl: vendor.url, keys: ["key"], models: ["film"] };
  await publishConfiguration(
    redis,
    { groups: { default: { models: ["*"] } }, models: { film: { kind: "video", price: { second: 0.1 } } } },
    [{ configuration, baseUrl: vendor.url, keys: ["key"] }],
    [secret],
  );
  const read = readEnv(variables, {
    REDIS_URL: backends.redisUrl,
    NATS_URL: backends.natsUrl,
    MODELGATE_SECRET: secret,
  });
  const env = { ...read, pace: { ...read.pace, firstMs: 5_000 } };
  const { log } = createLogger("video", "silent");
  processes = [new SharedParts(log), new SharedParts(log)];
  replicas = await Promise.all(
    processes.map(async (shared) => ({
      ...(await openDeps({ ending: never, env, log, shared })),
      now: () => clock,
      random: () => 0.5,
    })),
  );
  await until("the configuration", () => replicas.every(({ relay }) => relay.catalog.ready));
});
afterAll(async () => {
  await Promise.all([...(replicas ?? []), ...(processes ?? [])].map((open) => open[Symbol.asyncDispose]()));
  redis?.disconnect();
  await vendor?.[Symbol.asyncDispose]();
  await backends?.[Symbol.asyncDispose]();
});
beforeEach(() => {
  clock = noon;
  vendor.requests.length = 0;
});
// Removes open tasks, so that they are not due in the next test.
afterEach(async () => {
  const openTasks = await redis.keys("tasks-due:*");
  if (openTasks.length > 0) await redis.del(...openTasks);
});

const never = new AbortController().signal;
const round = (...deps: readonly Deps[]) =>
  Promise.all((deps.length === 0 ? replicas : deps).map((each) => pollOnce(each, never)));

/** Creates a task of a new account, which its vendor accepted at noon. */
async function startTask(more: Partial<TaskRecord> = {}): Promise<TaskRecord> {
  const id = `video_${++count}`;
  const accountId = `account-${count}`;
  const { relay } = replicas[0] ?? expect.fail("no replica");
  const [channel] = relay.catalog.current().channels;
  const task = { ...taskOf(accountId, id, noon), keyId: channel?.keys[0]?.id ?? "", ...more };
  await createAccount(redis, { id: accountId, balance: 1_000_000_000n });
  await hold(redis, {
    accountId,
    callId: task.callId,
    nanos: cost,
    floorNanos: 0n,
    draft: task.draft,
    tokenId: "tok_1",
    tokens: 0,
    leaseMs: 60_000,
    outboxBound: 1_000,
    nowMs: noon,
  });
  await createTask(redis, {
    task,
    nextPollAt: noon + 5_000,
    holdUntil: noon + day + 3_600_000,
    keepMs: 30 * day,
    callbackDueAt: noon,
  });
  answers.set(task.operation, { body: { id: task.operation, status: "queued" } });
  return task;
}

const storedTask = async ({ accountId, id }: TaskRecord) => (await findTask(redis, accountId, id))?.task;
const pollsOf = ({ operation }: TaskRecord) =>
  vendor.requests.filter(({ path }) => path.endsWith(`/${operation}`)).length;

test("a task that no client reads is polled when due, advances, and is settled", async () => {
  const task = await startTask();
  clock = noon + 4_999;
  await round();
  expect(pollsOf(task)).toBe(0);
  clock = noon + 5_000;
  await round();
  expect([pollsOf(task), await storedTask(task)]).toMatchObject([1, { state: "queued", progress: 0, polls: 1 }]);
  answers.set(task.operation, { body: { id: task.operation, status: "in_progress", progress: 40 } });
  clock = noon + 10_000;
  await round();
  expect(await storedTask(task)).toMatchObject({ state: "in_progress", progress: 40, startedAt: clock });
  answers.set(task.operation, { body: { id: task.operation, status: "in_progress", progress: 20 } });
  clock = noon + 60_000;
  await round();
  expect((await storedTask(task))?.progress).toBe(40);
  answers.set(task.operation, { body: { id: task.operation, status: "completed" } });
  clock = noon + 120_000;
  await round();
  expect(await storedTask(task)).toMatchObject({ state: "completed", progress: 100, endedAt: clock });
  expect(await findAccount(redis, task.accountId)).toMatchObject({ heldNanos: 0n, spentNanos: cost });
  clock = noon + day;
  await round();
  expect(pollsOf(task)).toBe(4);
});

test("of two replicas one polls, and a task that both finish is settled once", async () => {
  const tasks = await Promise.all(Array.from({ length: 30 }, startTask));
  for (const [at, { operation }] of tasks.entries())
    answers.set(operation, { body: { id: operation, status: at % 3 === 0 ? "failed" : "completed" } });
  clock = noon + 5_000;
  await round();
  expect(tasks.map(pollsOf)).toEqual(tasks.map(() => 1));
  for (const [at, task] of tasks.entries()) {
    const { heldNanos, spentNanos } = (await findAccount(redis, task.accountId)) ?? {};
    expect([heldNanos, spentNanos]).toEqual([0n, at % 3 === 0 ? 0n : cost]);
  }
});

test("a task whose poller died is polled by another after the lease expires", async () => {
  const task = await startTask();
  const [first, second] = replicas;
  if (first === undefined || second === undefined) throw new Error("there are two replicas");
  clock = noon + 5_000;
  // The task is claimed, but its status is not requested, as if the process was killed.
  await pollOnce(first, AbortSignal.abort());
  await round(second);
  expect(pollsOf(task)).toBe(0);
  clock += first.limits.leaseMs;
  await round(second);
  expect(pollsOf(task)).toBe(1);
});

describe("an unavailable vendor", () => {
  test.each([
    ["says nothing", "nothing"],
    ["answers with 500", { status: 500, body: {} }],
    ["limits the rate", { status: 429, body: { error: { message: "slow down" } } }],
    ["refuses the key", { status: 401, body: {} }],
    ["answers with an unknown state", { body: { status: "dreaming" } }],
  ] as const)("that %s fails no task, and is polled less often", async (_, answer) => {
    const task = await startTask();
    answers.set(task.operation, answer);
    const pauses: number[] = [];
    for (let miss = 0; miss < 4; miss++) {
      const key = `tasks-due:{s${shardOf(task.accountId)}}`;
      clock = Number(await redis.zscore(key, `${task.id} ${task.accountId}`));
      await round();
      pauses.push(Number(await redis.zscore(key, `${task.id} ${task.accountId}`)) - clock);
    }
    expect([pollsOf(task), await storedTask(task)]).toMatchObject([4, { state: "queued", misses: 4 }]);
    expect(pauses).toEqual([10_000, 20_000, 40_000, 80_000]);
  });

  test("until the deadline: then the task fails, its hold is released, and a late answer changes nothing", async () => {
    const task = await startTask();
    answers.set(task.operation, { status: 500, body: {} });
    clock = noon + day;
    // Two pollers and a sweep of expired holds run concurrently.
    const [, , swept] = await Promise.all([
      ...replicas.map((deps) => pollOnce(deps, never)),
      sweepHolds(redis, shardOf(task.accountId), 100, { nowMs: clock }),
    ]);
    expect(swept).toEqual([]);
    expect(pollsOf(task)).toBe(1);
    expect(await storedTask(task)).toMatchObject({ state: "failed", error: { code: "timeout" } });
    answers.set(task.operation, { body: { id: task.operation, status: "completed" } });
    expect(await findAccount(redis, task.accountId)).toMatchObject({ heldNanos: 0n, spentNanos: 0n });
    clock += 60_000;
    await round();
    expect(pollsOf(task)).toBe(1);
  });
});

test.each([
  {
    last: "is polled while its hold can pay",
    afterDeadline: 3_539_999,
    polls: 1,
    state: "completed",
    spentNanos: cost,
  },
  { last: "fails when its hold expires", afterDeadline: 3_540_000, polls: 0, state: "failed", spentNanos: 0n },
  { last: "fails after its hold was swept", afterDeadline: 3_600_000, polls: 0, state: "failed", spentNanos: 0n },
])(
  "a task that no process polled until after its deadline $last",
  async ({ afterDeadline, polls, state, spentNanos }) => {
    const task = await startTask();
    answers.set(task.operation, { body: { id: task.operation, status: "completed" } });
    clock = noon + day + afterDeadline;
    await sweepHolds(redis, shardOf(task.accountId), 100, { nowMs: clock });
    await round();
    expect([pollsOf(task), await storedTask(task)]).toMatchObject([polls, { state }]);
    expect(await findAccount(redis, task.accountId)).toMatchObject({ heldNanos: 0n, spentNanos });
  },
);

test("a task that its vendor does not know fails after a minute, not before", async () => {
  const task = await startTask();
  answers.set(task.operation, { status: 404, body: { error: { message: "no such video" } } });
  clock = noon + 5_000;
  await round();
  expect((await storedTask(task))?.state).toBe("queued");
  clock = noon + 61_000;
  await round();
  expect(await storedTask(task)).toMatchObject({ state: "failed", error: { code: "not_found" } });
});

test.each([404, 410])("a task that its vendor has deleted (%d) fails and its hold is released", async (status) => {
  const task = await startTask();
  clock = noon + 5_000;
  await round();
  expect((await storedTask(task))?.state).toBe("queued");
  answers.set(task.operation, { status, body: { error: { message: "no such video" } } });
  clock = noon + 120_000;
  await round();
  expect(await storedTask(task)).toMatchObject({ state: "failed", error: { code: "not_found" } });
  expect(await findAccount(redis, task.accountId)).toMatchObject({ heldNanos: 0n, spentNanos: 0n });
});

test("a task whose key was replaced is polled with another key of its channel", async () => {
  const task = await startTask({ keyId: "a key of before" });
  clock = noon + 5_000;
  await round();
  expect(pollsOf(task)).toBe(1);
});

test("a task whose channel was removed from the configuration fails after about an hour, and its hold is released", async () => {
  const task = await startTask({ channelId: "removed" });
  while ((await storedTask(task))?.state === "queued" && clock < noon + day) {
    clock += 250_000;
    await round();
  }
  expect(await storedTask(task)).toMatchObject({ state: "failed", error: { code: "channel_removed" } });
  expect(clock - noon).toBeGreaterThan(3_000_000);
  expect(clock - noon).toBeLessThan(6_000_000);
  expect(await findAccount(redis, task.accountId)).toMatchObject({ heldNanos: 0n, spentNanos: 0n });
});

test("a vendor that does not answer delays only its tasks", async () => {
  const [deps = expect.fail("no replica")] = replicas;
  clock = noon + 5_000;
  const unanswered = await startTask();
  answers.set(unanswered.operation, "silence");
  const shortTimeout = { ...deps, limits: { ...deps.limits, roundMs: 10, pollTimeoutMs: 600_000 } };
  await using _poller = openPoller(shortTimeout, () => undefined);
  await until("the unanswered poll", () => pollsOf(unanswered) > 0);
  const other = await startTask();
  await until("a poll of another task", () => pollsOf(other) > 0);
});

test("a vendor with many polls that do not answer leaves slots for others, and its other tasks are postponed", async () => {
  const [deps = expect.fail("no replica")] = replicas;
  const slow = await Promise.all(Array.from({ length: 8 }, () => startTask()));
  for (const { operation } of slow) answers.set(operation, "silence");
  clock = noon + 5_000;
  const few = { ...deps, limits: { ...deps.limits, roundMs: 10, concurrency: 4, pollTimeoutMs: 600_000 } };
  await using _poller = openPoller(few, () => undefined);
  const nextPollAt = ({ id, accountId }: TaskRecord) =>
    redis.zscore(`tasks-due:{s${shardOf(accountId)}}`, `${id} ${accountId}`).then(Number);
  const postponed = noon + 10_000;
  const polled = () => slow.filter((task) => pollsOf(task) > 0).length;
  await until(
    "half of the slots to be used and the other tasks to be postponed",
    async () =>
      polled() === 2 && (await Promise.all(slow.map(nextPollAt))).filter((due) => due === postponed).length === 6,
  );
  expect(await Promise.all(slow.map(storedTask))).toEqual(
    slow.map(() => expect.objectContaining({ polls: 0, misses: 0 })),
  );
  // The channel of this task does not exist, so its poll has a result at once.
  const other = await startTask({ channelId: "removed" });
  await until("a poll of another channel", async () => (await storedTask(other))?.misses === 1);
});

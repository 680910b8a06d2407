import fc from "fast-check";
import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { BusMessage } from "@modelgate/platform";
import { type Backends, testUsageDraft, startBackends } from "@modelgate/testkit";
import {
  accountKeys,
  advanceTask,
  findCallback,
  claimCallbacks,
  claimTasks,
  createAccount,
  createTask,
  findAccount,
  findTask,
  removeCallback,
  hold,
  listTasks,
  publishEntries,
  readUnpublished,
  removeTask,
  renewHold,
  retryCallback,
  settle,
  shardOf,
  sweepHolds,
  type TaskRecord,
} from "../src/index.ts";
import { publishingBus } from "./publishing-bus.ts";

let backends: Backends;
let redis: Redis;
beforeAll(async () => {
  backends = await startBackends();
  redis = new Redis(backends.redisUrl);
});
afterAll(async () => {
  redis?.disconnect();
  await backends?.[Symbol.asyncDispose]();
});

const day = 86_400_000;
const cost = 500_000_000n;
let count = 0;

async function createdTask({
  createdAt = Date.now(),
  leaseMs = 1_000,
  ...more
}: TaskOptions = {}): Promise<TaskRecord> {
  const accountId = `acc ${++count}`;
  await createAccount(redis, { id: accountId, balance: 1_000_000_000n });
  return addTask(accountId, { createdAt, leaseMs, ...more });
}

interface TaskOptions {
  readonly createdAt?: number;
  readonly leaseMs?: number;
  readonly callbackUrl?: string;
}

async function addTask(
  accountId: string,
  { createdAt = Date.now(), leaseMs = 1_000, callbackUrl }: TaskOptions = {},
): Promise<TaskRecord> {
  const id = `video_${++count}`;
  const task: TaskRecord = {
    id,
    accountId,
    tokenId: "tok_1",
    model: "film",
    channelId: "main",
    keyId: "k",
    wire: "videos",
    operation: "op",
    requested: { seconds: "5" },
    ...(callbackUrl === undefined ? {} : { callbackUrl }),
    callId: `call_${id}`,
    costNanos: cost.toString(),
    draft: { ...testUsageDraft(accountId, `call_${id}`), area: "video" },
    state: "queued",
    progress: 0,
    createdAt,
    deadlineAt: createdAt + day,
    polls: 0,
    misses: 0,
  };
  await hold(redis, {
    accountId,
    callId: task.callId,
    nanos: cost,
    floorNanos: 0n,
    draft: task.draft,
    tokenId: "tok_1",
    tokens: 0,
    leaseMs,
    outboxBound: 1_000,
    nowMs: createdAt,
  });
  const created = await createTask(redis, {
    task,
    nextPollAt: createdAt + 5_000,
    holdUntil: createdAt + 2 * day,
    keepMs: 30 * day,
    callbackDueAt: createdAt + 20_000,
  });
  expect(created).toMatchObject({ event: { id: `${id}.queued`, state: "queued", previousState: null } });
  return task;
}

const ended = (task: TaskRecord, state: "completed" | "failed", version: string, nowMs = Date.now()) => ({
  task: { ...task, state, progress: 100, endedAt: nowMs },
  version,
  from: "queued" as const,
  settlement: { costNanos: state === "completed" ? cost : 0n, draft: task.draft },
  keepMs: day,
  callbackDueAt: nowMs + 20_000,
  nowMs,
});
const eventsOf = async ({ accountId }: TaskRecord) =>
  (await readUnpublished(redis, shardOf(accountId), 0, 1_000))
    .map(({ event }) => event)
    .filter((event) => event.accountId === accountId && !("kind" in event));

test("a task is found only by its owner, and its hold is longer than every call's lease", async () => {
  const createdAt = Date.now();
  const task = await createdTask({ createdAt });
  expect(await findTask(redis, task.accountId, task.id)).toEqual({ version: "1", task });
  expect(await findTask(redis, "somebody else", task.id)).toBeUndefined();
  // A renewal that was sent before the task was recorded must not shorten the lease.
  await renewHold(redis, { accountId: task.accountId, callId: task.callId, leaseMs: 1_000, nowMs: createdAt });
  const shard = shardOf(task.accountId);
  expect(await sweepHolds(redis, shard, 100, { nowMs: createdAt + day })).toEqual([]);
  expect((await findAccount(redis, task.accountId))?.heldNanos).toBe(cost);
  expect(await sweepHolds(redis, shard, 100, { nowMs: createdAt + 2 * day })).toMatchObject([
    { event: { costNanos: "0" } },
  ]);
});

test("a task whose hold was swept is not recorded", async () => {
  const task = await createdTask();
  await settle(redis, { ...task, callId: task.callId, costNanos: 0n, tokens: 0, draft: task.draft });
  const late = { ...task, id: `${task.id}late` };
  expect(await createTask(redis, { task: late, nextPollAt: 0, holdUntil: 0, keepMs: day, callbackDueAt: 0 })).toBe(
    "no-hold",
  );
  expect(await findTask(redis, task.accountId, late.id)).toBeUndefined();
});

test("an ended task is kept for its retention time, an open one until it ends; old ones are removed from the list", async () => {
  const task = await createdTask({ createdAt: Date.now() - 31 * day });
  const key = accountKeys.task(task.accountId, task.id);
  expect(await redis.pttl(key)).toBe(-1);
  await advanceTask(redis, ended(task, "completed", "1"));
  const remainingMs = await redis.pttl(key);
  expect([remainingMs > day / 2, remainingMs <= day]).toEqual([true, true]);
  const recent = await addTask(task.accountId);
  expect(await redis.zrange(accountKeys.tasksOf(task.accountId), "0", "-1")).toEqual([recent.id]);
});

test("a due task is given to one poller until the lease ends", async () => {
  const createdAt = 1_000_000;
  const task = await createdTask({ createdAt });
  const shard = shardOf(task.accountId);
  const claim = async (nowMs: number) =>
    (await claimTasks(redis, shard, { nowMs, leaseMs: 10_000, maxMembers: 10 })).filter(({ id }) => id === task.id);
  expect(await claim(createdAt + 4_999)).toEqual([]);
  const claims = await Promise.all([claim(createdAt + 5_000), claim(createdAt + 5_000)]);
  expect(claims.flat()).toEqual([{ accountId: task.accountId, id: task.id }]);
  expect(await claim(createdAt + 14_999)).toEqual([]);
  expect(await claim(createdAt + 15_000)).toHaveLength(1);
});

test("if several processes see a task end, one settles it, and each state has one event", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom("completed" as const, "failed" as const), { minLength: 1, maxLength: 6 }),
      async (sightings) => {
        const task = await createdTask();
        const advanced = await Promise.all(sightings.map((state) => advanceTask(redis, ended(task, state, "1"))));
        expect(advanced.filter((entries) => entries !== undefined)).toHaveLength(1);
        const first = advanced.find((entries) => entries !== undefined)?.slice(1);
        expect(first?.map(({ event }) => event.id)).toEqual([`${task.id}.${sightings[0]}`, task.callId]);
        const spent = sightings[0] === "completed" ? cost : 0n;
        expect(await findAccount(redis, task.accountId)).toMatchObject({ heldNanos: 0n, spentNanos: spent });
        expect((await eventsOf(task)).map(({ id }) => id)).toEqual([
          `${task.id}.queued`,
          `${task.id}.${sightings[0]}`,
          task.callId,
        ]);
        const claimed = await claimTasks(redis, shardOf(task.accountId), {
          nowMs: Date.now() + day,
          leaseMs: 1,
          maxMembers: 99,
        });
        expect(claimed.filter(({ id }) => id === task.id)).toEqual([]);
        expect(await advanceTask(redis, ended(task, "failed", "1"))).toBeUndefined();
      },
    ),
    { numRuns: 30 },
  );
});

describe("events of a task that are not published yet", () => {
  const states = (entries: readonly { event: { id: string } }[] | undefined, { id }: TaskRecord) =>
    entries?.map(({ event }) => event.id.replace(`${id}.`, ""));
  const progressing = (task: TaskRecord, version: string) => ({
    task: { ...task, state: "in_progress" as const },
    version,
    nextPollAt: 0,
    from: "queued" as const,
    keepMs: day,
    callbackDueAt: 0,
    nowMs: Date.now(),
  });
  const removed = async ({ accountId }: TaskRecord, entryId = "") =>
    expect(await redis.xdel(accountKeys.outbox(shardOf(accountId)), entryId)).toBe(1);

  test("are returned before new ones, in order, until they are published", async () => {
    const task = await createdTask();
    const second = await advanceTask(redis, progressing(task, "1"));
    expect(states(second, task)).toEqual(["queued", "in_progress"]);
    await removed(task, second?.[0]?.entryId);
    const poll = (version: string) => advanceTask(redis, { ...progressing(task, version), from: undefined });
    expect(states(await poll("2"), task)).toEqual(["in_progress"]);
    const last = await advanceTask(redis, { ...ended(task, "completed", "3"), from: "in_progress" });
    expect(states(last, task)).toEqual(["in_progress", "completed", task.callId]);
    expect(last?.at(-1)?.event).toMatchObject({ receipt: { number: 2 } });
    expect((await findAccount(redis, task.accountId))?.spentNanos).toBe(cost);
  });

  test("are not returned after they were published", async () => {
    const task = await createdTask();
    const [entry] = await readUnpublished(redis, shardOf(task.accountId), 0, 1_000).then((all) =>
      all.filter(({ event }) => event.id === `${task.id}.queued`),
    );
    await removed(task, entry?.entryId);
    // The task's record lists no published events, so it does not grow.
    const key = accountKeys.task(task.accountId, task.id);
    expect(await redis.hexists(key, "entries")).toBe(1);
    expect(await advanceTask(redis, { ...progressing(task, "1"), from: undefined })).toEqual([]);
    expect(await redis.hexists(key, "entries")).toBe(0);
    expect(states(await advanceTask(redis, ended(task, "failed", "2")), task)).toEqual(["failed", task.callId]);
  });

  test("keep later events in the outbox while they cannot be published", async () => {
    const task = await createdTask();
    const entries = (await advanceTask(redis, progressing(task, "1"))) ?? [];
    const published: string[] = [];
    const bus = (rejectsFirst: boolean) =>
      publishingBus(({ id }) => {
        if (rejectsFirst && id.endsWith(".queued")) return new Error("not stored");
        published.push(id);
        return undefined;
      });
    expect(await publishEntries(redis, bus(true), entries)).toBe(0);
    expect(published).toEqual([]);
    expect(await publishEntries(redis, bus(false), entries)).toBe(2);
    expect(published).toEqual([`${task.id}.queued`, `${task.id}.in_progress`]);
    expect((await eventsOf(task)).map(({ id }) => id)).toEqual([]);
  });
});

test("a transition with a callback is kept until it is delivered", async () => {
  const url = "https://client.example/done";
  const task = await createdTask({ callbackUrl: url });
  const shard = shardOf(task.accountId);
  const claim = async (nowMs: number) =>
    (await claimCallbacks(redis, shard, { nowMs, leaseMs: 10_000, maxMembers: 100 })).filter(
      ({ event }) => event.taskId === task.id,
    );
  // At first only the process that created the task sends it.
  expect(await claim(task.createdAt + 19_999)).toEqual([]);
  const [queued = expect.fail("no callback"), more] = await claim(task.createdAt + 20_000);
  expect([queued, more]).toMatchObject([
    { url, tries: 0, event: { id: `${task.id}.queued`, state: "queued" } },
    undefined,
  ]);
  expect(await claim(task.createdAt + 29_999)).toEqual([]);
  await retryCallback(redis, { ...queued, tries: 1 }, task.createdAt + 50_000);
  expect(await claim(task.createdAt + 49_999)).toEqual([]);
  expect(await claim(task.createdAt + 50_000)).toEqual([{ ...queued, tries: 1 }]);
  await removeCallback(redis, queued);
  await retryCallback(redis, queued, task.createdAt); // a late retry changes nothing
  expect(await claim(task.createdAt + day)).toEqual([]);

  const end = ended(task, "completed", "1", task.createdAt);
  const entries = (await advanceTask(redis, end)) ?? [];
  expect(findCallback(end.task, entries)).toMatchObject({ url, event: { state: "completed" } });
  expect(await claim(task.createdAt + day)).toEqual([findCallback(end.task, entries)]);
  const silent = await createdTask();
  expect(findCallback(silent, (await advanceTask(redis, ended(silent, "failed", "1"))) ?? [])).toBeUndefined();
});

test("the event of a deletion is the last one of its task, without the record", async () => {
  const task = await createdTask();
  const end = ended(task, "failed", "1");
  const [queued, failed] = (await advanceTask(redis, end)) ?? [];
  await redis.xdel(accountKeys.outbox(shardOf(task.accountId)), queued?.entryId ?? "");
  const stored = (await findTask(redis, task.accountId, task.id)) ?? expect.unreachable();
  const entries = (await removeTask(redis, stored, { nowMs: end.nowMs, keepMs: day })) ?? [];
  expect(entries.map(({ event }) => event.id)).toEqual([`${task.id}.failed`, `${task.id}.deleted`]);
  expect(entries[0]?.entryId).toBe(failed?.entryId);
  expect(entries[1]?.event).toMatchObject({
    taskId: task.id,
    state: "failed",
    previousState: "failed",
    deleted: true,
    record: { encrypted: "", untilMs: end.nowMs + day },
  });
  expect((await eventsOf(task)).at(-1)).toEqual(entries[1]?.event);
  const published: BusMessage[] = [];
  const bus = publishingBus((message) => void published.push(message));
  await publishEntries(redis, bus, entries);
  expect(published.map(({ subject }) => subject)).toEqual(["task.v1.video.failed", "task.v1.video.deleted"]);
});

test("a list in both orders, page by page, and a task that is deleted", async () => {
  const first = await createdTask({ createdAt: Date.now() - 3_000 });
  const { accountId } = first;
  await redis.hset(`account:{s${shardOf(accountId)}}:${accountId}`, "available", "9000000000");
  const second = await addTask(accountId, { createdAt: Date.now() - 2_000 });
  const third = await addTask(accountId, { createdAt: Date.now() - 1_000 });
  const ids = async (query: Parameters<typeof listTasks>[2]) => {
    const { tasks, hasMore } = await listTasks(redis, accountId, query);
    return [tasks.map(({ id }) => id), hasMore];
  };
  expect(await ids({ limit: 2, order: "desc" })).toEqual([[third.id, second.id], true]);
  expect(await ids({ limit: 2, order: "desc", after: second.id })).toEqual([[first.id], false]);
  expect(await ids({ limit: 2, order: "asc", after: first.id })).toEqual([[second.id, third.id], false]);
  expect(await ids({ limit: 2, order: "asc", after: "unknown" })).toEqual([[], false]);
  const times = { nowMs: Date.now(), keepMs: day };
  expect(await removeTask(redis, { version: "2", task: second }, times)).toBeUndefined();
  expect(await removeTask(redis, { version: "1", task: second }, times)).toHaveLength(2);
  expect(await ids({ limit: 9, order: "asc" })).toEqual([[first.id, third.id], false]);
  const taskKeys = (await redis.keys(`*${third.id}*`)).filter((key) => key.includes(accountId));
  await redis.del(...taskKeys); // as after its retention time
  expect(await ids({ limit: 1, order: "desc" })).toEqual([[first.id], false]);
});

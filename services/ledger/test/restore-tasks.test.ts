import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import {
  advanceTask,
  claimTasks,
  createAccount,
  createTask,
  findAccount,
  findTask,
  hold,
  listTasks,
  makeTaskCipher,
  readUnpublished,
  removeTask,
  shardOf,
  sweepHolds,
  type TaskCipher,
  type TaskRecord,
} from "@modelgate/accounts";
import { recordTasks, type Books } from "@modelgate/books";
import { UnknownShape, type StoredTaskEvent } from "@modelgate/contracts";
import { createLogger } from "@modelgate/platform";
import { testUsageDraft, startBackends, type Backends } from "@modelgate/testkit";
import { LateTasks, restoreTasks } from "../src/restore/restore-tasks.ts";
import { engines, newBooks } from "./engines.ts";

const account = "films";
const shard = shardOf(account);
const keepMs = 3_600_000;
let backends: Backends;
let redis: Redis;
let books: Books;

const taskCipher = makeTaskCipher(["a secret of the tests, long enough"]);
const otherCipher = makeTaskCipher(["the next secret of the gateway"]);
/** Cipher that reads every record as one of a newer version, whose shape is unknown. */
const newerCipher: TaskCipher = {
  ...taskCipher,
  decrypt() {
    throw new UnknownShape("task", "state is unknown");
  },
};

const { log } = createLogger("ledger", "silent");

const restore = (nowMs = Date.now(), cipher = taskCipher): Promise<number> =>
  restoreTasks({ redis, books, taskCipher: cipher, log }, nowMs);

async function begin(id: string): Promise<TaskRecord> {
  const createdAt = Date.now();
  const callId = `call_${id}`;
  const draft = { ...testUsageDraft(account, callId), area: "video" };
  const task: TaskRecord = {
    id,
    accountId: account,
    tokenId: "tok_1",
    model: "film",
    channelId: "main",
    keyId: "k",
    wire: "videos",
    operation: `the vendor's ${id}`,
    requested: { seconds: "5" },
    callId,
    costNanos: "7",
    draft,
    state: "queued",
    progress: 0,
    createdAt,
    deadlineAt: createdAt + keepMs,
    polls: 0,
    misses: 0,
  };
  const reservation = { nanos: 7n, floorNanos: 0n, tokens: 0, leaseMs: keepMs, outboxBound: 1_000 };
  await hold(redis, { accountId: account, callId, draft, tokenId: "tok_1", ...reservation });
  const times = {
    nextPollAt: createdAt + keepMs,
    holdUntil: createdAt + keepMs,
    callbackDueAt: createdAt,
    cipher: taskCipher,
  };
  await createTask(redis, { task, keepMs, ...times });
  return task;
}

async function end(task: TaskRecord): Promise<void> {
  const nowMs = Date.now();
  const stored = await findTask(redis, account, task.id);
  await advanceTask(redis, {
    task: { ...task, state: "completed", progress: 100, endedAt: nowMs, result: "its address" },
    version: stored?.version ?? "",
    from: "queued",
    settlement: { costNanos: 7n, draft: task.draft },
    keepMs,
    callbackDueAt: nowMs,
    nowMs,
    cipher: taskCipher,
  });
}

async function record(): Promise<void> {
  await recordTasks(books, await taskEvents());
}

async function taskEvents(): Promise<readonly StoredTaskEvent[]> {
  const events = (await readUnpublished(redis, shard, -1_000, 1_000)).map(({ event }) => event);
  return events.filter((event) => "taskId" in event);
}

const due = async (): Promise<readonly string[]> =>
  (await claimTasks(redis, shard, { nowMs: Date.now() + 1_000, leaseMs: 1, maxMembers: 10 })).map(({ id }) => id);

describe.each(engines)("books in $name", ({ kind }) => {
  beforeAll(async () => {
    [books, backends] = await Promise.all([newBooks({ kind }), startBackends()]);
    redis = new Redis(backends.redisUrl);
  });
  afterAll(async () => {
    redis?.disconnect();
    await books?.[Symbol.asyncDispose]();
    await backends?.[Symbol.asyncDispose]();
  });

  test("the tasks of an emptied Redis are restored: open ones are polled immediately, ended ones can be fetched", async () => {
    await createAccount(redis, { id: account, balance: 1_000n });
    const [open, done] = [await begin("open"), await begin("done")];
    await end(done);
    await record();
    await redis.flushall();
    using warned = vi.spyOn(log, "warn");
    expect(await restore(Date.now(), otherCipher)).toBe(0);
    expect(await restore(Date.now(), newerCipher)).toBe(0);
    const lost = [
      [{ tasks: 2 }, expect.stringContaining("no accepted secret decrypts")],
      [{ tasks: 2 }, expect.stringContaining("cannot be read")],
    ];
    expect(warned.mock.calls).toEqual(lost);
    expect(await restore()).toBe(2);
    // Nothing is lost if Redis has the tasks.
    for (const cipher of [otherCipher, newerCipher]) expect(await restore(Date.now(), cipher)).toBe(0);
    expect(warned.mock.calls).toEqual(lost);
    expect(await findTask(redis, account, "open")).toMatchObject({ task: open });
    expect(await findTask(redis, account, "done")).toMatchObject({
      task: { state: "completed", result: "its address" },
    });
    expect(await due()).toEqual(["open"]);
    const { tasks } = await listTasks(redis, account, { limit: 10, order: "asc" });
    expect(tasks.map(({ id }) => id).toSorted()).toEqual(["done", "open"]);
    expect(await restore()).toBe(0);
    // Tasks that clients can no longer fetch are not restored.
    await redis.flushall();
    expect(await restore(Date.now() + 3 * keepMs)).toBe(0);
  });

  test("a Redis that has a task's hold but not the task: the restored task extends its hold, and it is not swept", async () => {
    await redis.flushall();
    await createAccount(redis, { id: account, balance: 1_000n });
    const { callId } = await begin("held");
    await record();
    await redis.del(`task:{s${shard}}:${account}:held`);
    await redis.zadd(`holds:{s${shard}}`, 1, callId); // the end of the lease before the task was created
    expect(await restore()).toBeGreaterThan(0);
    expect(await sweepHolds(redis, shard, 10)).toEqual([]);
    expect(await findAccount(redis, account)).toMatchObject({ heldNanos: 7n });
  });

  test("events of tasks that arrive after a Redis was restored: their tasks are restored, for a limited time", async () => {
    await redis.flushall();
    await createAccount(redis, { id: account, balance: 1_000n });
    const late = new LateTasks();
    await begin("late");
    const events = await taskEvents();
    await redis.del(`task:{s${shard}}:${account}:late`);
    late.add(events);
    await late.restore({ redis, taskCipher, log }, Date.now());
    expect(await findTask(redis, account, "late")).toBeUndefined(); // no Redis was lost
    late.begin();
    late.add(events);
    using warned = vi.spyOn(log, "warn");
    await late.restore({ redis, taskCipher: otherCipher, log }, Date.now());
    expect(warned.mock.calls).toEqual([[{ tasks: 1 }, expect.stringContaining("no accepted secret decrypts")]]);
    late.add(events);
    await late.restore({ redis, taskCipher, log }, Date.now());
    expect(await findTask(redis, account, "late")).toMatchObject({ task: { id: "late" } });
  });

  test("a Redis with an older state gets missing ends of tasks, and keeps newer states", async () => {
    await redis.flushall();
    await createAccount(redis, { id: account, balance: 1_000n });
    const [ending, other] = [await begin("ending"), await begin("going")];
    const copies = new Map<string, Buffer>();
    for (const key of await redis.keys("*")) copies.set(key, (await redis.dumpBuffer(key)) ?? Buffer.alloc(0));
    await end(ending);
    await record();
    const back = redis.multi().flushall();
    for (const [key, copy] of copies) back.restore(key, 0, copy);
    await back.exec();
    // A poller has updated the task.
    const stored = await findTask(redis, account, "going");
    const polled = { ...other, progress: 50 };
    await advanceTask(redis, {
      task: polled,
      version: stored?.version ?? "",
      nextPollAt: Date.now(),
      keepMs,
      callbackDueAt: 0,
      nowMs: Date.now(),
    });
    await restore();
    expect(await findTask(redis, account, "ending")).toMatchObject({ task: { state: "completed" } });
    expect(await findTask(redis, account, "going")).toMatchObject({ task: { progress: 50 } });
    const now = await due();
    expect(now).toContain("going");
    expect(now).not.toContain("ending");
  });

  test("a task that a client has deleted is not restored, with and without the data of Redis", async () => {
    const key = `task:{s${shard}}:${account}:deleted`;
    const isRestored = async (): Promise<boolean> => {
      await restore();
      const { tasks } = await listTasks(redis, account, { limit: 99, order: "asc" });
      return (await findTask(redis, account, "deleted")) !== undefined || tasks.some(({ id }) => id === "deleted");
    };
    await redis.flushall();
    await createAccount(redis, { id: account, balance: 1_000n });
    await end(await begin("deleted"));
    await record();
    const copy = (await redis.dumpBuffer(key)) ?? Buffer.alloc(0);
    const stored = (await findTask(redis, account, "deleted")) ?? expect.unreachable();
    const times = { nowMs: Date.now(), keepMs };
    expect(await removeTask(redis, stored, times)).toBeDefined();
    expect(await removeTask(redis, stored, times)).toBeUndefined();
    expect(await redis.pttl(key)).toBeGreaterThan(0);
    expect(await isRestored()).toBe(false); // before the event is recorded
    await record();
    await redis.flushall();
    expect(await isRestored()).toBe(false);
    expect(await redis.pttl(key)).toBeGreaterThan(0);
    // A Redis with an earlier state loses the task.
    await redis.restore(key, 0, copy, "REPLACE");
    await redis.zadd(`tasks-of:{s${shard}}:${account}`, 1, "deleted");
    expect(await isRestored()).toBe(false);
    expect(await restore()).toBe(0);
  });

  test("an event of a deletion that arrives after a Redis was restored deletes the task", async () => {
    await redis.flushall();
    await createAccount(redis, { id: account, balance: 1_000n });
    await end(await begin("late"));
    const stored = (await findTask(redis, account, "late")) ?? expect.unreachable();
    await removeTask(redis, stored, { nowMs: Date.now(), keepMs });
    const events = await taskEvents();
    await redis.flushall();
    const late = new LateTasks();
    late.begin();
    for (const event of events) {
      late.add([event]);
      await late.restore({ redis, taskCipher, log }, Date.now());
      expect((await findTask(redis, account, "late")) === undefined).toBe(event.deleted === true);
    }
    late.add(events); // again
    await late.restore({ redis, taskCipher, log }, Date.now());
    expect(await findTask(redis, account, "late")).toBeUndefined();
  });
});

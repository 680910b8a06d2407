import { Redis } from "ioredis";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import {
  createAccount,
  createTask,
  newKey,
  writeTokenToRedis,
  makeToken,
  removeCallback,
  hold,
  type Callback,
} from "@modelgate/accounts";
import { openRemoteStreams } from "@modelgate/channels";
import { createLogger } from "@modelgate/platform";
import {
  startBackends,
  startScriptedServer,
  until,
  type Backends,
  type Script,
  type ScriptedServer,
} from "@modelgate/testkit";
import { openCallbacks } from "../src/callbacks.ts";
import { taskOf } from "./task.ts";

const noon = 1_800_000_000_000;
const timeoutMs = 60_000;
const retryDelaysMs = [1_000, 10_000, 60_000, 300_000, 900_000];

let backends: Backends;
let redis: Redis;
let clock = noon;
let count = 0;
/** Script of the client's callback server. */
let answer: Script = () => ({});
const received: { readonly state: string; readonly account: string }[] = [];
let server: ScriptedServer;

beforeAll(async () => {
  backends = await startBackends();
  redis = new Redis(backends.redisUrl);
  server = await startScriptedServer((request, response) => {
    const { state, accountId } = JSON.parse(request.body);
    received.push({ state, account: accountId });
    return answer(request, response);
  });
});
afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  redis?.disconnect();
  await backends?.[Symbol.asyncDispose]();
});
afterEach(() => {
  clock = noon;
  received.length = 0;
  answer = () => ({});
});

const callbacksTo = (...privateHosts: readonly string[]) =>
  openCallbacks({
    redis,
    remote: openRemoteStreams({ privateHosts: new Set(privateHosts) }),
    log: createLogger("video", "silent").log,
    now: () => clock,
    timeoutMs,
    roundMs: 5,
  });

/** Creates a task with callbacks. Other processes may send its first callback from `dueAt` on. */
async function startTask(dueAt: number, accountId = `account-${++count}`): Promise<Callback> {
  const url = `${server.url}/done`;
  await createAccount(redis, { id: accountId, balance: 10n ** 15n });
  const { digest, token } = makeToken(newKey(), { accountId, group: "default" });
  await writeTokenToRedis(redis, digest, token);
  const task = { ...taskOf(accountId, `video_${++count}`, noon), tokenId: token.id, callbackUrl: url };
  const { callId, draft, tokenId } = task;
  const money = { nanos: 1n, floorNanos: 0n, tokens: 0, leaseMs: 60_000, outboxBound: 1_000, nowMs: noon };
  await hold(redis, { accountId, callId, draft, tokenId, ...money });
  const created = await createTask(redis, {
    task,
    nextPollAt: noon,
    holdUntil: noon,
    keepMs: 1e9,
    callbackDueAt: dueAt,
  });
  if (typeof created !== "object") throw new Error("the task is not recorded");
  return { url, event: created.event, tries: 0 };
}
const storedCallbacks = async (): Promise<number> => {
  const names = await redis.keys("callbacks:*");
  const counts = await Promise.all(names.map((name) => redis.hlen(name)));
  return counts.reduce((sum, each) => sum + each, 0);
};

test("a callback of another process is sent once its lease has ended, and then removed", async () => {
  await startTask(noon + 10);
  await using _first = callbacksTo("127.0.0.1");
  await using _second = callbacksTo("127.0.0.1");
  clock = noon + 10;
  await until("it to be sent", () => received.length > 0);
  await until("it to be forgotten", async () => (await storedCallbacks()) === 0);
  clock = noon + 10 * timeoutMs;
  const other = await startTask(clock);
  await until("the next call", () => received.length > 1);
  await until("it to be forgotten", async () => (await storedCallbacks()) === 0);
  expect(received.map(({ account }) => account)).toEqual([expect.anything(), other.event.accountId]);
});

test("an undelivered callback is retried after growing pauses, and finally dropped", async () => {
  answer = () => ({ status: 500 });
  await using callbacks = callbacksTo("127.0.0.1");
  callbacks.send(await startTask(noon + 1e9));
  for (const [at, delayMs] of retryDelaysMs.entries()) {
    await until("the attempt", () => received.length === at + 1);
    await until("its cooldown", async () => (await nextDue()) === clock + delayMs);
    clock += delayMs;
  }
  await until("the last attempt", () => received.length === retryDelaysMs.length + 1);
  await until("it to be dropped", async () => (await storedCallbacks()) === 0);
});

async function nextDue(): Promise<number> {
  const names = await redis.keys("callbacks-due:*");
  const scores = await Promise.all(names.map((name) => redis.zrange(name, "0", "0", "WITHSCORES")));
  return Math.min(...scores.map(([, score]) => Number(score)));
}

test("a callback that could not be delivered for an hour is dropped without another attempt", async () => {
  await startTask(noon);
  clock = noon + 3_600_001;
  await using _callbacks = callbacksTo("127.0.0.1");
  await until("it to be dropped", async () => (await storedCallbacks()) === 0);
  expect(received).toEqual([]);
});

test("an address in the operator's network gets nothing, unless the operator allowed it", async () => {
  await using callbacks = callbacksTo();
  const privateUrl = await startTask(noon + 1e9);
  callbacks.send(privateUrl);
  await until("the attempt to fail", async () => (await nextDue()) === clock + 1_000);
  expect(received).toEqual([]);
  await removeCallback(redis, privateUrl);
});

test("an account whose address does not answer delays no other account's callbacks", async () => {
  const silent = `account-${++count}`;
  answer = () => (received.at(-1)?.account === silent ? undefined : {});
  await using callbacks = callbacksTo("127.0.0.1");
  const many = await startTask(noon + 1e9, silent);
  for (let at = 0; at < 250; at++) callbacks.send(many);
  await until("the maximum of one account", () => received.length === 200);
  callbacks.send(await startTask(noon + 1e9));
  await until("another account's", () => received.at(-1)?.account !== silent);
  expect(received.filter(({ account }) => account === silent)).toHaveLength(200);
});

import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { Redis } from "ioredis";
import { createAccount, createTask, hold } from "@modelgate/accounts";
import { publishConfiguration } from "@modelgate/catalog";
import { createLogger, readEnv, SharedParts } from "@modelgate/platform";
import { startBackends, until } from "@modelgate/testkit";
import { openDeps } from "../src/deps.ts";
import { variables } from "../src/env.ts";
import { pollOnce } from "../src/poll/poll-once.ts";
import { taskOf } from "../test/task.ts";

/** Measures many open tasks: `node services/video/bench/main.ts [tasks]`. Prints values and asserts nothing. */
const tasks = Number(process.argv[2] ?? 100_000);
const accounts = 1_000;
const secret = "a secret of a benchmark";

await using backends = await startBackends();
const redis = new Redis(backends.redisUrl);
const worker = new Worker(new URL("still-vendor.ts", import.meta.url));
const [port]: number[] = await once(worker, "message");
const baseUrl = `http://127.0.0.1:${port}`;
const configuration = { id: "main", provider: "openai", baseUrl, keys: ["key"], models: ["film"] };
await publishConfiguration(
  redis,
  { groups: { default: { models: ["*"] } }, models: { film: { kind: "video", price: { second: 0.1 } } } },
  [{ configuration, baseUrl, keys: ["key"] }],
  [secret],
);
const { log } = createLogger("bench", "silent");
const read = readEnv(variables, {
  REDIS_URL: backends.redisUrl,
  NATS_URL: backends.natsUrl,
  MODELGATE_SECRET: secret,
});
// Long timeouts for slow machines, because only CPU time is measured.
const env = { ...read, relay: { ...read.relay, redis: { ...read.relay.redis, timeoutMs: 10_000 } } };
const shared = new SharedParts(log);
const opened = await openDeps({ ending: new AbortController().signal, env, log, shared });
await until("the configuration", () => opened.relay.catalog.ready);
const [channel] = opened.relay.catalog.current().channels;
const now = Date.now();

async function put(number: number): Promise<void> {
  const accountId = `account-${number % accounts}`;
  const id = opened.newTaskId();
  const task = {
    ...taskOf(accountId, id, now),
    keyId: channel?.keys[0]?.id ?? "",
    operation: `video_${number}`,
    requested: { prompt: "A boat on a lake in the evening, seen from above", seconds: 5, fromImage: false },
  };
  const money = { nanos: 500_000_000n, floorNanos: 0n, tokens: 0, leaseMs: 60_000, outboxBound: 1_000_000 };
  await hold(redis, { accountId, callId: task.callId, draft: task.draft, tokenId: task.tokenId, ...money });
  await createTask(redis, { task, nextPollAt: now, holdUntil: now + 90_000_000, keepMs: 1e9, callbackDueAt: now });
}

const usedMemory = async () => Number(/used_memory:(\d+)/.exec(await redis.info("memory"))?.[1]);
const print = (name: string, value: string) => process.stdout.write(`${name.padEnd(44)} ${value}\n`);

for (let at = 0; at < accounts; at++) await createAccount(redis, { id: `account-${at}`, balance: 1_000_000_000_000n });
const empty = await usedMemory();
for (let at = 0; at < tasks; at += 500)
  await Promise.all(Array.from({ length: Math.min(500, tasks - at) }, (_, more) => put(at + more)));
// The events of the creation are removed, because an open task does not keep them in Redis.
for (const key of await redis.keys("outbox:*")) await redis.del(key);

let clock = now + 1;
const deps = { ...opened, now: () => clock, limits: { ...opened.limits, batch: 64 } };
const cpu = process.cpuUsage();
const begun = performance.now();
let polled = 0;
while (polled < tasks) {
  const round = await pollOnce(deps, new AbortController().signal);
  if (round.polled === 0) break;
  polled += round.polled;
  clock += 10_000; // the tasks that this round postponed are then due
}
const seconds = (performance.now() - begun) / 1_000;
const { user, system } = process.cpuUsage(cpu);
print("polls", `${polled} in ${seconds.toFixed(1)} s: ${Math.round(polled / seconds)} a second`);
print("CPU per poll, the vendor's thread included", `${((user + system) / polled).toFixed(0)} us`);
print("polls a second that many tasks need", `${Math.round(tasks / 30)} at one each 30 s`);
print("Redis memory per open task, its hold included", `${Math.round(((await usedMemory()) - empty) / tasks)} bytes`);
await opened[Symbol.asyncDispose]();
await shared[Symbol.asyncDispose]();
redis.disconnect();
await worker.terminate();

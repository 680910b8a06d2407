import { parseArgs } from "node:util";
import { Redis } from "ioredis";
import { startLocalBackends, startSuite, until } from "@modelgate/testkit";
import { readOutcome } from "./books.ts";
import { startClients, type Seen } from "./clients.ts";
import { faults, type Fault, type House } from "./faults.ts";
import { startLiar } from "./liar.ts";
import { openSlowWay } from "./slow-way.ts";

/**
 * The chaos run: the whole suite under load, one fault after the other, and what each cost. Prints a table and ends
 * with 1 where an event was lost, a charge was made twice, or the books do not agree.
 */
const { values } = parseArgs({
  options: { seconds: { type: "string", default: "3" }, only: { type: "string" }, json: { type: "boolean" } },
});
/** How long each fault lasts; before and after it as long again with none. */
const faultMs = Number(values.seconds) * 1_000;
/** Clients that ask at once. */
const clientCount = 8;

const chosen = faults.filter(({ name }) => values.only === undefined || name.includes(values.only));
const keyOf = (at: number): string => `sk-chaos-0123456789-${at}`;
const accountOf = (at: number): string => `chaos-${at}`;

await using liar = await startLiar();
const backends = await startLocalBackends();
await using redisWay = await openSlowWay(Number(new URL(backends.redisUrl).port));
await using natsWay = await openSlowWay(Number(new URL(backends.natsUrl).port));
const channel = (id: string, models: readonly string[], priority: number, baseUrl?: string) => ({
  id,
  provider: "openai",
  baseUrl: baseUrl ?? `\${SIMULATOR_URL}/at/${id}/openai/v1`,
  keys: [`key-of-${id}`],
  models,
  priority,
  timeoutMs: 1_000,
});
const price = { request: 0.001, input: 1, cachedInput: 1, output: 2 };
await using suite = await startSuite({
  backends: {
    ...backends,
    redisUrl: `redis://127.0.0.1:${redisWay.port}`,
    natsUrl: `nats://127.0.0.1:${natsWay.port}`,
  },
  env: { HOLD_LEASE_MS: "2000", SEAT_LEASE_MS: "1500", LOG_LEVEL: "error" },
  config: {
    groups: { default: { models: ["*"], limits: { concurrency: 100 } } },
    models: { chat: { kind: "chat", price }, lone: { kind: "chat", price }, lied: { kind: "chat", price } },
    channels: [
      channel("main", ["chat", "lone"], 1),
      channel("spare", ["chat"], 0),
      channel("liar", ["lied"], 0, liar.url),
    ],
    accounts: Object.fromEntries(
      chosen.map((_, at) => [accountOf(at), { balance: "100.00", tokens: [{ key: keyOf(at), group: "default" }] }]),
    ),
  },
});
const house: House = { suite, redisWay, natsWay };
const redis = new Redis(backends.redisUrl, { maxRetriesPerRequest: null });
redis.on("error", () => undefined); // faults are meant to be
const url = `${suite.edgeUrl}/v1/chat/completions`;

const rows: (readonly string[])[] = [
  ["fault", "requests", "failures seen by clients", "lost events", "double charges", "books", "at rest after"],
];
let bad = 0;
for (const [at, fault] of chosen.entries()) {
  const row = await live(fault, at);
  rows.push(row);
  if (!values.json) process.stdout.write(`${row.join(" | ")}\n`);
}
process.stdout.write(values.json ? `${JSON.stringify(rows)}\n` : `\n${asTable(rows)}\n`);
redis.disconnect();
process.exitCode = bad > 0 ? 1 : 0;

/** Lives through one fault; its row of the table. */
async function live(fault: Fault, at: number): Promise<readonly string[]> {
  await until("calls to pass before the fault", () => passes(at), 60_000);
  const asked = { url, key: keyOf(at), model: fault.model, count: clientCount, name: `fault-${at}` };
  const clients = startClients({ ...asked, leaves: fault.leaves ?? "never" });
  await pause(faultMs / 2);
  await fault.begin(house);
  await pause(faultMs);
  await fault.end(house);
  await pause(faultMs / 2);
  const seen = await clients.stop();
  const { lost, double, books, restMs } = await readOutcome({ redis, natsUrl: backends.natsUrl }, accountOf(at), seen);
  if (lost > 0 || double > 0 || books !== "agree") bad++;
  return [
    fault.name,
    String(seen.requests),
    wordsOf(seen),
    String(lost),
    String(double),
    books,
    `${(restMs / 1_000).toFixed(1)} s`,
  ];
}

/** Whether the house serves: the first fault's end may still be felt. */
async function passes(at: number): Promise<boolean> {
  const ask = await fetch(url, {
    method: "POST",
    headers: { authorization: `Bearer ${keyOf(at)}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "lone", messages: [{ role: "user", content: "Hello" }] }),
  }).catch(() => undefined);
  await ask?.text().catch(() => "");
  return ask?.status === 200;
}

function wordsOf({ failures, left }: Seen): string {
  const words = [...failures].map(([what, count]) => `${count} × ${what}`);
  if (left > 0) words.push(`${left} left`);
  return words.length === 0 ? "none" : words.join(", ");
}

function asTable(lines: readonly (readonly string[])[]): string {
  const [head = [], ...body] = lines;
  return [head, head.map(() => "---"), ...body].map((line) => `| ${line.join(" | ")} |`).join("\n");
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

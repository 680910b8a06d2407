import { Agent, request } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { freePorts, startServiceAlone, startSuite, until, type AloneService, type Suite } from "@modelgate/testkit";
import { storedEvents } from "./events.ts";
import { startEndlessVendor, type EndlessVendor } from "./endless-vendor.ts";
import { channel, config as house, hello, keys, money } from "./house.ts";
import { openWayToReplicas, type WayToReplicas } from "./way-to-replicas.ts";

const streamCount = 500;

interface Replica {
  readonly way: WayToReplicas | undefined;
  readonly service: AloneService;
  readonly port: number;
}

let vendor: EndlessVendor;
let suite: Suite;
let [edges, texts]: WayToReplicas[] = [];
const started: AloneService[] = [];
beforeAll(async () => {
  vendor = await startEndlessVendor();
  suite = await startSuite({
    fresh: true,
    shape: "apart",
    config: {
      ...house,
      models: { chat: house.models.chat, fixed: house.models.fixed },
      channels: [channel("main", ["fixed"]), channel("endless", ["chat"], { baseUrl: vendor.url })],
      accounts: { demo: { balance: "1000.00", tokens: [{ key: keys.demo, group: "default" }] } },
    },
  });
  [edges, texts] = await Promise.all([openWayToReplicas(), openWayToReplicas()]);
});
afterAll(async () => {
  await Promise.all(started.map((service) => service.stop()));
  await edges?.[Symbol.asyncDispose]();
  await texts?.[Symbol.asyncDispose]();
  await suite?.[Symbol.asyncDispose]();
  await vendor?.[Symbol.asyncDispose]();
});

const names = ["text", "text", "edge", "edge"] as const;

/** Starts a replica, to which no connection comes yet. */
async function start(name: "edge" | "text"): Promise<Replica> {
  const [port = 0] = await freePorts(1);
  const service = await startServiceAlone(name, {
    REDIS_URL: suite.backends.redisUrl,
    NATS_URL: suite.backends.natsUrl,
    MODELGATE_SECRET: suite.secret,
    TEXT_URL: texts?.url ?? "",
    DRAIN_MS: "60000",
    [name === "edge" ? "PORT" : "TEXT_PORT"]: String(port),
  });
  started.push(service);
  await until(`${name} to be ready`, async () => (await fetch(`${service.opsUrl}/readyz`)).ok);
  return { way: name === "edge" ? edges : texts, service, port };
}

interface Answer {
  readonly status: number | undefined;
  readonly text: string;
  readonly whole: boolean;
}

/** Asks; `begun` is called when the first of an answer is there. */
function ask(body: object, id: string, agent: Agent | false, begun?: () => void): Promise<Answer> {
  return new Promise((resolve) => {
    const asked = request(`${edges?.url}/v1/chat/completions`, {
      method: "POST",
      agent,
      headers: { authorization: `Bearer ${keys.demo}`, "content-type": "application/json", "x-request-id": id },
    });
    asked.on("error", (error) => resolve({ status: undefined, text: error.message, whole: false }));
    asked.on("response", (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (piece: string) => (text += piece));
      response.once("data", () => begun?.());
      response.on("close", () => resolve({ status: response.statusCode, text, whole: response.complete }));
    });
    asked.end(JSON.stringify(body));
  });
}

test(`${streamCount} open streams, every replica of edge and text replaced: none is cut, nothing is refused, no event lost`, async () => {
  const old = await Promise.all(names.map(start));
  for (const { way, port } of old) way?.ports.add(port);
  const fresh = await Promise.all(names.map(start));
  await until("calls to pass", async () => (await ask(hello("fixed"), "ready", false)).status === 200);

  const body = { ...hello("chat"), stream: true, stream_options: { include_usage: true } };
  let begun = 0;
  const streams = Array.from({ length: streamCount }, (_, at) => ask(body, `stream-${at}`, false, () => begun++));
  await until("every stream to begin", () => begun === streamCount, 30_000);
  // Others keep asking meanwhile, over connections that they keep.
  const state = { on: true, asked: 0 };
  const failures: Answer[] = [];
  const agent = new Agent({ keepAlive: true });
  const others = Array.from({ length: 4 }, async (_, who) => {
    while (state.on) {
      const answer = await ask(hello("fixed"), `other-${who}-${state.asked++}`, agent);
      if (answer.status !== 200 || !answer.whole) failures.push(answer);
      await new Promise((resolve) => setTimeout(resolve, 20 * (who + 1)));
    }
  });

  for (const [at, { way, service, port }] of old.entries()) {
    way?.ports.add(fresh[at]?.port ?? 0);
    way?.ports.delete(port);
    service.signal("SIGTERM");
    await until("it to take no more", () => service.logs().includes("draining"));
    // A while for others to meet connections that end.
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
  expect(vendor.open).toBe(streamCount);
  vendor.finish();
  const answers = await Promise.all(streams);
  // A kept connection does not keep them from ending, up to the end of their drain.
  await until("the old replicas to end", () => old.every(({ service }) => !service.running), 20_000);
  expect(await Promise.all(old.map(({ service }) => service.ended))).toEqual([0, 0, 0, 0]);
  state.on = false;
  await Promise.all(others);
  agent.destroy();

  expect(failures).toEqual([]);
  expect(state.asked).toBeGreaterThan(20);
  const good = answers.filter(
    ({ status, text, whole }) =>
      status === 200 && whole && text.includes('"usage":{') && text.trimEnd().endsWith("data: [DONE]"),
  );
  expect(good).toHaveLength(streamCount);
  expect(fresh.every(({ service }) => service.running)).toBe(true);
  await booksAgree(state.asked);
}, 90_000);

/** Nothing is held, each call has one event, and the account has paid what they say. */
async function booksAgree(others: number): Promise<void> {
  const account = await until("all holds to be settled", async () => {
    const found = await money(suite);
    return found.heldNanos === "0" && found;
  });
  expect(BigInt(account.balanceNanos)).toBe(BigInt(account.creditedNanos) - BigInt(account.spentNanos));
  const events = await until("every event to be stored", async () => {
    const stored = (await storedEvents(suite.backends.natsUrl)).map(({ event }) => event);
    return stored.filter(({ requestId }) => requestId !== "ready").length >= streamCount + others && stored;
  });
  expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
  const streams = events.filter(({ requestId }) => requestId.startsWith("stream-"));
  expect(new Set(streams.map(({ requestId }) => requestId)).size).toBe(streamCount);
  expect(streams).toHaveLength(streamCount);
  expect(streams.filter(({ outcome, estimated }) => outcome !== "completed" || estimated)).toEqual([]);
  expect(events.reduce((sum, { costNanos }) => sum + BigInt(costNanos), 0n)).toBe(BigInt(account.spentNanos));
}

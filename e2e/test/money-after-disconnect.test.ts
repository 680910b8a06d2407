import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { UsageEvent } from "@modelgate/contracts";
import { startSuite, until, type Suite } from "@modelgate/testkit";
import { storedEvents } from "./events.ts";
import { startGreedyVendor, type GreedyVendor } from "../../services/text/test/greedy-vendor.ts";
import { keys, money, settledMoney } from "./suite-client.ts";

const messages = [{ role: "user", content: "Tell me a story, and take your time." }];
const image = (n: number) => ({ model: "pictures", prompt: "a fox", n });
/** Maximum number of answers that a service reads after their clients have disconnected. */
const maxDetachedAnswers = 4;

/** Server that accepts connections and sends nothing, so that no TLS handshake completes. */
const silentServer = createServer((socket) => sockets.add(socket.on("error", () => undefined)));
const sockets = new Set<Socket>();
const portOf = (server: Server): number => {
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
};

let vendor: GreedyVendor;
let suite: Suite;
beforeAll(async () => {
  vendor = await startGreedyVendor();
  await once(silentServer.listen(0, "127.0.0.1"), "listening");
  const channel = (id: string, provider: string, model: string, more: object = {}) => ({
    id,
    provider,
    baseUrl: `${vendor.url}/v1`,
    keys: ["key"],
    models: [model],
    ...more,
  });
  suite = await startSuite({
    // Separate processes, because one test drains only the media service.
    shape: "apart",
    config: {
      groups: { default: { models: ["*"] } },
      models: {
        chat: { kind: "chat", price: { input: 100, output: 100, request: 0.001 } },
        vectors: { kind: "embedding", price: { input: 1_000 } },
        ranks: { kind: "rerank", price: { input: 1_000 } },
        pictures: { kind: "image", price: { image: 0.04 } },
        transcribes: { kind: "transcription", price: { second: 0.01 } },
        judges: { kind: "moderation", price: { input: 1_000 } },
        speaks: { kind: "speech", price: { input: 1_000, outputAudio: 1_000 } },
        nowhere: { kind: "image", price: { image: 0.04 } },
      },
      channels: [
        channel("chat", "openai", "chat", { wires: ["chat"] }),
        channel("vectors", "openai", "vectors"),
        channel("ranks", "jina", "ranks"),
        channel("pictures", "openai", "pictures"),
        channel("transcribes", "openai", "transcribes"),
        channel("judges", "openai", "judges"),
        channel("speaks", "openai", "speaks"),
        { ...channel("nowhere", "openai", "nowhere"), baseUrl: `https://127.0.0.1:${portOf(silentServer)}/v1` },
      ],
      accounts: { demo: { balance: "100", tokens: [{ key: keys.demo, group: "default" }] } },
    },
    limits: { relay: { detachedAnswers: { maxAnswers: maxDetachedAnswers, ms: 2_500 } } },
  });
});
afterAll(async () => {
  await suite?.[Symbol.asyncDispose]();
  await vendor?.[Symbol.asyncDispose]();
  for (const socket of sockets) socket.destroy();
  sockets.clear();
  silentServer.close();
});
beforeEach(() => vendor.behave({ silent: true }));

function open(path: string, body: object | FormData) {
  const disconnecting = new AbortController();
  const isForm = body instanceof FormData;
  const over = fetch(suite.edgeUrl + path, {
    method: "POST",
    headers: { authorization: `Bearer ${keys.demo}`, ...(isForm ? {} : { "content-type": "application/json" }) },
    body: isForm ? body : JSON.stringify(body),
    signal: disconnecting.signal,
  }).then(
    (answer) => answer.text(),
    () => undefined,
  );
  return {
    async disconnect() {
      disconnecting.abort();
      await over;
    },
  };
}

const settled = async (): Promise<bigint> => BigInt((await settledMoney(suite)).balanceNanos);
const eventsAfter = (count: number, from: number): Promise<readonly UsageEvent[]> =>
  until("the events", async () => {
    const events = (await storedEvents(suite.backends.natsUrl)).map(({ event }) => event).slice(from);
    return events.length >= count && events;
  });
const stored = async () => (await storedEvents(suite.backends.natsUrl)).length;
const untilRequests = (count: number) =>
  until("the request to reach the vendor", () => vendor.requests.length >= count);

/** Makes calls whose clients disconnect while the vendor works. Returns their cost. */
async function callsWithoutClients(
  path: string,
  bodies: readonly (object | FormData)[],
  then: () => Promise<void> | void,
) {
  const [before, from, sent] = [await settled(), await stored(), vendor.requests.length];
  const calls = bodies.map((body) => open(path, body));
  await untilRequests(sent + bodies.length);
  await Promise.all(calls.map((call) => call.disconnect()));
  await then();
  const cost = before - (await settled());
  return { cost, events: await eventsAfter(bodies.length, from) };
}

/** Waits until a service reads an answer without a client. */
const noticed = () =>
  until("a vendor's answer to be read to its end", async () => {
    const pages = (["text", "media", "audio"] as const).map(async (service) =>
      (await fetch(`${suite.opsUrl(service)}/metrics`)).text(),
    );
    return /^modelgate_detached_answers(?:\{[^}]*\})? [1-9]/m.test((await Promise.all(pages)).join("\n"));
  });

/** Sets the vendor's answer after the clients have disconnected. */
const answers = (behaviour: Parameters<GreedyVendor["behave"]>[0]) => async () => {
  await noticed();
  vendor.behave(behaviour);
  vendor.speak();
};

test("8 calls for 10 images whose clients disconnect before the first byte cost $3.20: at the time limit, the requested images are charged", async () => {
  const { cost, events } = await callsWithoutClients(
    "/v1/images/generations",
    Array.from({ length: 8 }, () => image(10)),
    () => undefined,
  );
  expect(cost).toBe(3_200_000_000n);
  for (const event of events)
    expect(event).toMatchObject({ outcome: "cancelled", status: 499, estimated: true, units: { images: 10 } });
  await until("the vendor's connections to be closed", () => vendor.open === 0);
  vendor.speak();
});

describe("the vendor's answer is read to its end, and its result is charged", () => {
  const reported = { outcome: "cancelled", status: 499, estimated: false } as const;

  test("images", async () => {
    const { cost, events } = await callsWithoutClients("/v1/images/generations", [image(10)], answers({ items: 7 }));
    expect(cost).toBe(7n * 40_000_000n);
    expect(events).toMatchObject([{ ...reported, units: { images: 7 } }]);
  });

  test.each([
    ["vectors", "/v1/embeddings", { model: "vectors", input: "Hello" }],
    ["ranking", "/v1/rerank", { model: "ranks", query: "x", documents: ["a"] }],
    ["judgements", "/v1/moderations", { model: "judges", input: "Hello" }],
  ])("%s", async (_, path, body) => {
    const usage = { input: 77, output: 0 };
    const { cost, events } = await callsWithoutClients(path, [body], answers({ usage }));
    expect(cost).toBe(77_000_000n);
    expect(events).toMatchObject([{ ...reported, units: { inputTokens: 77 } }]);
  });

  test("images by generateContent", async () => {
    const body = { contents: [{ role: "user", parts: [{ text: "a fox" }] }] };
    const { cost, events } = await callsWithoutClients(
      "/v1beta/models/pictures:generateContent",
      [body],
      answers({ items: 1, usage: undefined }),
    );
    expect(cost).toBe(40_000_000n);
    expect(events).toMatchObject([{ outcome: "cancelled", status: 499, units: { images: 1 } }]);
  });

  test("speech that is charged by the token", async () => {
    const body = { model: "speaks", voice: "alloy", input: "Hello, and welcome to all of you who are here." };
    const { cost, events } = await callsWithoutClients(
      "/v1/audio/speech",
      [body],
      answers({ usage: { input: 12, output: 40 } }),
    );
    expect(cost).toBe(52_000_000n);
    expect(events).toMatchObject([{ ...reported, units: { inputTokens: 12, outputAudioTokens: 40 } }]);
  });

  test("transcripts", async () => {
    const form = new FormData();
    form.set("model", "transcribes");
    form.set("file", new Blob([new Uint8Array(20_000)]), "sound.mp3");
    const { cost, events } = await callsWithoutClients(
      "/v1/audio/transcriptions",
      [form],
      answers({ usage: { input: 6, output: 0 } }),
    );
    expect(cost).toBe(60_000_000n);
    expect(events).toMatchObject([{ ...reported, units: { seconds: 6 } }]);
  });

  test("and a failed result costs nothing", async () => {
    const { cost, events } = await callsWithoutClients("/v1/images/generations", [image(2)], answers({ items: 0 }));
    expect(cost).toBe(0n);
    expect(events).toMatchObject([{ outcome: "cancelled", status: 499, estimated: false }]);
  });
});

test("text whose client disconnects before the first byte is charged for its input, and its vendor is stopped", async () => {
  for (const stream of [false, true]) {
    const { cost, events } = await callsWithoutClients(
      "/v1/chat/completions",
      [{ model: "chat", messages, stream }],
      () => until("the vendor's answer to be stopped", () => vendor.open === 0).then(() => undefined),
    );
    const [event] = events;
    expect(event).toMatchObject({ outcome: "cancelled", status: 499, estimated: true, units: { requests: 1 } });
    expect(event?.units.inputTokens).toBeGreaterThan(10);
    expect(cost).toBe(BigInt(event?.costNanos ?? 0));
    expect(cost).toBeGreaterThan(2_000_000n);
  }
});

test("a client that disconnects before the vendor is connected pays nothing", async () => {
  const [before, from] = [await settled(), await stored()];
  const call = open("/v1/images/generations", { ...image(10), model: "nowhere" });
  // The ledger connects too. It checks the certificate.
  await until("the hold", async () => (await money(suite)).heldNanos !== "0");
  await call.disconnect();
  expect(await settled()).toBe(before);
  expect(await eventsAfter(1, from)).toMatchObject([{ outcome: "cancelled", status: 499, costNanos: "0" }]);
  // An open connection would delay the shutdown of the service.
  for (const socket of sockets) socket.destroy();
  sockets.clear();
});

test("a service that shuts down waits for these answers, and settles them", async () => {
  const [before, from, sent] = [await settled(), await stored(), vendor.requests.length];
  const call = open("/v1/images/generations", image(3));
  await untilRequests(sent + 1);
  await call.disconnect();
  await noticed();
  const media = suite.process("media");
  media.signal("SIGTERM");
  vendor.behave({ items: 3 });
  vendor.speak();
  await media.ended;
  await suite.restart("media");
  expect(before - (await settled())).toBe(120_000_000n);
  expect(await eventsAfter(1, from)).toMatchObject([{ outcome: "cancelled", units: { images: 3 }, estimated: false }]);
});

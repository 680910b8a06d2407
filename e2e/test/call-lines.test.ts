import { afterAll, beforeAll, expect, test } from "vitest";
import {
  startScriptedServer,
  startSuite,
  textAnswers,
  until,
  type ScriptedServer,
  type Suite,
} from "@modelgate/testkit";
import { storedEvents } from "./events.ts";
import { another, channel, config as baseConfig, keys, post } from "./suite-client.ts";

const vendorKey = "vendorKeyWithoutAPrefix0123456789";
let [broken, good]: ScriptedServer[] = [];
const startBroken = () => {
  let count = 0;
  const message = `The engine is overheated; your key was ${vendorKey}.`;
  return startScriptedServer(() => ({
    status: 500,
    headers: { "x-request-id": `broken-${++count}` },
    body: { error: { message, code: "engine_overheated" } },
  }));
};
const usage = { prompt_tokens: 3, completion_tokens: 5, total_tokens: 8 };
const answer = textAnswers.chat({ model: "chat", text: "Hi", usage }).whole;

let suite: Suite;
beforeAll(async () => {
  broken = await startBroken();
  good = await startScriptedServer(() => ({ headers: { "request-id": "good-vendor-1" }, body: answer }));
  const price = { input: 1, output: 1 };
  suite = await startSuite({
    shape: "apart",
    config: {
      ...baseConfig,
      models: { chat: { kind: "chat", price }, lone: { kind: "chat", price } },
      channels: [
        channel("broken", ["chat", "lone"], { baseUrl: `${broken.url}/v1`, keys: [vendorKey], priority: 1 }),
        channel("good", ["chat"], { baseUrl: `${good.url}/v1` }),
      ],
    },
    envOf: { text: { METRICS_TOP: "1" } },
  });
});
afterAll(async () => {
  await suite?.[Symbol.asyncDispose]();
  await broken?.[Symbol.asyncDispose]();
  await good?.[Symbol.asyncDispose]();
});

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const traced = { traceparent: `00-${traceId}-00f067aa0ba902b7-01` };

function lines(service: "text" | "edge"): readonly Readonly<Record<string, unknown>>[] {
  return suite
    .process(service)
    .logs()
    .split("\n")
    .slice(0, -1) // may be incomplete
    .filter((text) => text.startsWith("{"))
    .map((text): Record<string, unknown> => JSON.parse(text));
}

async function line(service: "text" | "edge", want: Readonly<Record<string, unknown>>): Promise<unknown> {
  return await until(`a line of ${service} with ${JSON.stringify(want)}`, () =>
    lines(service).find((entry) => Object.entries(want).every(([name, value]) => entry[name] === value)),
  );
}

test("the line of a retried call has each attempt; the vendor's id is in the answer, the line, the event and gatectl", async () => {
  const requestId = "call-lines-retried";
  const answer = await post(suite, another("chat"), keys.demo, { ...traced, "x-request-id": requestId });
  expect([answer.status, answer.headers.get("x-modelgate-upstream-request-id")]).toEqual([200, "good-vendor-1"]);
  expect(await line("text", { msg: "call", requestId })).toMatchObject({
    traceId,
    upstreamRequestId: "good-vendor-1",
    outcome: "completed",
    attempts: 2,
    tokens: 8,
    inputTokens: 3,
    outputTokens: 5,
    costUsd: "0.000008",
    firstByteMs: expect.any(Number),
    tried: [
      {
        channel: "broken",
        key: expect.any(String),
        failed: "upstream_error",
        status: 500,
        vendorCode: "engine_overheated",
        upstreamRequestId: "broken-1",
        ms: expect.any(Number),
      },
      { channel: "good", status: 200, upstreamRequestId: "good-vendor-1" },
    ],
  });
  expect(await line("edge", { msg: "request", requestId })).toMatchObject({ traceId, status: 200, whole: true });
  const { event } = await until("its event", async () =>
    (await storedEvents(suite.backends.natsUrl)).find(({ event: stored }) => stored.requestId === requestId),
  );
  expect(event.upstreamRequestId).toBe("good-vendor-1");
  for (const id of [requestId, "good-vendor-1"])
    await until(`gatectl to find ${id}`, async () => {
      const { events } = await suite.ask<{ events: readonly { id: string }[] }>("usage", "list", "--request-id", id);
      return events.length === 1 && events[0]?.id === event.id;
    });
});

test("the line of a failed call has its error, and the line of the channel's cooldown has the call's id and the vendor's message", async () => {
  const requestId = "call-lines-failed";
  const overheated = expect.stringContaining("The engine is overheated");
  let failed = 0;
  await until("the channel's cooldown", async () => {
    const id = `${requestId}-${failed++}`;
    await post(suite, another("lone"), keys.demo, { ...traced, "x-request-id": id });
    // Without this line, the log may not yet contain the calls before it.
    await line("text", { msg: "call", requestId: id });
    return suite.process("text").logs().includes("channel cooldown starts");
  });
  expect(await line("text", { msg: "call", requestId: `${requestId}-0` })).toMatchObject({
    outcome: "failed",
    error: expect.stringMatching(/^upstream_/),
    tried: [{ channel: "broken", status: 500, vendorCode: "engine_overheated", vendorMessage: overheated }],
  });
  const { event } = await until("its event", async () =>
    (await storedEvents(suite.backends.natsUrl)).find(({ event: stored }) => stored.requestId === `${requestId}-0`),
  );
  expect(event.tries).toMatchObject([{ failed: "upstream_error", vendorMessage: overheated }]);
  expect(await line("text", { msg: "channel cooldown starts" })).toMatchObject({
    requestId: expect.stringContaining("call-lines-"),
    callId: expect.stringMatching(/^call_/),
    status: 500,
    vendorCode: "engine_overheated",
    vendorMessage: expect.stringContaining("The engine is overheated"),
    upstreamRequestId: expect.stringMatching(/^broken-/),
  });
  expect(suite.process("text").logs()).not.toContain(vendorKey);
});

test("the metrics name the accounts and groups with the most calls, up to the configured number", async () => {
  const metrics = await (await fetch(`${suite.opsUrl("text")}/metrics`)).text();
  expect(metrics).toMatch(/^modelgate_account_calls_total\{account="demo",service="text"\} [1-9]/m);
  expect(metrics).toMatch(/^modelgate_account_cost_usd_total\{account="_other",service="text"\} \d/m);
  expect(metrics).toMatch(/^modelgate_group_calls_failed_total\{group="default",service="text"\} [1-9]/m);
});

test("every line of a request has its trace id, including warnings and errors", async () => {
  const headers = { ...traced, "x-request-id": "call-lines-killed" };
  suite.process("text").signal("SIGKILL");
  await suite.process("text").ended;
  const ofText = lines("text");
  expect((await post(suite, another("chat"), keys.demo, headers)).status).toBe(503);
  await line("edge", { msg: "the service is unreachable", requestId: "call-lines-killed" });
  const callLines = [...ofText, ...lines("edge")].filter(({ requestId }) => requestId !== undefined);
  expect(callLines.filter((entry) => entry["traceId"] !== traceId)).toEqual([]);
  expect(new Set(callLines.map(({ msg }) => msg))).toEqual(
    new Set(["call", "request", "channel cooldown starts", "the service is unreachable"]),
  );
});

test("each call has one line, regardless of its result", async () => {
  await until("one line for each stored call", async () => {
    const ids = lines("text").flatMap(({ msg, callId }) => (msg === "call" ? [String(callId)] : []));
    const stored = await storedEvents(suite.backends.natsUrl);
    const hasLines = stored.every(({ event }) => ids.filter((id) => id === event.id).length === 1);
    return ids.length > 1 && ids.length === stored.length && hasLines;
  });
});

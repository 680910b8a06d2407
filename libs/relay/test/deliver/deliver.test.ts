import { describe, expect, test, vi } from "vitest";
import { compilePrice, Failure } from "@modelgate/contracts";
import type { Transport, UpstreamAnswer, WireRoute } from "@modelgate/channels";
import { BufferBudget } from "@modelgate/platform";
import { providers, type Provider } from "@modelgate/providers";
import { isStreamStart } from "@modelgate/formats/sse";
import { wires } from "@modelgate/wires/text";
import type { Exchange, JobMoney, VendorLink, CompleteAnswer } from "../../src/answers/exchange.ts";
import { BufferedStream } from "../../src/answers/buffered-stream.ts";
import { PassTranslator } from "../../src/answers/pass-translator.ts";
import type { StreamAnswerReader } from "../../src/answers/stream-reader.ts";
import type { AcceptedAnswer } from "../../src/call-run.ts";
import { CallRun } from "../../src/call-run.ts";
import { DetachedAnswers } from "../../src/detached-answers.ts";
import { sendHeartbeats } from "../../src/pending-stream.ts";
import { deliver } from "../../src/run-call.ts";
import type { CallKind, Plan } from "../../src/kind.ts";
import type { Outcome } from "../../src/outcome.ts";
import { expectText } from "../../src/money/expect.ts";
import { callOf, FakeAnswer, FakeClient, runDeps } from "../fakes.ts";

const { chat } = wires;
const frame = (content: string): string => `data: {"choices":[{"index":0,"delta":{"content":"${content}"}}]}\n\n`;
const used = 'data: {"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":4}}\n\n';
const done = "data: [DONE]\n\n";
const model = { name: "m", kind: "chat" as const, ownedBy: "o", price: compilePrice({ input: 1, output: 1 }) };
const size = { textBytes: 12, mediaTokens: 0, maxOutputTokens: undefined, choices: 1 };
const channel = {
  id: "vendor",
  provider: "openai",
  baseUrl: "https://vendor.example",
  keys: [],
  models: new Map(),
  priority: 0,
  weight: 1,
  timeoutMs: 1_000,
  force: { user: '"ours"' },
};
const { openai } = providers;
if (openai === undefined) throw new Error("there is no such provider");
const provider: Provider = {
  ...openai,
  request(call) {
    if (call.act !== "poll") return openai.request(call);
    const url = new URL(`${call.baseUrl}/tasks/${call.task}`);
    const headers = { authorization: `Bearer ${call.key}`, "content-type": "application/json" };
    return { url, method: "POST", headers, body: Buffer.from("{}") };
  },
  run: ({ baseUrl, task, act }) => ({ url: new URL(`${baseUrl}/runs/${task}/${act}`), method: "POST", headers: {} }),
};
const key = { id: "k", secret: "s" };
const route: WireRoute = { candidate: { channel, upstreamModel: "m" }, key, provider, wire: "chat" };
const reader: StreamAnswerReader = {
  kind: "stream",
  framing: chat.framing,
  isFirstFrame: (first) => isStreamStart(chat, first),
  translator: ({ mayBeCut }) =>
    new PassTranslator({
      pass: chat.pass,
      mode: "bytes",
      early: mayBeCut ? chat.pass.earlyEnd?.({ choices: 1, includeUsage: false }) : undefined,
    }),
};
const exchange: Exchange = {
  wire: "chat",
  body: Buffer.alloc(0),
  isStreamed: true,
  dropped: ["seed"],
  read: () => reader,
};

interface Delivered {
  readonly client: FakeClient;
  readonly events: string[];
  readonly ends: Outcome[];
  readonly over: Promise<void>;
}

function begin(
  accepted: AcceptedAnswer,
  how: {
    readonly client?: FakeClient;
    readonly pays?: boolean;
    readonly stepTokens?: number;
    heartbeatMs?: number;
    readonly budget?: BufferBudget;
    /** Answers further requests of the call to its vendor. */
    readonly send?: Transport["send"];
    /** Set if the client disconnects after the request was sent. The vendor's answer is then read for at most `ms`. */
    readonly leavesFor?: { readonly ms: number; ended(): void };
  } = {},
): Delivered {
  const { send, leavesFor, client = new FakeClient(), pays = true, stepTokens = 2_048, heartbeatMs = 60_000 } = how;
  const { budget = new BufferBudget(1_000_000) } = how;
  const events: string[] = [];
  const ends: Outcome[] = [];
  client.watch({ closed: (whole) => void events.push(whole ? "the client has its last byte" : "the client has left") });
  const plan: Plan = {
    cost: { by: "text", body: Buffer.from("Hello, world"), size, stream: accepted.kind === "stream" },
    wires: ["chat"],
    forward: { wire: "chat", headers: { "x-of-client": "1" }, query: {} },
    finishAfterDisconnect: leavesFor !== undefined,
  };
  const kind: CallKind<unknown> = {
    plan: () => plan,
    exchange: () => exchange,
    onFinalAnswer: (_, { channelKey }) => void events.push(`the answer of ${channelKey} is shown`),
  };
  const serving = { model, multiplier: 1, unpriced: "refuse" } as const;
  const detachedAnswers = new DetachedAnswers({ maxAnswers: 1, ms: leavesFor?.ms ?? 1_000 });
  const output = { first: stepTokens, step: stepTokens, max: Infinity };
  const attempted = {
    accepted,
    route,
    attempts: 1,
    tried: [{ channel: "vendor", key: "key", ms: 1 }],
    reportInterruption: (reason: string) => void events.push(`the channel broke: ${reason}`),
    [Symbol.dispose]: () => void (events.includes("the seat is free") || events.push("the seat is free")),
  };
  const held = {
    callId: "c",
    expected: { ...expectText(size, model, 1, stepTokens), ...(accepted.kind === "stream" ? { output } : {}) },
    heldAt: 0,
    chargedNanos: 0n,
    costOf: () => 0n,
    extend: () => (pays ? Promise.resolve(true) : Promise.reject(new Failure("insufficient_quota"))),
    certainOutcome: undefined,
    record: { callId: "c", call: callOf(client), price: { model, multiplier: 1 }, heldAt: 0 },
    holdAgain: () => Promise.reject(new Failure("server_overloaded")),
    handOver: () => void events.push("handed over"),
    settle(end: Outcome) {
      using slot = detachedAnswers.openSlot();
      events.push(slot === undefined ? "settled in its slot" : "settled");
      ends.push(end);
      return Promise.resolve();
    },
  };
  const run = async (): Promise<void> => {
    const call = callOf(client);
    const defaults = runDeps({ stepTokens, heartbeatMs });
    const transport = { ...defaults.channels.transport, ...(send && { send }) };
    const deps = { ...defaults, budget, detachedAnswers, channels: { ...defaults.channels, transport } };
    using calling = new CallRun(deps, call, { kind, plan, serving, heldMoney: held });
    calling.recordAnswer(attempted);
    if (leavesFor !== undefined) {
      calling.lifetime.isSent = true;
      calling.lifetime.signal.addEventListener("abort", () => leavesFor.ended());
      client.disconnect();
    }
    await deliver(calling, attempted);
  };
  const delivered = run();
  return { client, events, ends, over: delivered };
}

async function streamed(vendor: FakeAnswer): Promise<AcceptedAnswer> {
  return {
    kind: "stream",
    exchange,
    firstByteAt: 0,
    reader,
    bufferedStream: await BufferedStream.open(vendor, reader),
  };
}

test("a stream's seat is released and its hold settled before the client has the last byte", async () => {
  const vendor = new FakeAnswer().sends(frame("a"), used, done);
  const { client, events, ends, over } = begin(await streamed(vendor));
  await over;
  expect(events).toEqual([
    "the answer of vendor/k is shown",
    "the seat is free",
    "settled",
    "the client has its last byte",
  ]);
  expect(ends).toMatchObject([
    { units: { requests: 1, inputTokens: 3, outputTokens: 4 }, estimated: false, callStatus: "completed", status: 200 },
  ]);
  expect(client.headers).toMatchObject({ "x-modelgate-dropped": "seed" });
});

test("a stream that begins with a heartbeat has its cost in a trailer", async () => {
  const client = new FakeClient();
  const waiting = { contentType: "text/event-stream", heartbeat: ": wait\n\n", fail: () => "" };
  {
    using _beating = sendHeartbeats(client, waiting, 1);
    await vi.waitFor(() => expect(client.isHeadSent).toBe(true), 60_000);
  }
  const { over } = begin(await streamed(new FakeAnswer().sends(frame("a"), used, done)), { client });
  await over;
  expect(client.trailers).toEqual({ "x-modelgate-cost": "0.00" });
});

test("a stream ends when its balance is used up, and is settled as completed at the counted usage", async () => {
  const vendor = new FakeAnswer().sends(frame("a"));
  const { client, ends, over } = begin(await streamed(vendor), { pays: false, stepTokens: 64 });
  vendor.sends(...Array.from({ length: 40 }, () => frame("many words of an answer that goes on and on")));
  await over;
  expect(vendor.aborted).toBe(true);
  expect(client.text).toContain('"finish_reason":"length"');
  expect(ends).toMatchObject([{ callStatus: "completed", status: 200, estimated: true }]);
  expect(ends[0]?.units.outputTokens).toBeLessThanOrEqual(64);
});

test("a client that disconnects in the middle of a stream stops its vendor and is charged for the received part", async () => {
  const vendor = new FakeAnswer().sends(frame("one two three"));
  const { client, events, ends, over } = begin(await streamed(vendor));
  client.disconnect();
  await over;
  expect(vendor.aborted).toBe(true);
  expect(ends).toMatchObject([{ callStatus: "cancelled", estimated: true, units: { outputTokens: 3 } }]);
  expect(events).toEqual(["the client has left", "the seat is free", "settled"]);
});

test("a client that disconnects before the first output is charged for its input", async () => {
  const vendor = new FakeAnswer().sends('data: {"choices":[]}\n\n');
  const { client, ends, over } = begin(await streamed(vendor));
  client.disconnect();
  await over;
  expect(vendor.aborted).toBe(true);
  const { floorUnits } = expectText(size, model, 1, 2_048);
  expect(floorUnits.inputTokens).toBeGreaterThan(0);
  expect(ends).toMatchObject([{ callStatus: "cancelled", estimated: true, units: floorUnits }]);
});

test("a stream that breaks ends with the wire's error, counts against its channel, and is charged for the received part", async () => {
  const vendor = new FakeAnswer().sends(frame("one two three"));
  const { client, events, ends, over } = begin(await streamed(vendor));
  vendor.breaks();
  await over;
  expect(client.text).toContain('"code":"upstream_error"');
  expect(events).toContain("the channel broke: upstream_error");
  expect(ends).toMatchObject([{ callStatus: "failed", status: 200 }]);
});

describe("a stream that ends before its answer, which the vendor generates in the background", () => {
  const long = Array.from({ length: 40 }, () => frame("many words of an answer that goes on and on"));
  const run = {
    id: "run-1",
    lastEvent: undefined,
    hasEnded: false,
    read: () => true,
    resume: () => false,
    usageOf: () => ({ inputTokens: 3, outputTokens: 90 }),
  };

  async function inBackground(vendor: FakeAnswer): Promise<AcceptedAnswer> {
    const ofRun = { ...reader, run };
    return {
      kind: "stream",
      exchange,
      firstByteAt: 0,
      reader: ofRun,
      bufferedStream: await BufferedStream.open(vendor, ofRun),
    };
  }

  test.each([
    ["it breaks", {}, (vendor: FakeAnswer) => vendor.breaks(), '"code":"upstream_error"', "failed"],
    [
      "its hold is used up",
      { pays: false, stepTokens: 64 },
      (vendor: FakeAnswer) => vendor.sends(...long),
      '"finish_reason":"length"',
      "completed",
    ],
  ])("is settled once, at the usage of the cancelled answer: %s", async (_, how, then, last, callStatus) => {
    const cancelled = Promise.withResolvers<UpstreamAnswer>();
    const sent: string[] = [];
    const send: Transport["send"] = ({ method, url }) => {
      sent.push(`${method} ${url.pathname}`);
      return cancelled.promise;
    };
    const vendor = new FakeAnswer().sends(frame("one two three"));
    const { client, ends, over } = begin(await inBackground(vendor), { ...how, send });
    then(vendor);
    await client.has(last);
    expect([client.ended, ends]).toEqual([true, []]);
    cancelled.resolve(new FakeAnswer("application/json").sends("{}").ends());
    await over;
    expect(sent).toEqual(["POST /runs/run-1/cancel"]);
    expect(ends).toMatchObject([
      { units: { requests: 1, inputTokens: 3, outputTokens: 90 }, estimated: false, callStatus, status: 200 },
    ]);
  });

  test("is settled at the received part after the time limit of a cancellation that hangs", async () => {
    const limit = new AbortController();
    using timeout = vi.spyOn(AbortSignal, "timeout").mockReturnValueOnce(limit.signal);
    const send: Transport["send"] = (_, signal) =>
      new Promise((__, reject) => signal.addEventListener("abort", () => reject(new Error("aborted"))));
    const vendor = new FakeAnswer().sends(frame("one two three"));
    const { client, ends, over } = begin(await inBackground(vendor), { send });
    vendor.breaks();
    await client.has('"code":"upstream_error"');
    expect([timeout.mock.calls, ends]).toEqual([[[5_000]], []]);
    limit.abort();
    await over;
    expect(ends).toMatchObject([{ units: { outputTokens: 3 }, estimated: true, callStatus: "failed", status: 200 }]);
  });
});

test("a stream whose client had disconnected before it began is read to its end, and settled as 499", async () => {
  const client = new FakeClient();
  client.disconnect();
  const vendor = new FakeAnswer().sends(frame("a"), used, done);
  const { ends, over } = begin(await streamed(vendor), { client });
  await over;
  expect(client.text).toBe("");
  expect(ends).toMatchObject([
    { units: { requests: 1, inputTokens: 3, outputTokens: 4 }, estimated: false, callStatus: "cancelled", status: 499 },
  ]);
});

const answer: CompleteAnswer = { body: Buffer.from("{}"), usage: { inputTokens: 3, outputTokens: 4 }, text: () => "" };

test("a complete answer is settled before the client has it", async () => {
  const { client, events, ends, over } = begin({ kind: "complete", exchange, firstByteAt: 0, answer });
  await over;
  expect(events).toEqual([
    "the seat is free",
    "settled",
    "the answer of vendor/k is shown",
    "the client has its last byte",
  ]);
  expect([client.status, client.text, client.headers["content-length"]]).toEqual([200, "{}", "2"]);
  expect(ends).toMatchObject([{ callStatus: "completed", status: 200, estimated: false }]);
});

test("a complete answer that is useless to the client is paid, and does not count against its channel", async () => {
  const failure = new Failure("compaction_failed");
  const useless: AcceptedAnswer = { kind: "complete", exchange, firstByteAt: 0, answer: { ...answer, failure } };
  const { client, events, ends, over } = begin(useless);
  await expect(over).rejects.toBe(failure);
  expect(events).toEqual(["the seat is free", "settled"]);
  expect([client.isHeadSent, client.headers["x-modelgate-cost"]]).toEqual([false, "0.00"]);
  expect(ends).toMatchObject([{ callStatus: "failed", status: 502, units: { outputTokens: 4 } }]);
});

test("a large answer counts as memory of its caller until the client has it, also above the limit", async () => {
  const budget = new BufferBudget(1_000);
  const counted: number[] = [];
  const client = new (class extends FakeClient {
    override end(last: Buffer): void {
      counted.push(budget.usedBytes);
      super.end(last);
    }
  })();
  const large = { ...answer, body: Buffer.alloc(2 * 1024 * 1024) };
  await begin({ kind: "complete", exchange, firstByteAt: 0, answer: large }, { client, budget }).over;
  expect(counted).toEqual([large.body.length]);
  expect(budget.usedBytes).toBe(0);
});

test("a complete answer whose client has disconnected is settled as 499 and not sent", async () => {
  const client = new FakeClient();
  client.disconnect();
  const { ends, over } = begin({ kind: "complete", exchange, firstByteAt: 0, answer }, { client });
  await over;
  expect([client.isHeadSent, client.text]).toEqual([false, ""]);
  expect(ends).toMatchObject([{ callStatus: "cancelled", status: 499, units: { outputTokens: 4 } }]);
});

test("a task is polled until it ends; a failure before the first byte is thrown", async () => {
  const task = { finish: () => Promise.resolve(answer) };
  const { client, over } = begin({ kind: "task", exchange, firstByteAt: 0, task });
  await over;
  expect([client.status, client.text]).toEqual([200, "{}"]);
  const failing = { finish: () => Promise.reject(new Failure("upstream_error", "The task failed.")) };
  const failed = begin({ kind: "task", exchange, firstByteAt: 0, task: failing });
  await expect(failed.over).rejects.toMatchObject({ code: "upstream_error", message: "The task failed." });
  expect([failed.client.isHeadSent, failed.events, failed.ends]).toEqual([
    false,
    ["the channel broke: upstream_error"],
    [],
  ]);
});

test.each([
  ["what came", [frame("one two three")], { outputTokens: 3 }],
  ["the certain part, if nothing was received", [frame("")], { inputTokens: 3 }],
])(
  "a detached stream that reaches its time limit costs %s, and does not affect its channel; its seat and slot are free before",
  async (_, pieces, units) => {
    const vendor = new FakeAnswer().sends(...pieces);
    const accepted = await streamed(vendor);
    const { client, events, ends, over } = begin(accepted, { leavesFor: { ms: 1, ended: () => vendor.breaks() } });
    await over;
    expect(client.text).toBe("");
    expect(ends).toMatchObject([{ callStatus: "cancelled", status: 499, estimated: true, units }]);
    expect(events).toEqual(["the client has left", "the seat is free", "settled"]);
  },
);

describe("a task's further requests to its vendor", () => {
  function further(ask: (vendor: VendorLink) => Promise<Buffer>, send: Transport["send"]) {
    const finish = async (vendor: VendorLink): Promise<CompleteAnswer> => ({ ...answer, body: await ask(vendor) });
    return begin({ kind: "task", exchange, firstByteAt: 0, task: { finish } }, { send });
  }
  const sending = async (vendor: VendorLink): Promise<Buffer> => (await vendor.send(Buffer.from('{"n":1}'))).bytes;

  test.each([
    [
      "are sent as the first, with the client's headers and the channel's members",
      sending,
      'POST /chat/completions {"n":1,"user":"ours"} 1',
    ],
    ["poll the task", (vendor: VendorLink) => vendor.poll("task-1"), "POST /tasks/task-1 {} undefined"],
  ])("%s, with the same key", async (_, ask, expected) => {
    const received: string[] = [];
    const { client, over } = further(ask, ({ method, url, headers, body }) => {
      expect(headers).toMatchObject({ authorization: "Bearer s" });
      received.push(
        `${method} ${url.pathname} ${Buffer.isBuffer(body) ? body.toString() : "none"} ${headers["x-of-client"]}`,
      );
      return Promise.resolve(new FakeAnswer("application/json").sends('{"of":"vendor"}').ends());
    });
    await over;
    expect([client.text, received]).toEqual(['{"of":"vendor"}', [expected]]);
  });

  test.each([
    ["that the vendor refuses", 429, "upstream_rate_limited", []],
    ["that the vendor fails at", 500, "upstream_error", ["the channel broke: upstream_error"]],
    ["that do not reach the vendor", undefined, "upstream_error", ["the channel broke: upstream_error"]],
  ])("%s end the call; its failures count against the channel", async (_, status, code, broken) => {
    const { events, ends, over } = further(sending, () =>
      status === undefined
        ? Promise.reject(new Error("reset"))
        : Promise.resolve(new FakeAnswer("application/json", status).sends("{}").ends()),
    );
    await expect(over).rejects.toMatchObject({ code });
    expect([events, ends]).toEqual([broken, []]);
  });
});

test("a job takes over the call's hold, and its record is the answer", async () => {
  const store = (held: JobMoney): Promise<Buffer> => {
    held.handOver();
    return Promise.resolve(Buffer.from('{"id":"job"}'));
  };
  const { client, events, ends, over } = begin({ kind: "job", exchange, firstByteAt: 0, job: { store } });
  await over;
  expect([client.status, client.text, ends]).toEqual([200, '{"id":"job"}', []]);
  expect(events).toEqual(["handed over", "the seat is free", "the client has its last byte"]);
});

test("a job that cannot be stored throws; a job whose call has ended in the meantime is stored without an answer", async () => {
  const lost = { store: () => Promise.reject(new Failure("create_uncertain")) };
  const failed = begin({ kind: "job", exchange, firstByteAt: 0, job: lost });
  await expect(failed.over).rejects.toMatchObject({ code: "create_uncertain" });
  expect(failed.client.isHeadSent).toBe(false);
  const client = new FakeClient();
  const stored = {
    store() {
      client.begin(503, {});
      return Promise.resolve(Buffer.from("{}"));
    },
  };
  await begin({ kind: "job", exchange, firstByteAt: 0, job: stored }, { client }).over;
  expect([client.status, client.text, client.ended]).toEqual([503, "", false]);
});

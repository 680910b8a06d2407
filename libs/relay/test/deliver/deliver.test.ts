import { expect, test } from "vitest";
import { compilePrice, Failure } from "@modelgate/contracts";
import type { WireRoute } from "@modelgate/channels";
import { providers } from "@modelgate/providers";
import { beginsIn } from "@modelgate/wires/sse";
import { wires } from "@modelgate/wires/text";
import type { Exchange, WholeAnswer } from "../../src/answers/exchange.ts";
import { HeldStream } from "../../src/answers/held-stream.ts";
import { PassTranslator } from "../../src/answers/pass-translator.ts";
import type { StreamAnswerReader } from "../../src/answers/stream-reader.ts";
import type { Accepted } from "../../src/call-run.ts";
import { CallRun } from "../../src/call-run.ts";
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
};
const provider = providers["openai"];
if (provider === undefined) throw new Error("there is no such provider");
const key = { id: "k", secret: "s" };
const route: WireRoute = { candidate: { channel, upstreamModel: "m" }, key, provider, wire: "chat" };
const reader: StreamAnswerReader = {
  kind: "stream",
  framing: chat.framing,
  begins: (first) => beginsIn(chat, first),
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
  streams: true,
  dropped: ["seed"],
  read: () => reader,
};

/** What happens to an answer on its way, in its order. */
interface Delivered {
  readonly client: FakeClient;
  readonly events: string[];
  readonly ends: Outcome[];
  readonly over: Promise<void>;
}

/** Delivers an answer; `pays` says whether the account can pay for a further step of the stream. */
function begin(
  accepted: Accepted,
  how: {
    readonly client?: FakeClient;
    readonly pays?: boolean;
    readonly stepTokens?: number;
    heartbeatMs?: number;
  } = {},
): Delivered {
  const { client = new FakeClient(), pays = true, stepTokens = 2_048, heartbeatMs = 60_000 } = how;
  const events: string[] = [];
  const ends: Outcome[] = [];
  client.watch({ closed: (whole) => void events.push(whole ? "the client has its last byte" : "the client has left") });
  const plan: Plan = {
    cost: { by: "text", body: Buffer.from("Hello, world"), size, stream: accepted.kind === "stream" },
    wires: ["chat"],
  };
  const kind: CallKind<unknown> = {
    plan: () => plan,
    exchange: () => exchange,
    answered: (_, { channelKey }) => void events.push(`the answer of ${channelKey} is shown`),
  };
  const serving = { model, multiplier: 1, unpriced: "refuse" } as const;
  const output = { first: stepTokens, step: stepTokens, most: Infinity };
  const attempted = {
    accepted,
    route,
    attempts: 1,
    tried: [{ channel: "vendor", key: "key", ms: 1 }],
    broke: (reason: string) => void events.push(`the channel broke: ${reason}`),
    [Symbol.dispose]: () => void (events.includes("the seat is free") || events.push("the seat is free")),
  };
  const held = {
    callId: "c",
    expected: { ...expectText(size, model, 1, stepTokens), ...(accepted.kind === "stream" ? { output } : {}) },
    heldAt: 0,
    chargedNanos: 0n,
    costOf: () => 0n,
    extend: () => (pays ? Promise.resolve(true) : Promise.reject(new Failure("insufficient_quota"))),
    certain: undefined,
    settle(end: Outcome) {
      events.push("settled");
      ends.push(end);
      return Promise.resolve();
    },
  };
  const run = async (): Promise<void> => {
    const call = callOf(client);
    using calling = new CallRun(runDeps({ stepTokens, heartbeatMs }), call, { kind, plan, serving, held });
    calling.answered(attempted);
    await deliver(calling, attempted);
  };
  const over = run();
  return { client, events, ends, over };
}

async function streamed(vendor: FakeAnswer): Promise<Accepted> {
  return { kind: "stream", exchange, firstByteAt: 0, reader, held: await HeldStream.open(vendor, reader) };
}

test("a stream's seat is free and its money settled before the client has the last byte", async () => {
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
    { units: { requests: 1, inputTokens: 3, outputTokens: 4 }, estimated: false, ended: "completed", status: 200 },
  ]);
  expect(client.headers).toMatchObject({ "x-modelgate-dropped": "seed" });
});

test("a stream is ended where its money ends, and settled as completed at the counted usage", async () => {
  const vendor = new FakeAnswer().sends(frame("a"));
  const { client, ends, over } = begin(await streamed(vendor), { pays: false, stepTokens: 64 });
  vendor.sends(...Array.from({ length: 40 }, () => frame("many words of an answer that goes on and on")));
  await over;
  expect(vendor.aborted).toBe(true);
  expect(client.text).toContain('"finish_reason":"length"');
  expect(ends).toMatchObject([{ ended: "completed", status: 200, estimated: true }]);
  expect(ends[0]?.units.outputTokens).toBeLessThanOrEqual(64);
});

test("a client that disconnects in the middle of a stream stops its vendor and is charged for the received part", async () => {
  const vendor = new FakeAnswer().sends(frame("one two three"));
  const { client, ends, over } = begin(await streamed(vendor));
  client.leave();
  await over;
  expect(vendor.aborted).toBe(true);
  expect(ends).toMatchObject([{ ended: "cancelled", estimated: true, units: { outputTokens: 3 } }]);
});

test("a stream that breaks ends with the wire's error, counts against its channel, and is charged for the received part", async () => {
  const vendor = new FakeAnswer().sends(frame("one two three"));
  const { client, events, ends, over } = begin(await streamed(vendor));
  vendor.breaks();
  await over;
  expect(client.text).toContain('"code":"upstream_error"');
  expect(events).toContain("the channel broke: upstream_error");
  expect(ends).toMatchObject([{ ended: "failed", status: 200 }]);
});

test("a stream whose client had left before it began is read to its end, and settled as 499", async () => {
  const client = new FakeClient();
  client.leave();
  const vendor = new FakeAnswer().sends(frame("a"), used, done);
  const { ends, over } = begin(await streamed(vendor), { client });
  await over;
  expect(client.text).toBe("");
  expect(ends).toMatchObject([
    { units: { requests: 1, inputTokens: 3, outputTokens: 4 }, estimated: false, ended: "cancelled", status: 499 },
  ]);
});

const answer: WholeAnswer = { body: Buffer.from("{}"), usage: { inputTokens: 3, outputTokens: 4 }, words: () => "" };

test("a complete answer is settled before the client has it", async () => {
  const { client, events, ends, over } = begin({ kind: "whole", exchange, firstByteAt: 0, answer });
  await over;
  expect(events).toEqual([
    "the seat is free",
    "settled",
    "the answer of vendor/k is shown",
    "the client has its last byte",
  ]);
  expect([client.status, client.text, client.headers["content-length"]]).toEqual([200, "{}", "2"]);
  expect(ends).toMatchObject([{ ended: "completed", status: 200, estimated: false }]);
});

test("a complete answer whose client has disconnected is settled as 499 and not sent", async () => {
  const client = new FakeClient();
  client.leave();
  const { ends, over } = begin({ kind: "whole", exchange, firstByteAt: 0, answer }, { client });
  await over;
  expect([client.begun, client.text]).toEqual([false, ""]);
  expect(ends).toMatchObject([{ ended: "cancelled", status: 499, units: { outputTokens: 4 } }]);
});

test("a task is finished with its vendor, and one that fails before a byte left throws what the client is answered", async () => {
  const task = { finish: () => Promise.resolve(answer) };
  const { client, over } = begin({ kind: "task", exchange, firstByteAt: 0, task });
  await over;
  expect([client.status, client.text]).toEqual([200, "{}"]);
  const failing = { finish: () => Promise.reject(new Failure("upstream_error", "The task failed.")) };
  const failed = begin({ kind: "task", exchange, firstByteAt: 0, task: failing });
  await expect(failed.over).rejects.toMatchObject({ code: "upstream_error", message: "The task failed." });
  expect([failed.client.begun, failed.events, failed.ends]).toEqual([false, ["the channel broke: upstream_error"], []]);
});

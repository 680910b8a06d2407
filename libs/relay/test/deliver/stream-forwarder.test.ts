import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Failure } from "@modelgate/contracts";
import { isStreamStart, type Frame } from "@modelgate/formats/sse";
import { wires } from "@modelgate/wires/text";
import { BufferedStream } from "../../src/answers/buffered-stream.ts";
import { PassTranslator } from "../../src/answers/pass-translator.ts";
import { StreamForwarder, type StreamEnd, type StreamOwner } from "../../src/deliver/stream-forwarder.ts";
import { Allowance } from "../../src/money/allowance.ts";
import { Meter } from "../../src/money/meter.ts";
import { countTokens } from "../../src/money/tokenizer.ts";
import { FakeAnswer, FakeClient } from "../fakes.ts";

const { chat } = wires;
const frame = (content: string): string => `data: {"choices":[{"index":0,"delta":{"content":"${content}"}}]}\n\n`;
const error = 'data: {"error":{"message":"no"}}\n\n';
const finish = 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n';
const done = "data: [DONE]\n\n";
const reader = { framing: chat.framing, isFirstFrame: (first: Frame) => isStreamStart(chat, first) };

interface Passing {
  readonly vendor: FakeAnswer;
  readonly client: FakeClient;
  readonly meter: Meter;
  readonly ended: Promise<StreamEnd>;
}

/** Starts to forward the stream of a vendor, which has sent the beginning. */
async function begin(
  vendor: FakeAnswer,
  {
    paid,
    read,
    heartbeatMs = 60_000,
    gatherMs = 0,
    maxBytes,
    meter = new Meter(),
  }: {
    read?: PassTranslator["read"];
    paid?: Pick<StreamOwner, "allowance" | "meterEndedEarly">;
    heartbeatMs?: number;
    gatherMs?: number;
    maxBytes?: number;
    meter?: Meter;
  } = {},
): Promise<Passing> {
  const client = new FakeClient();
  const held = await BufferedStream.open(vendor, reader);
  const early = paid === undefined ? undefined : chat.pass.earlyEnd?.({ choices: 1, includeUsage: false });
  const translator = new PassTranslator({ pass: chat.pass, mode: "bytes", early });
  if (read !== undefined) translator.read = read;
  meter.textExtractor = translator;
  const { ended } = new StreamForwarder({
    sink: client,
    source: held,
    reader,
    translator,
    meter,
    ending: client.ending,
    requestId: "r",
    heartbeatMs,
    gatherMs,
    maxBytes,
    owner: paid && { ...paid, timer: { recordChunk: () => undefined }, onVendorEnd: () => undefined },
  });
  return { vendor, client, meter, ended };
}

describe("a stream that cannot begin an answer", () => {
  test.each([
    ["an error in several chunks", [error.slice(0, 20), error.slice(20)]],
    ["an error after a comment", [`: hello\n\n${error}`]],
    ["an error after a comment in another chunk", [": hello\n\n", error]],
    ["an error with data after it", [`${error}${done}`]],
    ["an event of another form", ['data: {"choices":"nope"}\n\n']],
    ["an event that is not JSON", ["data: nope\n\n"]],
    ["only the terminal frame", [done]],
  ])("fails before the client's head is committed: %s", async (_, pieces) => {
    const vendor = new FakeAnswer().sends(...pieces);
    await expect(BufferedStream.open(vendor, reader)).rejects.toMatchObject({ code: "upstream_error" });
    expect(vendor.aborted).toBe(true);
  });

  test("fails if it ends or breaks before its first event", async () => {
    await expect(BufferedStream.open(new FakeAnswer().ends(), reader)).rejects.toMatchObject({
      code: "upstream_error",
    });
    await expect(BufferedStream.open(new FakeAnswer().breaks(), reader)).rejects.toBeInstanceOf(Failure);
    const onlyComments = new FakeAnswer().sends(": hello\n\n").ends();
    await expect(BufferedStream.open(onlyComments, reader)).rejects.toMatchObject({ code: "upstream_error" });
  });
});

test.each([
  ["resets its connection", (vendor: FakeAnswer) => vendor.breaks()],
  ["never closes", (vendor: FakeAnswer) => vendor],
])("a vendor that %s after its terminal frame has answered completely", async (_, then) => {
  const { client, ended, vendor } = await begin(new FakeAnswer().sends(frame("a"), done));
  then(vendor);
  expect(await ended).toEqual({ callStatus: "completed" });
  expect([client.text, client.ended]).toEqual([`${frame("a")}${done}`, true]);
});

test("frames pass unchanged, for any chunks", async () => {
  const stream = `${frame("a")}: hi\r\n\r\n${frame("b")}${done}`;
  const [first, rest] = [stream.slice(0, 80), stream.slice(80)];
  const { client, ended, meter, vendor } = await begin(new FakeAnswer().sends(first));
  vendor.sends(...rest.split(""));
  expect(await ended).toEqual({ callStatus: "completed" });
  expect(client.text).toBe(stream);
  expect(await meter.countOutputTokens()).toBeGreaterThan(0);
});

const usage = 'data: {"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2}}\n\n';

test.each([
  ["only output", [frame("a"), `${frame("b")}${frame("c")}`], { text: "abc", end: "completed" }],
  [
    "a report of usage",
    [frame("a"), `${frame("b")}${usage}${frame("c")}`],
    { text: "abc", end: "completed", tokens: 2 },
  ],
  ["the end of a choice", [frame("a"), `${frame("b")}${finish}${frame("c")}`], { text: "abc", end: "completed" }],
  ["a failure", [frame("a"), `${frame("b")}${error}`], { text: "ab", end: "failed" }],
  [
    "part of a frame",
    [frame("a"), frame("b") + frame("c").slice(0, 30), frame("c").slice(30)],
    { text: "abc", end: "completed" },
  ],
] satisfies [string, string[], { text: string; end: string; tokens?: number }][])(
  "a chunk of several frames is read like its frames: %s",
  async (_, chunks, expected: { readonly text: string; readonly end: string; readonly tokens?: number }) => {
    const texts: string[] = [];
    for (const pieces of [chunks, chunks.join("").split(/(?<=\n\n)/)]) {
      const [first = "", ...others] = pieces;
      const { client, meter, ended, vendor } = await begin(new FakeAnswer().sends(first));
      vendor.sends(...others, done);
      texts.push(client.text);
      expect((await ended).callStatus).toBe(expected.end);
      expect(meter.usage?.outputTokens).toBe(expected.tokens);
      expect(await meter.countOutputTokens()).toBe(await countTokens(expected.text));
    }
    expect(texts[0]).toBe(texts[1]);
  },
);

test("a chunk whose frame cannot be read is not sent", async () => {
  const read = (): never => {
    throw new Error("of another form");
  };
  const { client, ended } = await begin(new FakeAnswer().sends(`${finish}${frame("a")}`), { read });
  expect(await ended).toMatchObject({ callStatus: "failed", failure: { code: "upstream_error" } });
  expect(client.text).not.toContain("choices");
});

test.each([
  ["after content is charged", ['event: content_block_start\ndata: {"type":"content_block_start"}\n\n'], 25],
  ["before any content is free", [], 0],
])("a refusal %s", (_, content, inputTokens) => {
  const start = 'data: {"type":"message_start","message":{"usage":{"input_tokens":25,"output_tokens":0}}}\n\n';
  const end = 'data: {"type":"message_delta","delta":{"stop_reason":"refusal"},"usage":{"output_tokens":0}}\n\n';
  const translator = new PassTranslator({ pass: wires.messages.pass, mode: "bytes" });
  const usages = [start, ...content, end].map((each) => translator.read(Buffer.from(each)).usage);
  expect(usages.at(-1)).toEqual({ inputTokens, outputTokens: 0 });
});

test("a client of the vendor's wire gets the vendor's failure with its code, without addresses", () => {
  const response = { id: "r", status: "failed", error: { code: "rate_limit_exceeded", message: "Ask 10.0.0.7." } };
  const event = { type: "response.failed", sequence_number: 3, response };
  const vendorFrame = `event: response.failed\ndata: ${JSON.stringify(event)}\n\n`;
  const translator = new PassTranslator({ pass: wires.responses.pass, mode: "bytes" });
  const { failure = new Failure("internal_error") } = translator.read(Buffer.from(vendorFrame));
  expect(failure.code).toBe("upstream_error");
  expect(translator.fail(failure, "r")).toBe(
    vendorFrame.replace("Ask 10.0.0.7.", "The vendor failed in the middle of its answer: Ask [address]."),
  );
});

test.each([
  [`${frame("b")}${frame("c")}`, `${frame("b")}${frame("c")}`],
  [`${frame("b")}: keep-alive\n\n${frame("c")}${finish}${done}`, `${frame("b")}: keep-alive\n\n${frame("c")}`],
  [`${frame("b")}${frame("c").slice(0, 30)}`, frame("b")],
  [frame("b") + error, frame("b")],
  [frame("b").slice(0, -1), undefined],
  [finish + frame("b"), undefined],
  [frame("b").replaceAll("\n", "\r\n"), undefined],
])("of %j, %j is read together", (chunk, together) => {
  const translator = new PassTranslator({ pass: chat.pass, mode: "bytes" });
  expect(translator.readOutput(Buffer.from(chunk))).toBeUndefined(); // the first frame is read alone
  translator.read(Buffer.from(frame("a")));
  expect(translator.readOutput(Buffer.from(chunk))?.bytes.toString()).toBe(together);
});

test("a slow client pauses the vendor until it has caught up", async () => {
  const { client, vendor, ended } = await begin(new FakeAnswer().sends(frame("a")));
  client.isFull = true;
  vendor.sends(frame("b"));
  expect(vendor.paused).toBe(true);
  client.drain();
  expect(vendor.paused).toBe(false);
  vendor.sends(done);
  await ended;
});

describe("a vendor that writes in a burst", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
  afterEach(() => void vi.useRealTimers());

  test("is paused briefly, then read further", async () => {
    const { client, vendor, ended } = await begin(new FakeAnswer().sends(frame("a")), { gatherMs: 2 });
    expect([client.text, vendor.paused]).toEqual([frame("a"), false]);
    vi.advanceTimersByTime(1);
    vendor.sends(frame("b"));
    expect([client.text, vendor.paused]).toEqual([frame("a") + frame("b"), true]);
    vi.advanceTimersByTime(2);
    expect(vendor.paused).toBe(false);
    vi.advanceTimersByTime(2);
    vendor.sends(frame("c"));
    expect(vendor.paused).toBe(false);
    vendor.sends(done);
    expect(await ended).toEqual({ callStatus: "completed" });
  });

  test("stays paused while its client is slow", async () => {
    const { client, vendor, ended } = await begin(new FakeAnswer().sends(frame("a")), { gatherMs: 2 });
    client.isFull = true;
    vendor.sends(frame("b"));
    vi.advanceTimersByTime(10);
    expect(vendor.paused).toBe(true);
    client.drain();
    expect(vendor.paused).toBe(false);
    vendor.sends(done);
    await ended;
  });
});

test("a silent stream sends heartbeats, except to a slow client", async () => {
  const { client, vendor, ended } = await begin(new FakeAnswer().sends(frame("a")), { heartbeatMs: 2 });
  await client.has(": keep-alive");
  vendor.sends(done);
  await ended;
  expect(client.text.startsWith(frame("a"))).toBe(true);
});

test("a client that disconnects stops the vendor", async () => {
  const { client, vendor, ended } = await begin(new FakeAnswer().sends(frame("a")));
  client.disconnect();
  expect(vendor.aborted).toBe(true);
  expect(await ended).toEqual({ callStatus: "cancelled" });
});

test.each([
  ["breaks", (vendor: FakeAnswer) => vendor.breaks()],
  ["ends without its terminal frame", (vendor: FakeAnswer) => vendor.ends()],
  ["reports an error", (vendor: FakeAnswer) => vendor.sends(error)],
])("a stream that %s after its first byte ends with the wire's error", async (_, fails) => {
  const { client, vendor, ended } = await begin(new FakeAnswer().sends(frame("a")));
  fails(vendor);
  expect(await ended).toMatchObject({ callStatus: "failed", failure: { code: "upstream_error" } });
  expect(client.text).toMatch(/^data: .*"a".*\n\ndata: .*"code":"upstream_error"/);
  expect(client.ended).toBe(true);
});

test("a stream above its maximum bytes fails, and its vendor is stopped", async () => {
  const { vendor, ended } = await begin(new FakeAnswer().sends(frame("a")), { maxBytes: 200 });
  vendor.sends(frame("b".repeat(200)));
  expect(await ended).toMatchObject({ callStatus: "failed" });
  expect(vendor.aborted).toBe(true);
});

describe("a stream whose hold is used up", () => {
  /**
   * Creates an allowance that covers this many frames. Each extension calls `more`, which may refuse it. Extensions
   * wait until `answer` is called.
   */
  function paysFor(frames: number, more: () => Failure | undefined) {
    let remaining = frames;
    const extending = Promise.withResolvers<void>();
    const answered = Promise.withResolvers<void>();
    const paid: Pick<StreamOwner, "allowance" | "meterEndedEarly"> = {
      allowance: {
        covers: () => remaining-- > 0,
        admits: () => false,
        async extend() {
          extending.resolve();
          await answered.promise;
          const refused = more();
          remaining = refused === undefined ? 1 : 0;
          return refused;
        },
      },
      meterEndedEarly: async () => ({ units: { outputTokens: 2 }, estimated: true }),
    };
    return { paid, extending: extending.promise, answer: () => answered.resolve() };
  }
  const completeStream = `${frame("a")}${frame("b")}${frame("c")}${done}`;

  test("waits with its vendor paused, and passes its frames in order when the hold is extended", async () => {
    const money = paysFor(1, () => undefined);
    const { client, vendor, ended } = await begin(new FakeAnswer().sends(completeStream), money);
    await money.extending;
    expect([client.text, vendor.paused]).toEqual([frame("a"), true]);
    // The vendor's stream ends while its frames wait.
    vendor.ends();
    money.answer();
    expect(await ended).toEqual({ callStatus: "completed" });
    expect(client.text).toBe(completeStream);
  });

  test("passes the covered frames of a chunk that has only output", async () => {
    const meter = new Meter();
    const answered = Promise.withResolvers<boolean>();
    // Each text is one token.
    const output = { first: 2, step: 2, max: Infinity };
    const allowance = new Allowance({ output, meter, extend: () => answered.promise });
    const paid = { allowance, meterEndedEarly: async () => ({ units: {}, estimated: true }) };
    const { client, vendor, ended } = await begin(new FakeAnswer().sends(frame("aa")), { paid, meter });
    vendor.sends(`${frame("bb")}${frame("cc")}`);
    expect([client.text, vendor.paused]).toEqual([`${frame("aa")}${frame("bb")}`, true]);
    answered.resolve(true);
    vendor.sends(done);
    expect(await ended).toEqual({ callStatus: "completed" });
    expect(client.text).toBe(`${frame("aa")}${frame("bb")}${frame("cc")}${done}`);
  });

  test("ends like at its maximum tokens if the extension is refused, and no waiting frame passes", async () => {
    const money = paysFor(2, () => new Failure("insufficient_quota"));
    const { client, vendor, ended } = await begin(new FakeAnswer().sends(completeStream), money);
    money.answer();
    expect(await ended).toEqual({ callStatus: "completed" });
    expect(client.text.startsWith(frame("a") + frame("b"))).toBe(true);
    expect(client.text).not.toContain('"c"');
    expect(client.text).toContain('"finish_reason":"length"');
    expect(client.text.endsWith(done)).toBe(true);
    expect(vendor.aborted).toBe(true);
  });

  test.each([
    ["the store stays unavailable", 1, "server_overloaded"],
    ["nothing was sent yet", 0, "insufficient_quota"],
  ] as const)("ends with an error if %s", async (_, frames, code) => {
    const money = paysFor(frames, () => new Failure(code));
    const { client, ended } = await begin(new FakeAnswer().sends(completeStream), money);
    money.answer();
    expect(await ended).toMatchObject({ callStatus: "failed", failure: { code } });
    expect(client.text).toContain(`"code":"${code}"`);
  });
});

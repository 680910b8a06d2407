import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { until } from "@modelgate/testkit";
import type { Area } from "../../../libs/relay/test/area.ts";
import { openSession, startSessions } from "./start-sessions.ts";
import type { TestSession } from "./session-client.ts";
import { startRecordingVendor, type RecordingVendor } from "./recording-vendor.ts";

/** Balance of each test's account, and the held amount and the cost of a response, in nano-dollars. */
const [balance, slice, cost] = [300_000_000n, 100_000_000n, 15_000_000n];
const accounts = Array.from({ length: 16 }, (_, at) => ({
  name: `thirty-${at}`,
  key: `sk-thirty-${at}-0123456789abcdef`,
}));

let area: Area;
let vendor: RecordingVendor;
let account = { name: "", key: "" };
let sessions: TestSession[] = [];
beforeAll(async () => {
  vendor = await startRecordingVendor({ outputTokens: 150 });
  area = await startSessions({
    models: {
      // Audio output is free, so only the words of an answer cost money.
      live: { kind: "realtime", price: { output: 100, outputAudio: 0 } },
      listener: { kind: "realtime", price: { inputAudio: 32 } },
      reader: { kind: "realtime", price: { input: 1 } },
      writer: { kind: "transcription", price: { second: 0.01 } },
    },
    channels: [
      {
        id: "greedy",
        provider: "openai",
        baseUrl: vendor.url,
        keys: ["any"],
        models: ["live", "listener", "reader", "writer"],
      },
    ],
    accounts: Object.fromEntries(
      accounts.map(({ name, key }) => [name, { balance: "0.30", tokens: [{ key, group: "default" }] }]),
    ),
    limits: {
      realtime: {
        slice: { textTokens: 1_000, audioSeconds: 1 },
        sessions: { waitingResponses: 16, lastUsageMs: 3_000 },
      },
    },
  });
});
afterAll(async () => {
  await area?.[Symbol.asyncDispose]();
  await vendor?.[Symbol.asyncDispose]();
});
let tests = 0;
beforeEach(() => {
  account = accounts[tests++] ?? account;
});
afterEach(async () => {
  for (const { socket } of sessions) socket.close();
  sessions = [];
  await until("the vendor's sessions to end", async () => vendor.openSessions() === 0);
  vendor.reset();
});

async function opened(model = "live"): Promise<TestSession> {
  const session = await openSession(area, { model, key: account.key });
  sessions.push(session);
  return session;
}
const paid = () => area.account(account.name);
const held = async (): Promise<bigint> => (await paid()).heldNanos;
const codes = ({ texts }: TestSession): string[] =>
  texts.map((text) => JSON.parse(text)).flatMap(({ type, error }) => (type === "error" ? [error.code] : []));

test.each([
  { form: "in text", event: { type: "response.create" }, binary: false },
  { form: "in binary frames", event: { type: "response.create" }, binary: true },
  { form: "out of band", event: { type: "response.create", response: { conversation: "none" } }, binary: false },
  { form: "with the type spelt in escapes", event: '{"type":"response\\u002ecreate"}', binary: false },
])(
  "60 responses requested together $form are sent to the vendor only while money is held for them",
  async ({ event, binary }) => {
    const session = await opened();
    const text = typeof event === "string" ? event : JSON.stringify(event);
    for (let at = 0; at < 60; at++) session.socket.send(Buffer.from(text), { binary });
    await until("all money to be held", async () => (await held()) === balance);
    // 16 requests may wait, and up to three are sent.
    await until("the others to be refused", async () => codes(session).length >= 60 - 3 - 16);
    expect(new Set(codes(session))).toEqual(new Set(["rate_limit_exceeded"]));
    const paidFor = Number(balance / slice);
    await until("what is paid for to arrive", async () => vendor.count("response.create") >= paidFor);
    expect(vendor.count("response.create")).toBe(paidFor);

    vendor.setAnswering(true);
    // Each settlement releases the rest of its hold, until the balance is too low for the next one.
    expect(await session.closed).toEqual({ code: 1008, reason: "insufficient_quota" });
    const { balanceNanos, spentNanos } = await area.settled(account.name);
    const responses = vendor.count("response.create");
    expect(responses).toBeGreaterThan(3);
    expect(spentNanos).toBe(BigInt(responses) * cost);
    expect(balanceNanos).toBe(balance - BigInt(responses) * cost);
  },
);

test("waiting responses start when others have finished, and a cancellation does not wait behind them", async () => {
  const session = await opened();
  for (let at = 0; at < 5; at++) session.send({ type: "response.create" });
  session.send({ type: "conversation.item.delete", item_id: "last" });
  await until("all money to be held", async () => (await held()) === balance);
  // The last of them is sent after its money is held.
  await until("what is paid for to arrive", () => vendor.count("response.create") === 3);
  session.send({ type: "response.cancel", response_id: "resp_1" });
  await until("the end to arrive", async () => vendor.count("response.cancel") === 1);
  expect(vendor.types()).toEqual([...Array<string>(3).fill("response.create"), "response.cancel"]);
  vendor.setAnswering(true);
  await until("everything to arrive", async () => vendor.count("conversation.item.delete") === 1);
  expect(vendor.types().slice(4)).toEqual(["response.create", "response.create", "conversation.item.delete"]);
  session.socket.close();
  await area.settled(account.name);
  expect((await paid()).spentNanos).toBe(5n * cost);
});

test("money is held for responses that the vendor starts, and the session ends if the balance does not cover it", async () => {
  const session = await opened();
  vendor.beginResponses(4);
  expect((await session.next("error")).error).toMatchObject({ code: "insufficient_quota" });
  expect(await session.closed).toEqual({ code: 1008, reason: "insufficient_quota" });
  await until("every response to be ended", async () => vendor.count("response.cancel") === 4);
  vendor.setAnswering(true);
  await area.settled(account.name);
  expect((await paid()).spentNanos).toBe(4n * cost);
});

test("speech is transcribed only while money is held for it", async () => {
  const session = await opened();
  const input = { turn_detection: null, transcription: { model: "writer" } };
  session.send({ type: "session.update", session: { type: "realtime", audio: { input } } });
  const audio = Buffer.alloc(48_000, 1).toString("base64");
  for (let at = 0; at < 60; at++) {
    session.send({ type: "input_audio_buffer.append", audio });
    session.send({ type: "input_audio_buffer.commit" });
  }
  expect(await session.closed).toEqual({ code: 1008, reason: "insufficient_quota" });
  vendor.setAnswering(true);
  const turns = () => vendor.count("input_audio_buffer.commit");
  await until("every turn to be paid", async () => {
    const { spentNanos } = await paid();
    return turns() > 3 && spentNanos === BigInt(turns()) * 10_000_000n;
  });
  await area.settled(account.name);
  // After the slice of a response, $0.20 pay for at most 20 seconds.
  expect(turns()).toBeLessThanOrEqual(20);
  expect((await paid()).spentNanos).toBe(BigInt(turns()) * 10_000_000n);
});

test("the hold for a recording in one burst covers as many turns as the vendor may detect", async () => {
  const session = await opened("listener");
  const audio = Buffer.alloc(48_000, 1).toString("base64");
  for (let at = 0; at < 120; at++) session.send({ type: "input_audio_buffer.append", audio });
  expect(await session.closed).toEqual({ code: 1008, reason: "insufficient_quota" });
  // Turns of two seconds, each of which reads all earlier ones, must cost less than $0.30. The vendor may not have read
  // all of them when the session ends.
  await until("the seconds that were paid for", () => vendor.count("input_audio_buffer.append") > 10);
  expect(vendor.count("input_audio_buffer.append")).toBeLessThan(70);
  await area.settled(account.name);
});

/** Text that costs $0.31 to read. */
const long = "word ".repeat(248_000);
const message = { type: "message", role: "user", content: [{ type: "input_text", text: long }] };
test.each([
  { where: "its own instructions", events: [], response: { instructions: long } },
  { where: "its own tools", events: [], response: { tools: [{ type: "function", name: "f", description: long }] } },
  { where: "its own input", events: [], response: { conversation: "none", input: [message] } },
  {
    where: "the session's instructions",
    events: [{ type: "session.update", session: { type: "realtime", instructions: long } }],
    response: {},
  },
  { where: "an item", events: [{ type: "conversation.item.create", item: message }], response: {} },
])("a response whose input in $where exceeds the balance is not requested", async ({ events, response }) => {
  const session = await opened("reader");
  for (const event of events) session.send(event);
  session.send({ type: "response.create", response });
  expect(await session.closed).toEqual({ code: 1008, reason: "insufficient_quota" });
  expect(vendor.count("response.create")).toBe(0);
  await area.settled(account.name);
});

import { expect, test } from "vitest";
import { vendorsTranscribers } from "../../src/realtime/hub/bridge.ts";
import { bridgeBetween, eventMessage, modelOfStart, type RealtimeBridge } from "../../src/realtime/index.ts";

const bridge = (): RealtimeBridge =>
  bridgeBetween("gpt-live", "gpt-live", {
    model: "talk",
    upstreamModel: "gpt-live-1",
    sessionId: "s",
    transcribers: vendorsTranscribers,
    allowsVendorTools: true,
  });
const start = (session: object = {}) => eventMessage({ type: "session.start", session: { model: "talk", ...session } });
const parsed = (messages: readonly { readonly data: Buffer }[]): unknown =>
  messages.map(({ data }) => JSON.parse(data.toString()));
const fromVendor = (session: RealtimeBridge, event: object) => session.fromVendor(eventMessage(event));

test("sessions are not converted to another wire", () => {
  const names = {
    model: "a",
    upstreamModel: "a",
    sessionId: "s",
    transcribers: vendorsTranscribers,
    allowsVendorTools: false,
  };
  expect(() => bridgeBetween("gpt-live", "realtime", names)).toThrow(
    "can only be forwarded to vendors of the same wire",
  );
  expect(() => bridgeBetween("realtime", "gpt-live", names)).toThrow("not a wire of vendors");
});

test("the model is replaced in both directions, and its time is read", () => {
  const session = bridge();
  expect(session.stop()).toEqual([]);
  const opening = session.start?.(start());
  expect(JSON.parse(String(opening?.data))).toEqual({ type: "session.start", session: { model: "gpt-live-1" } });
  const started = fromVendor(session, { type: "session.started", session: { model: "gpt-live-1", id: "live_1" } });
  expect(parsed(started.toClient)).toEqual([{ type: "session.started", session: { model: "talk", id: "live_1" } }]);
  const usage = fromVendor(session, { type: "session.usage.updated", usage: { seconds: 1.5 } });
  expect(usage.seen).toEqual([{ kind: "session-usage", seconds: 1.5, isFinal: false }]);
  expect(parsed(session.stop())).toEqual([{ type: "session.close" }]);
  const closed = fromVendor(session, { type: "session.closed", session: {}, usage: { seconds: 2 } });
  expect(closed.seen).toEqual([{ kind: "session-usage", seconds: 2, isFinal: true }]);
  expect(session.stop()).toEqual([]);
});

test.each(["null", '"2"', "-1", "1e999", "{}"])("a report of %s seconds is ignored", (seconds) => {
  const data = Buffer.from(`{"type":"session.closed","usage":{"seconds":${seconds}}}`);
  const { seen } = bridge().fromVendor({ data, binary: false });
  expect(seen).toEqual([{ kind: "session-usage", seconds: undefined, isFinal: true }]);
});

test("a report without seconds is ignored", () => {
  const { seen } = fromVendor(bridge(), { type: "session.closed", usage: {} });
  expect(seen).toEqual([{ kind: "session-usage", seconds: undefined, isFinal: true }]);
});

test("a start that the vendor has not confirmed is ended at the vendor, and a session starts once", () => {
  const session = bridge();
  session.start?.(start());
  expect(parsed(session.stop())).toEqual([{ type: "session.close" }]);
  expect(session.fromClient(start())).toMatchObject({ toVendor: [], toClient: [{}] });
});

test.each<[string, object, string]>([
  ["another first event", { type: "session.close" }, "type"],
  ["a start without a model", { type: "session.start" }, "session.model"],
  ["a stored session", { type: "session.start", session: { model: "talk", store: true } }, "session.store"],
])("%s is refused with the field's name", (_, event, param) => {
  expect(() => modelOfStart(eventMessage(event))).toThrow(expect.objectContaining({ param }));
});

test("work of the vendor's other models and stored sessions never pass", () => {
  const delegation = { type: "responses", responses: { model: "gpt-6-luna" } };
  const settings = [{ delegation }, { triggers: [{ type: "decisions" }] }, { store: true }];
  const update = (session: object) => eventMessage({ type: "session.update", session });
  for (const each of settings) {
    expect(() => modelOfStart(start(each))).toThrow("not");
    expect(bridge().fromClient(update(each)).toVendor).toEqual([]);
  }
  const allowed = { delegation: { type: "client" }, store: false, triggers: [] };
  expect(modelOfStart(start(allowed))).toBe("talk");
  expect(bridge().fromClient(update(allowed)).toVendor).toHaveLength(1);
});

test.each<[string, object | undefined, number]>([
  ["the default format", undefined, 48_000],
  ["PCM of 16 kHz", { type: "audio/pcm", rate: 16_000 }, 32_000],
  ["G.711", { type: "audio/pcmu", rate: 8_000 }, 8_000],
  ["a rate that no format has", { type: "audio/pcm", rate: 1e9 }, 48_000],
])("sound is measured in %s", (_, format, bytesPerSecond) => {
  const session = bridge();
  session.start?.(start({ audio: { format } }));
  expect(session.state.input.bytesPerSecond).toBe(bytesPerSecond);
  const audio = Buffer.alloc(30_000).toString("base64");
  const append = { type: "session.input_audio.append", audio };
  const bytesOf = (event: object) => session.read?.(eventMessage(event))[0]?.input?.audioBytes;
  for (const event of [append, { event_id: "a", ...append }]) expect(bytesOf(event)).toBeCloseTo(30_000, -1);
  expect(bytesOf({ type: "session.thinking.append", content: audio })).toBe(0);
});

test("plain sound passes byte for byte; sound with other members is parsed", () => {
  const plain = Buffer.from('{"type":"session.input_audio.append","audio":"AAAA"}');
  expect(bridge().fromClient({ data: plain, binary: false }).toVendor[0]?.data).toBe(plain);
  const other = Buffer.from('{"type":"session.input_audio.append","audio":"AAAA","type":"session.update"}');
  expect(parsed(bridge().fromClient({ data: other, binary: false }).toVendor)).toEqual([
    { type: "session.update", audio: "AAAA" },
  ]);
  expect(parsed(bridge().fromClient({ data: plain, binary: true }).toClient)).toMatchObject([
    { type: "error", error: { code: "invalid_json" } },
  ]);
});

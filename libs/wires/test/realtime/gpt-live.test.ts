import { expect, test } from "vitest";
import { vendorsTranscribers } from "../../src/realtime/hub/bridge.ts";
import { bridgeBetween, eventMessage, type RealtimeBridge } from "../../src/realtime/index.ts";

const bridge = (): RealtimeBridge =>
  bridgeBetween("gpt-live", "gpt-live", {
    model: "talk",
    upstreamModel: "gpt-live-1",
    sessionId: "s",
    transcribers: vendorsTranscribers,
    vendorTools: true,
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
    vendorTools: false,
  };
  expect(() => bridgeBetween("gpt-live", "realtime", names)).toThrow("pass only to vendors of the same wire");
  expect(() => bridgeBetween("realtime", "gpt-live", names)).toThrow("not a wire of vendors");
});

test("the model is replaced in both directions, and its time is read", () => {
  const session = bridge();
  expect(parsed(session.fromClient(start()).toVendor)).toEqual([
    { type: "session.start", session: { model: "gpt-live-1" } },
  ]);
  expect(session.state.isPending).toBe(true);
  const started = fromVendor(session, { type: "session.started", session: { model: "gpt-live-1", id: "live_1" } });
  expect(parsed(started.toClient)).toEqual([{ type: "session.started", session: { model: "talk", id: "live_1" } }]);
  expect(started.seen).toEqual([{ kind: "session-started" }]);
  expect(session.state.isPending).toBe(false);
  const usage = fromVendor(session, { type: "session.usage.updated", usage: { seconds: 1.5 } });
  expect(usage.seen).toEqual([{ kind: "session-usage", seconds: 1.5, isFinal: false }]);
  expect(parsed(session.stop())).toEqual([{ type: "session.close" }]);
  const closed = fromVendor(session, { type: "session.closed", session: {}, usage: { seconds: 2 } });
  expect(closed.seen).toEqual([{ kind: "session-usage", seconds: 2, isFinal: true }]);
  expect(session.stop()).toEqual([]);
});

test.each(["null", '"2"', "-1", "1e999", "{}"])("a report of %s seconds is none", (seconds) => {
  const data = Buffer.from(`{"type":"session.closed","usage":{"seconds":${seconds}}}`);
  const { seen } = bridge().fromVendor({ data, binary: false });
  expect(seen).toEqual([{ kind: "session-usage", seconds: undefined, isFinal: true }]);
});

test("a report without seconds is none", () => {
  const { seen } = fromVendor(bridge(), { type: "session.closed", usage: {} });
  expect(seen).toEqual([{ kind: "session-usage", seconds: undefined, isFinal: true }]);
});

test("a start that the vendor refuses can be sent again", () => {
  const session = bridge();
  session.fromClient(start());
  fromVendor(session, { type: "error", error: { message: "no" } });
  expect(session.state.isPending).toBe(false);
  expect(session.fromClient(start()).toVendor).toHaveLength(1);
});

test("an error while the vendor starts may be about another event: the session is still ended at the vendor", () => {
  const session = bridge();
  session.fromClient(start());
  fromVendor(session, { type: "error", client_event_id: "another", error: { message: "no" } });
  expect(parsed(session.stop())).toEqual([{ type: "session.close" }]);
  fromVendor(session, { type: "session.started", session: { model: "gpt-live-1" } });
  expect(session.fromClient(start()).toVendor).toEqual([]);
});

test("work of the vendor's other models and stored sessions never pass", () => {
  const delegation = { type: "responses", responses: { model: "gpt-6-luna" } };
  expect(bridge().fromClient(start({ delegation })).toVendor).toEqual([]);
  expect(bridge().fromClient(start({ triggers: [{ type: "decisions" }] })).toVendor).toEqual([]);
  expect(bridge().fromClient(start({ store: true })).toVendor).toEqual([]);
  expect(
    bridge().fromClient(start({ delegation: { type: "client" }, store: false, triggers: [] })).toVendor,
  ).toHaveLength(1);
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

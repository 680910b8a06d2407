import { expect, test } from "vitest";
import { vendorsTranscribers } from "../../../src/realtime/hub/bridge.ts";
import { eventMessage } from "../../../src/realtime/hub/message.ts";
import { OpenaiBridge } from "../../../src/realtime/openai/index.ts";

const openBridge = () =>
  new OpenaiBridge({
    model: "live",
    upstreamModel: "live",
    sessionId: "s",
    transcribers: vendorsTranscribers,
    allowsVendorTools: false,
  });
const input = (settings: object) => ({ type: "realtime", audio: { input: settings } });

test.each<{ what: string; requested?: object; reported?: object; bytes: number; detects: boolean }>([
  { what: "nothing", bytes: 48_000, detects: true },
  { what: "G.711", requested: input({ format: { type: "audio/pcmu" } }), bytes: 8_000, detects: true },
  { what: "G.711 in the older form", requested: { input_audio_format: "g711_alaw" }, bytes: 8_000, detects: true },
  {
    what: "G.711 that is not confirmed",
    requested: { input_audio_format: "g711_ulaw" },
    reported: {},
    bytes: 8_000,
    detects: true,
  },
  {
    what: "PCM of another rate",
    reported: input({ format: { type: "audio/pcm", rate: 16_000 } }),
    bytes: 32_000,
    detects: true,
  },
  { what: "client-side turns", reported: input({ turn_detection: null }), bytes: 48_000, detects: false },
  { what: "client-side turns in the older form", reported: { turn_detection: null }, bytes: 48_000, detects: false },
  {
    what: "turn detection by the vendor",
    requested: input({ turn_detection: { type: "server_vad" } }),
    reported: input({ turn_detection: null }),
    bytes: 48_000,
    detects: true,
  },
])("a session that sets $what: $bytes bytes per second, turns detected by the vendor: $detects", (session) => {
  const bridge = openBridge();
  if (session.requested !== undefined)
    bridge.fromClient(eventMessage({ type: "session.update", session: session.requested }));
  if (session.reported !== undefined)
    bridge.fromVendor(eventMessage({ type: "session.updated", session: session.reported }));
  expect(bridge.state.input).toEqual({ bytesPerSecond: session.bytes, detectsTurns: session.detects });
});

test("the hold for speech covers the transcription that the client requested, before the vendor confirms it", () => {
  const bridge = openBridge();
  const session = input({ transcription: { model: "writer" } });
  bridge.fromClient(eventMessage({ type: "session.update", session }));
  expect([bridge.state.transcriber, bridge.state.nextTranscriber]).toEqual([undefined, { model: "writer" }]);
});

test("an event in a binary frame is read like one in a text frame", () => {
  const bridge = openBridge();
  const refused = { type: "session.update", session: { model: "another" } };
  const { toVendor } = bridge.fromClient({ data: Buffer.from(JSON.stringify(refused)), binary: true });
  expect(toVendor).toEqual([]);
  bridge.fromClient({ data: Buffer.from('{"type":"response.create"}'), binary: true });
  expect(bridge.state.pendingResponses).toBe(1);
});

test("an error without an event id answers one event, not all that wait", () => {
  const bridge = openBridge();
  for (let at = 0; at < 3; at++) bridge.fromClient(eventMessage({ type: "response.create" }));
  bridge.fromVendor(eventMessage({ type: "error", error: { message: "no" } }));
  expect(bridge.state.pendingResponses).toBe(2);
});

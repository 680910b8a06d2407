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

const create = (id?: string) => ({ type: "response.create", ...(id === undefined ? {} : { event_id: id }) });
const commit = { type: "input_audio_buffer.commit" };
const clear = { type: "input_audio_buffer.clear" };
const append = { type: "input_audio_buffer.append", audio: "AAAA" };
const oddAppend = { audio: "AAAA", type: "input_audio_buffer.append" };
const created = { type: "response.created", response: { id: "r" } };
const committed = { type: "input_audio_buffer.committed", item_id: "i" };
const cleared = { type: "input_audio_buffer.cleared" };
const refused = (id: string | null) => ({ type: "error", error: { event_id: id } });

test.each<{ what: string; client: readonly object[]; vendor: readonly object[]; hasPending: boolean }>([
  {
    what: "no chargeable request",
    client: [append, { type: "session.update", session: {} }],
    vendor: [],
    hasPending: false,
  },
  { what: "a response", client: [create()], vendor: [], hasPending: true },
  { what: "a response that has begun", client: [create()], vendor: [created], hasPending: false },
  { what: "two responses, of which one has begun", client: [create(), create()], vendor: [created], hasPending: true },
  { what: "a turn's end that another event answers", client: [commit], vendor: [created], hasPending: true },
  { what: "a turn's end", client: [append, commit], vendor: [committed], hasPending: false },
  { what: "a request refused by its id", client: [create("a")], vendor: [refused("a")], hasPending: false },
  { what: "a request that another refusal names", client: [create("a")], vendor: [refused("b")], hasPending: true },
  {
    what: "a request that an unnamed refusal may refer to",
    client: [create("a")],
    vendor: [refused(null)],
    hasPending: false,
  },
  { what: "an empty buffer after a response", client: [create(), clear], vendor: [cleared], hasPending: false },
  { what: "a turn after an empty buffer", client: [clear, append, commit], vendor: [cleared], hasPending: true },
])("the requests of a client that sent $what are counted: $hasPending", ({ client, vendor, hasPending }) => {
  const bridge = openBridge();
  for (const event of client) bridge.fromClient(eventMessage(event));
  for (const event of vendor) bridge.fromVendor(eventMessage(event));
  expect(bridge.state.isPending).toBe(hasPending);
});

test("a refused event is not counted as a request to the vendor", () => {
  const bridge = openBridge();
  bridge.fromClient({ data: Buffer.from('{"type":"response.create","type":"response.create"}'), binary: false });
  expect(bridge.state.isPending).toBe(false);
});

test.each<{ what: string; client: readonly object[]; vendor: readonly object[]; waits: boolean }>([
  { what: "a client without input", client: [], vendor: [], waits: false },
  {
    what: "a client with every answer",
    client: [append, commit, create()],
    vendor: [committed, created],
    waits: false,
  },
  { what: "a client that requested a response", client: [create()], vendor: [], waits: true },
  { what: "a client whose speech may become a turn", client: [append], vendor: [], waits: true },
  { what: "a client whose unusual speech may become a turn", client: [oddAppend], vendor: [], waits: true },
  { what: "a client whose speech became a turn", client: [append], vendor: [committed], waits: false },
])(
  "after $what disconnects, the session waits while the vendor may still begin a response: $waits",
  ({ client, vendor, waits }) => {
    const bridge = openBridge();
    for (const event of client) bridge.fromClient(eventMessage(event));
    for (const event of vendor) bridge.fromVendor(eventMessage(event));
    expect(bridge.stop().map(({ data }) => JSON.parse(data.toString()).type)).toEqual(
      waits ? ["input_audio_buffer.clear"] : [],
    );
    expect(bridge.state.isPending).toBe(waits);
    bridge.fromVendor(eventMessage(cleared));
    expect(bridge.state.isPending).toBe(false);
  },
);

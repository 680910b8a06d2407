import { afterAll, beforeAll, expect, test } from "vitest";
import { startArea, type Area } from "../../../libs/relay/test/area.ts";
import { service } from "../src/service.ts";
import { channel, geminiChannel, keys, limits, openSession, price, closedVendorSession } from "./start-sessions.ts";
import type { TestSession } from "./session-client.ts";

/** Events that name objects in the vendor's store. `libs/wires/test/named-in-stores.test.ts` tests all such members. */
const shared = "sk-store-shared-0123456789";
const named = { type: "response.create", response: { prompt: { id: "pmpt_1" } } };

let area: Area;
beforeAll(async () => {
  area = await startArea(service, {
    config: {
      groups: { default: { models: ["*"] }, trusting: { models: ["*"], vendorStores: "shared" } },
      models: { live: { kind: "realtime", price }, "live-gemini": { kind: "realtime", price } },
      channels: [channel("voice", ["live"]), geminiChannel("voice-gemini", ["live-gemini"])],
      accounts: {
        demo: { balance: "10.00", tokens: [{ key: keys.demo, group: "default" }] },
        trusting: { balance: "10.00", tokens: [{ key: shared, group: "trusting" }] },
      },
    },
    limits,
  });
});
afterAll(() => area?.[Symbol.asyncDispose]());

async function opened(model: string, key: string): Promise<TestSession> {
  const session = await openSession(area, { model, key });
  await session.next("session.created");
  return session;
}

test.each(["live", "live-gemini"])(
  "a session with %s refuses an event that names such an object, and continues",
  async (model) => {
    const session = await opened(model, keys.demo);
    session.send({ ...named, event_id: "mine" });
    expect((await session.next("error")).error).toMatchObject({
      param: "response.prompt.id",
      message: expect.stringContaining("vendorStores: shared"),
    });
    session.send({ type: "input_audio_buffer.clear" });
    await session.next("input_audio_buffer.cleared");
    session.socket.close();
  },
);

test("a session refuses such an object in a binary message, and if it appears more than once", async () => {
  const session = await opened("live", keys.demo);
  // Some vendors also read binary messages. If a member name appears twice, some vendors read the first value and others
  // the last.
  session.socket.send(Buffer.from(JSON.stringify(named)));
  expect((await session.next("error")).error.message).toContain("vendorStores: shared");
  session.socket.send('{"type":"response.create","response":{"prompt":{"id":"pmpt_1"},"prompt":null}}');
  expect((await session.next("error")).error.message).toContain("appears more than once");
  session.socket.close();
});

test("a session allows them if the group shares vendors' stores", async () => {
  await area.simulator.forget("voice");
  const session = await opened("live", shared);
  const sent = JSON.stringify({ type: "session.update", session: { type: "realtime", prompt: { id: "pmpt_1" } } });
  session.send(sent);
  session.send({ type: "input_audio_buffer.clear" });
  await session.next("input_audio_buffer.cleared");
  session.socket.close();
  expect((await closedVendorSession(area)).messages?.[0]).toEqual(sent);
});

import { expect, test } from "vitest";
import { proxyKinds, startProxy } from "../../../libs/channels/test/proxies.ts";
import { startRecordingVendor } from "./recording-vendor.ts";
import { ask, handshake, textOnly } from "./session-client.ts";
import { keys, openSession, price, sessionRefusal, startSessions } from "./start-sessions.ts";

test.each(proxyKinds)("a session uses its channel's %s proxy; if it fails, the client gets 502", async (kind) => {
  await using vendor = await startRecordingVendor({ outputTokens: 5 });
  await using proxy = await startProxy[kind]();
  const { port } = new URL(vendor.url);
  const channel = (model: string, host: string) => ({
    id: model,
    provider: "openai",
    baseUrl: `http://${host}:${port}/v1`,
    keys: ["k"],
    models: [model],
    proxy: proxy.url,
  });
  await using area = await startSessions({
    models: { live: { kind: "realtime", price }, closed: { kind: "realtime", price } },
    channels: [channel("live", "vendor.example"), channel("closed", "forbidden.example")],
  });
  vendor.setAnswering(true);
  const session = await openSession(area, { model: "live" });
  session.send(textOnly);
  expect(await ask(session, "Hello")).toMatchObject({ response: { status: "completed" } });
  session.socket.close();
  expect(proxy.targets).toEqual([`vendor.example:${port}`]);
  const refused = await sessionRefusal(area, "/v1/realtime?model=closed", handshake, keys.demo);
  expect([refused.status, refused.body.error.code]).toEqual([502, "upstream_proxy_failed"]);
});

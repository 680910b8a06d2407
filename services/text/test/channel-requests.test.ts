import { expect, test } from "vitest";
import { startScriptedServer } from "@modelgate/testkit";
import { proxyKinds, startProxy } from "../../../libs/channels/test/proxies.ts";
import { startArea } from "../../../libs/relay/test/area.ts";
import { service } from "../src/service.ts";

const key = "sk-test-12345678";
const answer = {
  id: "c",
  object: "chat.completion",
  choices: [{ index: 0, message: { role: "assistant", content: "Hi" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 },
};

test.each(proxyKinds)(
  "a call uses its channel's %s proxy, headers and members; if it fails, the client gets 502",
  async (kind) => {
    await using vendor = await startScriptedServer(() => ({ body: answer }));
    await using proxy = await startProxy[kind]();
    const { port } = new URL(vendor.url);
    const channel = (id: string, host: string, model: string) => ({
      id,
      provider: "openai",
      wires: ["chat"],
      baseUrl: `http://${host}:${port}/v1`,
      keys: ["k"],
      models: [model],
      proxy: proxy.url,
      headers: { "x-tenant": "acme" },
      defaults: { user: "ours" },
      force: { provider: { zdr: true } },
    });
    const config = {
      groups: { default: { models: ["*"] } },
      models: { open: { kind: "chat" }, closed: { kind: "chat" } },
      channels: [channel("a", "vendor.example", "open"), channel("b", "forbidden.example", "closed")],
      accounts: { demo: { balance: "1", tokens: [{ key, group: "default" }] } },
    };
    await using area = await startArea(service, { config });
    const ask = (model: string) =>
      area.post("/v1/chat/completions", { model, messages: [{ role: "user", content: "Hello" }] }, key);
    const served = await ask("open");
    expect(served.status).toBe(200);
    const [vendorRequest] = vendor.requests;
    expect(JSON.parse(vendorRequest?.body ?? "")).toMatchObject({ user: "ours", provider: { zdr: true } });
    expect(vendorRequest?.headers["x-tenant"]).toBe("acme");
    expect(proxy.targets).toEqual([`vendor.example:${port}`]);
    const { tries } = await area.eventOf(served.headers.get("x-request-id"));
    expect(tries).toMatchObject([{ channel: "a", added: ["headers.x-tenant", "defaults.user", "force.provider"] }]);
    const refused = await ask("closed");
    expect([refused.status, await refused.json()]).toMatchObject([502, { error: { code: "upstream_proxy_failed" } }]);
    expect(vendor.requests).toHaveLength(1);
  },
);

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startScriptedServer, type ScriptedServer } from "@modelgate/testkit";
import { proxyKinds, startProxy, type TestProxy } from "../../../libs/channels/test/proxies.ts";
import { startArea, type Area } from "../../../libs/relay/test/area.ts";
import { keys } from "../../../libs/relay/test/config.ts";
import { service } from "../src/service.ts";

const form = (model: string) => {
  const body = new FormData();
  body.set("model", model);
  body.set("file", new File(["wav"], "a.wav", { type: "audio/wav" }));
  return body;
};

describe.each(proxyKinds)("a channel's %s proxy", (kind) => {
  let vendor: ScriptedServer;
  let proxy: TestProxy;
  let port: string;
  let area: Area;
  beforeAll(async () => {
    vendor = await startScriptedServer({
      "/speech": { headers: { "content-type": "audio/mpeg" }, body: "sound" },
      "": { body: { text: "Hello" } },
    });
    proxy = await startProxy[kind]();
    ({ port } = new URL(vendor.url));
    const channel = (id: string, host: string) => ({
      id,
      provider: "openai",
      baseUrl: `http://${host}:${port}/v1`,
      keys: ["k"],
      models: [`${id}-words`, `${id}-voice`],
      proxy: proxy.url,
    });
    const [words, voice] = [{ kind: "transcription" }, { kind: "speech" }];
    const config = {
      groups: { default: { models: ["*"] } },
      models: { "open-words": words, "closed-words": words, "open-voice": voice, "closed-voice": voice },
      channels: [channel("open", "vendor.example"), channel("closed", "forbidden.example")],
      accounts: { demo: { balance: "1", tokens: [{ key: keys.demo, group: "default" }] } },
    };
    area = await startArea(service, { config });
  });
  afterAll(async () => {
    await area?.[Symbol.asyncDispose]();
    await proxy?.[Symbol.asyncDispose]();
    await vendor?.[Symbol.asyncDispose]();
  });

  test.each([
    { path: "/v1/audio/transcriptions", model: "words", body: form },
    { path: "/v1/audio/translations", model: "words", body: form },
    { path: "/v1/audio/speech", model: "voice", body: (model: string) => ({ model, input: "Hi", voice: "v" }) },
  ])("carries $path; if it fails, the client gets 502", async ({ path, model, body }) => {
    vendor.requests.length = 0;
    const answer = await area.post(path, body(`open-${model}`), keys.demo);
    expect([answer.status, (await answer.arrayBuffer()).byteLength > 0]).toEqual([200, true]);
    const refused = await area.post(path, body(`closed-${model}`), keys.demo);
    expect([refused.status, await refused.json()]).toMatchObject([502, { error: { code: "upstream_proxy_failed" } }]);
    expect(vendor.requests.map((request) => request.path)).toEqual([path]);
    expect(proxy.targets).toContain(`vendor.example:${port}`);
  });
});

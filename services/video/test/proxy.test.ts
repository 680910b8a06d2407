import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startScriptedServer, type ScriptedServer } from "@modelgate/testkit";
import { proxyKinds, startProxy, type TestProxy } from "../../../libs/channels/test/proxies.ts";
import { startArea, type Area } from "../../../libs/relay/test/area.ts";
import { keys } from "../../../libs/relay/test/config.ts";
import { service } from "../src/service.ts";
import { ask, ended, quickLimits } from "./films.ts";

/** Address on the public internet. The test's proxies lead every address to this machine. */
const publicAddress = "93.184.216.34";

describe.each(proxyKinds)("a channel's %s proxy", (kind) => {
  let vendor: ScriptedServer;
  let proxy: TestProxy;
  let port: string;
  let area: Area;
  let filesHost = "";
  beforeAll(async () => {
    const film = { id: "f", object: "video", model: "m", progress: 100, created_at: 1, seconds: "4" };
    vendor = await startScriptedServer({
      "/videos": { body: { ...film, status: "queued", progress: 0 } },
      "/videos/f": { body: { ...film, status: "completed" } },
      "/videos/f/content": (_, response) =>
        void response.writeHead(302, { location: `http://${filesHost}:${port}/film.mp4` }).end(),
      "/film.mp4": { headers: { "content-type": "video/mp4" }, body: "a film" },
      "/frame.png": { headers: { "content-type": "image/png" }, body: "a frame" },
      ":predictLongRunning": { body: { name: "models/m/operations/o" } },
      "/operations/o": { body: { name: "models/m/operations/o", done: true, error: { code: 3, message: "no" } } },
    });
    ({ port } = new URL(vendor.url));
    proxy = await startProxy[kind]();
    const channel = (id: string, host: string, more: object = {}) => ({
      id,
      provider: "openai",
      baseUrl: `http://${host}:${port}/v1`,
      keys: ["k"],
      models: [id],
      proxy: proxy.url,
      ...more,
    });
    const model = { kind: "video", price: { second: 0.01 } };
    const config = {
      groups: { default: { models: ["*"] } },
      models: { open: model, closed: model, framed: model },
      channels: [
        channel("open", "vendor.example"),
        channel("closed", "forbidden.example"),
        channel("framed", "google.example", { provider: "gemini", baseUrl: `http://google.example:${port}` }),
      ],
      accounts: { demo: { balance: "10", tokens: [{ key: keys.demo, group: "default" }] } },
    };
    area = await startArea(service, { config, limits: quickLimits });
  });
  afterAll(async () => {
    await area?.[Symbol.asyncDispose]();
    await proxy?.[Symbol.asyncDispose]();
    await vendor?.[Symbol.asyncDispose]();
  });
  const content = (id: string) =>
    fetch(`${area.url}/v1/videos/${id}/content`, { headers: { authorization: `Bearer ${keys.demo}` } });

  test("carries the start, the polls and the download of a video, which may not be at a private address", async () => {
    const { json } = await ask(area, "/v1/videos", { model: "open", prompt: "a boat", seconds: "4" });
    expect(await ended(area, json.id)).toMatchObject({ status: "completed" });
    expect(new Set(proxy.targets)).toEqual(new Set([`vendor.example:${port}`]));
    filesHost = "files.example";
    expect(await (await content(json.id)).text()).toBe("a film");
    const reached = [`vendor.example:${port}`, `files.example:${port}`];
    expect(new Set(proxy.targets)).toEqual(new Set(reached));
    for (const host of ["10.0.0.1", "127.0.0.1", "[::1]"]) {
      filesHost = host;
      expect((await content(json.id)).status).toBe(502);
    }
    expect(new Set(proxy.targets)).toEqual(new Set(reached));
    const refused = await ask(area, "/v1/videos", { model: "closed", prompt: "a boat", seconds: "4" });
    expect([refused.status, refused.json.error.code]).toEqual([502, "upstream_proxy_failed"]);
  });

  test("carries the download of a client's frame, which may not be at a private address", async () => {
    const start = (host: string) =>
      ask(area, "/v1/video/generations", {
        model: "framed",
        prompt: "a boat",
        image: `http://${host}:${port}/frame.png`,
      });
    const before = proxy.targets.length;
    const { json } = await start(publicAddress);
    expect(await ended(area, json.id)).toMatchObject({ status: "failed" });
    const reached = [`${publicAddress}:${port}`, `google.example:${port}`];
    expect(new Set(proxy.targets.slice(before))).toEqual(new Set(reached));
    const started = vendor.requests.find(({ path }) => path.endsWith(":predictLongRunning"));
    expect(started?.body).toContain(Buffer.from("a frame").toString("base64"));
    for (const host of ["10.0.0.1", "127.0.0.1", "unknown.example"]) expect((await start(host)).status).toBe(400);
    expect(new Set(proxy.targets.slice(before))).toEqual(new Set(reached));
  });
});

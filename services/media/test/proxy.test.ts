import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startScriptedServer, type ScriptedServer } from "@modelgate/testkit";
import { proxyKinds, startProxy } from "../../../libs/channels/test/proxies.ts";
import { startArea } from "../../../libs/relay/test/area.ts";
import { keys } from "../../../libs/relay/test/config.ts";
import { service } from "../src/service.ts";
import { postImages, qwenBody } from "./images-suite.ts";
import { samplePng } from "./pictures.ts";

/** Address on the public internet. The test's proxies lead every address to this machine. */
const publicAddress = "93.184.216.34";
const picture = samplePng();

describe.each(proxyKinds)("a channel's %s proxy", (kind) => {
  let vendor: ScriptedServer;
  let port: string;
  /** Host of the images that the vendor generates. */
  let resultHost = "";
  beforeAll(async () => {
    vendor = await startScriptedServer({
      "/images/generations": () => ({ body: { created: 1, data: [{ url: `http://${resultHost}:${port}/made.png` }] } }),
      "/images/edits": { body: { created: 1, data: [{ b64_json: picture.toString("base64") }] } },
      ".png": (_, response) => void response.setHeader("content-type", "image/png").end(picture),
    });
    ({ port } = new URL(vendor.url));
  });
  afterAll(() => vendor?.[Symbol.asyncDispose]());

  async function start(proxy: string) {
    const channel = (id: string, host: string, model: string) => ({
      id,
      provider: "openai",
      baseUrl: `http://${host}:${port}/v1`,
      keys: ["k"],
      models: { [id]: model },
      proxy,
    });
    return await startArea(service, {
      config: {
        groups: { default: { models: ["*"] } },
        models: { open: { kind: "image" }, closed: { kind: "image" } },
        channels: [
          channel("open", "vendor.example", "gpt-image-1"),
          channel("closed", "forbidden.example", "gpt-image-1"),
        ],
        accounts: { demo: { balance: "1", tokens: [{ key: keys.demo, group: "default" }] } },
      },
    });
  }

  test("carries calls and the download of generated images, which may not be at a private address", async () => {
    await using proxy = await startProxy[kind]();
    await using area = await start(proxy.url);
    const body = { prompt: "a fox", response_format: "b64_json" };
    resultHost = "files.example";
    const { body: answer } = await postImages(area, "generations", { model: "open", ...body });
    expect(answer.data).toEqual([expect.objectContaining({ b64_json: picture.toString("base64") })]);
    const reached = [`vendor.example:${port}`, `files.example:${port}`];
    expect(new Set(proxy.targets)).toEqual(new Set(reached));
    for (const host of ["10.0.0.1", "127.0.0.1", "[::1]"]) {
      resultHost = host;
      expect((await postImages(area, "generations", { model: "open", ...body })).status).toBe(502);
    }
    expect(new Set(proxy.targets)).toEqual(new Set(reached));
    const refused = await postImages(area, "generations", { model: "closed", ...body });
    expect([refused.status, refused.body.error.code]).toEqual([502, "upstream_proxy_failed"]);
  });

  test("carries the download of a client's images, which may not be at a private address", async () => {
    await using proxy = await startProxy[kind]();
    await using area = await start(proxy.url);
    const edit = (host: string) =>
      postImages(area, "edits", qwenBody("open", [{ image: `http://${host}:${port}/in.png` }, { text: "at night" }]));
    expect((await edit(publicAddress)).status).toBe(200);
    const reached = [`${publicAddress}:${port}`, `vendor.example:${port}`];
    expect(new Set(proxy.targets)).toEqual(new Set(reached));
    for (const host of ["10.0.0.1", "127.0.0.1", "unknown.example"]) expect((await edit(host)).status).toBe(400);
    expect(new Set(proxy.targets)).toEqual(new Set(reached));
  });
});

import { afterAll, beforeAll, expect, test } from "vitest";
import { startSuite, until, wavHead, type Suite } from "@modelgate/testkit";
import { channel, config, hello, keys, post } from "./house.ts";
import { shownChannel, switchedChannel } from "./operator.ts";

/** Whose failure it was: what one call brings about must not take a channel from all others. */
let suite: Suite;
beforeAll(async () => {
  suite = await startSuite({
    config: {
      ...config,
      models: {
        ...config.models,
        kept: config.models.chat,
        retired: config.models.chat,
        small: config.models.chat,
        heard: { kind: "transcription", price: { second: 0.0001 } },
      },
      channels: [
        ...config.channels,
        channel("catalogue", ["kept", "retired"]),
        channel("held", ["small"]),
        channel("ears", ["heard"], { wires: ["transcriptions"] }),
      ],
    },
    envOf: { text: { BUFFER_BYTES: "200000" } },
  });
});
afterAll(() => suite?.[Symbol.asyncDispose]());

/** A second of it. */
const silence = Buffer.concat([wavHead({ sampleRate: 8_000, channels: 1, bits: 8 }, 8_000), Buffer.alloc(8_000, 128)]);
const count = async (name: string) => (await suite.simulator.requests(name)).length;
/** A call whose vendor answers in a way of its own. */
const simulated = (model: string, how: object) => post(suite, hello(model, `{{simulate: ${JSON.stringify(how)}}}`));

test("a model that the vendor has no more is out by itself: the channel's others are served", async () => {
  const gone = { status: 404, errorCode: "model_not_found" };
  for (let at = 0; at < 3; at++) expect((await simulated("retired", gone)).status).toBe(502);
  const asked = await count("catalogue");
  const refused = await simulated("retired", gone);
  expect(refused.status).toBe(503);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(await count("catalogue")).toBe(asked);
  expect((await post(suite, hello("kept"))).status).toBe(200);
  expect(await shownChannel(suite, "catalogue")).toMatchObject({
    state: "ok",
    modelsOut: [{ model: "retired", state: "resting", reason: "upstream_error" }],
  });
  await switchedChannel(suite, "catalogue", "enable");
  await until("it to be used again", async () => (await post(suite, hello("retired"))).status === 200);
});

test("what this gateway has no room for is not its vendor's failure", async () => {
  for (let at = 0; at < 4; at++) expect((await simulated("small", { bodyBytes: 300_000 })).status).toBe(503);
  expect((await post(suite, hello("small"))).status).toBe(200);
  expect(await shownChannel(suite, "held")).toMatchObject({ state: "ok" });
});

test("an endpoint that a vendor does not have is not asked for, and costs its channel nothing", async () => {
  const ask = (what: string) => {
    const form = new FormData();
    form.set("model", "heard");
    form.set("file", new Blob([silence]), "speech.wav");
    return fetch(`${suite.edgeUrl}/v1/audio/${what}`, {
      method: "POST",
      headers: { authorization: `Bearer ${keys.demo}` },
      body: form,
    });
  };
  for (let at = 0; at < 4; at++) expect((await ask("translations")).status).toBe(503);
  const heard = await ask("transcriptions");
  expect([heard.status, await heard.text()]).toEqual([200, expect.any(String)]);
  expect(await shownChannel(suite, "ears")).toMatchObject({ state: "ok" });
});

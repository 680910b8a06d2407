import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { startArea, type Area } from "../../../../libs/relay/test/area.ts";
import { keys } from "../../../../libs/relay/test/config.ts";
import { startGreedyVendor, type GreedyVendor } from "../../../text/test/greedy-vendor.ts";
import { answers, leaveCalls } from "../../../../libs/relay/test/left-calls.ts";
import { service } from "../../src/service.ts";

let vendor: GreedyVendor;
let area: Area;
beforeAll(async () => {
  vendor = await startGreedyVendor();
  area = await startArea(service, {
    config: {
      groups: { default: { models: ["*"] } },
      models: {
        transcribes: { kind: "transcription", price: { second: 0.001 } },
        speaks: { kind: "speech", price: { input: 1_000, outputAudio: 1_000 } },
      },
      channels: [
        {
          id: "greedy",
          provider: "openai",
          baseUrl: `${vendor.url}/v1`,
          keys: ["key"],
          models: ["transcribes", "speaks"],
        },
      ],
      accounts: { demo: { balance: "1000", tokens: [{ key: keys.demo, group: "default" }] } },
    },
  });
});
afterAll(async () => {
  await area?.[Symbol.asyncDispose]();
  await vendor?.[Symbol.asyncDispose]();
});
beforeEach(() => vendor.behave({}));

function recording(): FormData {
  const form = new FormData();
  form.set("model", "transcribes");
  form.set("file", new Blob([new Uint8Array(20_000)]), "sound.mp3");
  return form;
}

test("no seconds beyond the maximum of a recording are billed", async () => {
  vendor.behave({ usage: { input: 1e12, output: 0 } });
  const answer = await area.post("/v1/audio/transcriptions", recording(), keys.demo);
  expect([answer.status, await answer.text()]).toEqual([200, expect.anything()]);
  const { units, capped } = await area.eventOf(answer.headers.get("x-request-id"));
  expect(capped).toEqual(["seconds"]);
  expect(units.seconds).toBeLessThan(60);
});

const speech = { model: "speaks", voice: "alloy", input: "Hello, and welcome to all of you who are here." };
test.each([
  [
    "speech by the token",
    "/v1/audio/speech",
    () => speech,
    { input: 12, output: 40 },
    { inputTokens: 12, outputAudioTokens: 40 },
    52_000_000n,
  ],
  ["a transcript", "/v1/audio/transcriptions", recording, { input: 6, output: 0 }, { seconds: 6 }, 6_000_000n],
])("the vendor's answer with %s is read to its end after its client left, and charged", async (...row) => {
  const [, path, body, usage, units, charged] = row;
  const { cost, events } = await leaveCalls(area, vendor, { path, bodies: [body()] }, answers(vendor, { usage }));
  expect(cost).toBe(charged);
  expect(events).toMatchObject([{ outcome: "cancelled", status: 499, estimated: false, units }]);
});

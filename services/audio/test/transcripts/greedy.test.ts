import { expect, test } from "vitest";
import { startArea } from "../../../../libs/relay/test/area.ts";
import { keys } from "../../../../libs/relay/test/config.ts";
import { startGreedyVendor } from "../../../text/test/greedy-vendor.ts";
import { service } from "../../src/service.ts";

test("no seconds beyond the maximum of a recording are billed", async () => {
  await using vendor = await startGreedyVendor();
  const way = {
    id: "transcribes",
    provider: "openai",
    baseUrl: `${vendor.url}/v1`,
    keys: ["key"],
    models: ["transcribes"],
  };
  await using area = await startArea(service, {
    config: {
      groups: { default: { models: ["*"] } },
      models: { transcribes: { kind: "transcription", price: { second: 0.001 } } },
      channels: [way],
      accounts: { demo: { balance: "1000", tokens: [{ key: keys.demo, group: "default" }] } },
    },
  });
  vendor.behave({ usage: { input: 1e12, output: 0 } });
  const form = new FormData();
  form.set("model", "transcribes");
  form.set("file", new Blob([new Uint8Array(20_000)]), "sound.mp3");
  const answer = await area.post("/v1/audio/transcriptions", form, keys.demo);
  expect([answer.status, await answer.text()]).toEqual([200, expect.anything()]);
  const { units, capped } = await area.eventOf(answer.headers.get("x-request-id"));
  expect(capped).toEqual(["seconds"]);
  expect(units.seconds).toBeLessThan(60);
});

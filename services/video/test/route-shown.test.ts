import { afterAll, beforeAll, expect, test } from "vitest";
import { startArea, type Area } from "../../../libs/relay/test/area.ts";
import { channel, keys } from "../../../libs/relay/test/config.ts";
import { service } from "../src/service.ts";

let area: Area;
beforeAll(async () => {
  area = await startArea(service, {
    config: {
      groups: { default: { models: ["*"], showChannel: true } },
      models: { film: { kind: "video", price: { second: 0.01 } } },
      channels: [
        channel("film-first", { film: "sora-2" }, { priority: 20 }),
        channel("film-second", { film: "sora-2" }),
      ],
      accounts: { demo: { balance: "10.00", tokens: [{ key: keys.demo, group: "default" }] } },
    },
  });
});
afterAll(() => area?.[Symbol.asyncDispose]());

test("the channel and the attempts are reported with a task", async () => {
  const ask = async () => {
    const body = { model: "film", prompt: "A boat", seconds: "4" };
    const { headers } = await area.post("/v1/videos", body, keys.demo);
    return [headers.get("x-modelgate-channel"), headers.get("x-modelgate-attempts")];
  };
  await area.simulator.script("film-first", [{ status: 429, retryAfter: "0" }]);
  expect(await ask()).toEqual(["film-second", "film-first;failed=upstream_rate_limited, film-second"]);
  await area.simulator.script("film-first", [{ status: 400 }]);
  expect(await ask()).toEqual(["film-first", "film-first;failed=upstream_rejected"]);
});

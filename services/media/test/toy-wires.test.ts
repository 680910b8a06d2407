import { toyConfig, toyKey } from "../../../libs/relay/test/toys.ts";
import { startScriptedServer } from "@modelgate/testkit";
import { expect, test } from "vitest";
import { startArea } from "../../../libs/relay/test/area.ts";
import { service } from "../src/service.ts";

test("a wire of images can be added", async () => {
  await using vendor = await startScriptedServer(() => ({ body: { at: "https://a.example/x.png" } }));
  await using area = await startArea(service, { config: toyConfig(vendor.url, { image: { image: 0.04 } }) });
  const response = await area.post("/v1/images/generations", { model: "my-image", prompt: "a fox" }, toyKey);
  expect(await response.json()).toMatchObject({ data: [{ url: "https://a.example/x.png" }] });
  expect(vendor.requests.map(({ body }) => JSON.parse(body))).toEqual([{ draw: "a fox" }]);
  expect(await area.eventOf(response.headers.get("x-request-id"))).toMatchObject({ units: { images: 1 } });
});

import { toyConfig, toyKey } from "../../../libs/relay/test/toys.ts";
import { startScriptedServer } from "@modelgate/testkit";
import { expect, test } from "vitest";
import { startArea } from "../../../libs/relay/test/area.ts";
import { service } from "../src/service.ts";
import { ask, ended, quickLimits } from "./films.ts";

test("a wire of video tasks can be added", async () => {
  await using vendor = await startScriptedServer({
    "/start": { body: { ticket: "t" } },
    "/poll/t": { body: { film: "https://a.example/x.mp4" } },
  });
  const config = toyConfig(vendor.url, { video: { second: 0.1 } });
  await using area = await startArea(service, { config, limits: quickLimits });
  const body = { model: "my-video", prompt: "a fox", duration: 4 };
  const { json } = await ask(area, "/v1/video/generations", body, { key: toyKey });
  expect(JSON.parse(vendor.requests[0]?.body ?? "")).toEqual({ film: "a fox", seconds: 4 });
  expect(await ended(area, json.id, toyKey)).toMatchObject({ status: "completed", seconds: "4" });
  const { spentNanos } = await area.settled("demo");
  expect(spentNanos).toBe(400_000_000n);
});

import { startScriptedServer } from "@modelgate/testkit";
import { expect, test } from "vitest";
import { startArea } from "../../../libs/relay/test/area.ts";
import { keys } from "../../../libs/relay/test/config.ts";
import { service } from "../src/service.ts";
import { ask, quickLimits } from "./films.ts";

test("a start is not repeated if the vendor's answer names no task", async () => {
  let answer: object = {};
  await using vendor = await startScriptedServer({ "/first/videos": () => ({ body: answer }), "/second/videos": {} });
  const channel = (id: string, priority: number) => ({
    id,
    provider: "openai",
    baseUrl: `${vendor.url}/${id}`,
    keys: ["k"],
    models: ["film"],
    priority,
  });
  const config = {
    groups: { default: { models: ["*"] } },
    models: { film: { kind: "video", price: { second: 0.1 } } },
    channels: [channel("first", 1), channel("second", 0)],
    accounts: { demo: { balance: "10", tokens: [{ key: keys.demo, group: "default" }] } },
  };
  await using area = await startArea(service, { config, limits: quickLimits });
  for (const [body, failure] of [
    [{ status: "queued", error: null }, [502, "create_uncertain"]],
    [{ error: { message: "no boats" } }, [400, "upstream_rejected"]],
  ] as const) {
    answer = body;
    const { status, json } = await ask(area, "/v1/videos", { model: "film", prompt: "A boat" });
    expect([status, json.error.code]).toEqual(failure);
  }
  expect(vendor.requests.map(({ path }) => path)).toEqual(["/first/videos", "/first/videos"]);
  expect((await area.settled("demo")).spentNanos).toBe(0n);
});

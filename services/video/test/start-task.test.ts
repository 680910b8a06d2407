import { startScriptedServer } from "@modelgate/testkit";
import { expect, test } from "vitest";
import { startArea } from "../../../libs/relay/test/area.ts";
import { keys } from "../../../libs/relay/test/config.ts";
import { service } from "../src/service.ts";
import { ask, quickLimits } from "./films.ts";

const starts = [
  { answer: { status: "queued", error: null }, failure: [502, "create_uncertain"] },
  { answer: { code: 0, data: {} }, failure: [502, "create_uncertain"] },
  { answer: { code: 10_000, data: null }, failure: [502, "create_uncertain"] },
  { answer: { code: "Success", error: "" }, failure: [502, "create_uncertain"] },
  { answer: { code: "" }, failure: [502, "create_uncertain"] },
  { answer: { error: { message: "no boats" } }, failure: [400, "upstream_rejected"] },
  { answer: { code: "InvalidParameter", error: "" }, failure: [400, "upstream_rejected"] },
] as const;

test("a start is not repeated if the vendor's answer names no task", async () => {
  const answers = starts.map(({ answer }, index) => [`/${index}/videos`, { body: answer }] as const);
  await using vendor = await startScriptedServer({ ...Object.fromEntries(answers), "/other/videos": {} });
  const models = starts.map((_, index) => `film-${index}`);
  const channel = (id: string, served: readonly string[], priority: number) => ({
    id,
    provider: "openai",
    baseUrl: `${vendor.url}/${id}`,
    keys: ["k"],
    models: served,
    priority,
  });
  const config = {
    groups: { default: { models: ["*"] } },
    models: Object.fromEntries(models.map((model) => [model, { kind: "video", price: { second: 0.1 } }])),
    channels: [...models.map((model, index) => channel(String(index), [model], 1)), channel("other", models, 0)],
    accounts: { demo: { balance: "10", tokens: [{ key: keys.demo, group: "default" }] } },
  };
  await using area = await startArea(service, { config, limits: quickLimits });
  for (const [index, { failure }] of starts.entries()) {
    const { status, json } = await ask(area, "/v1/videos", { model: models[index], prompt: "A boat" });
    expect([index, status, json.error.code]).toEqual([index, ...failure]);
  }
  expect(vendor.requests.map(({ path }) => path)).toEqual(starts.map((_, index) => `/${index}/videos`));
  expect((await area.settled("demo")).spentNanos).toBe(0n);
});

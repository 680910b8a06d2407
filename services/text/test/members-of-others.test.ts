import { afterAll, beforeAll, expect, test } from "vitest";
import { channel, hello, keys } from "../../../libs/relay/test/house.ts";
import { startArea, type Area } from "../../../libs/relay/test/area.ts";
import { service } from "../src/service.ts";
import { post } from "./house.ts";

/** Members that other vendors of the chat wire understand, over its own vendor, which refuses what it does not know. */
let area: Area;
beforeAll(async () => {
  area = await startArea(service, {
    config: {
      groups: { default: { models: ["*"] } },
      models: {
        own: { kind: "chat", price: { request: 0.001 } },
        follower: { kind: "chat", price: { request: 0.001 } },
        answers: { kind: "chat", price: { request: 0.001 } },
      },
      channels: [
        channel("own", { own: "gpt-5.2" }),
        channel("follower", { follower: "other" }),
        channel("answers", { answers: "gpt-5.2" }, { wires: ["responses"] }),
      ],
      accounts: { demo: { balance: "10.00", tokens: [{ key: keys.demo, group: "default" }] } },
    },
  });
});
afterAll(() => area?.[Symbol.asyncDispose]());

test.each([
  [{ thinking: { type: "enabled", budget_tokens: 2_000 } }, { reasoning_effort: "low" }, ""],
  [{ enable_thinking: true, thinking_budget: 2_000 }, { reasoning_effort: "low" }, ""],
  [{ reasoning: { effort: "high" } }, { reasoning_effort: "high" }, ""],
  [{ min_p: 0.1, user: "u" }, { user: "u" }, "min_p"],
  [{ usage: { include: true } }, {}, ""],
  [{ provider: { order: ["a"] } }, {}, "provider"],
  [{ safe_prompt: true }, {}, "safe_prompt"],
  [{ top_k: 3 }, {}, "top_k"],
])("%j is translated, or dropped and named", async (asked, sent, dropped) => {
  await area.simulator.forget("own");
  const answer = await post(area, { ...hello("own"), ...asked });
  expect([answer.status, answer.headers.get("x-modelgate-dropped") ?? ""]).toEqual([200, dropped]);
  const [seen] = await area.simulator.requests("own");
  const body: unknown = JSON.parse(seen?.body ?? "{}");
  expect(body).toMatchObject(sent);
  for (const name of Object.keys(asked)) if (!(name in sent)) expect(body).not.toHaveProperty(name);
});

test("a follower gets its members as they came, and the wire's vendor those that are not known here", async () => {
  await post(area, { ...hello("follower"), min_p: 0.1 });
  await post(area, { ...hello("own"), member_of_tomorrow: 1 });
  const [follower] = await area.simulator.requests("follower");
  const own = (await area.simulator.requests("own")).at(-1);
  expect(JSON.parse(follower?.body ?? "{}")).toMatchObject({ min_p: 0.1 });
  expect(JSON.parse(own?.body ?? "{}")).toMatchObject({ member_of_tomorrow: 1 });
});

test.each([
  [{ min_p: 0.1, provider: { order: ["a"] }, thinking: { type: "enabled" } }, "min_p, provider, thinking"],
  [{ usage: { include: true } }, ""],
  [{ usage: { include: false } }, ""],
])("%j in responses is left out for the wire's vendor, and named", async (asked, dropped) => {
  await area.simulator.forget("answers");
  const body = { model: "answers", input: "Hello", reasoning: { effort: "low" }, ...asked };
  const answer = await fetch(`${area.url}/v1/responses`, {
    method: "POST",
    headers: { authorization: `Bearer ${keys.demo}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  expect([answer.status, answer.headers.get("x-modelgate-dropped") ?? ""]).toEqual([200, dropped]);
  const [seen] = await area.simulator.requests("answers");
  const sent: unknown = JSON.parse(seen?.body ?? "{}");
  expect(sent).toEqual({ model: "gpt-5.2", input: "Hello", reasoning: { effort: "low" } });
});

import { afterAll, beforeAll, expect, test } from "vitest";
import { startScriptedServer, textAnswers, textUsage, textWireOf, type ScriptedServer } from "@modelgate/testkit";
import { startArea, type Area } from "../../../libs/relay/test/area.ts";
import { keys } from "../../../libs/relay/test/config.ts";
import { service } from "../src/service.ts";

/**
 * Azure resource whose deployments have custom names and serve GPT-6.2. It refuses the parameters that this model
 * refuses.
 */
let azure: ScriptedServer;
let area: Area;
beforeAll(async () => {
  azure = await startScriptedServer(({ path, body }) => {
    const request = JSON.parse(body);
    const wire = textWireOf(path) ?? "chat";
    const refused = ["temperature", "top_p"].find((name) => name in request);
    const effort = request.reasoning_effort ?? request.reasoning?.effort;
    if (refused !== undefined)
      return {
        status: 400,
        body: { error: { message: `'${refused}' is not supported with this model`, param: refused } },
      };
    if (effort === "none" || effort === "minimal" || "instructions" in request)
      return { status: 400, body: { error: { message: `Unsupported value: '${effort}'`, param: "reasoning" } } };
    return { body: textAnswers[wire]({ model: "gpt-6.2-sol", text: "Hi.", usage: textUsage[wire](1, 1) }).whole };
  });
  const models = { "gpt-6.2-sol": "team-main", other: "side" };
  area = await startArea(service, {
    config: {
      groups: { default: { models: ["*"] } },
      models: Object.fromEntries(
        Object.keys(models).map((name) => [name, { kind: "chat", price: { request: 0.001 } }]),
      ),
      channels: [{ id: "azure", provider: "azure", baseUrl: `${azure.url}/openai/v1`, keys: ["key"], models }],
      accounts: { demo: { balance: "10.00", tokens: [{ key: keys.demo, group: "default" }] } },
    },
  });
});
afterAll(async () => {
  await area?.[Symbol.asyncDispose]();
  await azure?.[Symbol.asyncDispose]();
});

async function call(path: string, body: object) {
  const answer = await fetch(area.url + path, {
    method: "POST",
    headers: {
      authorization: `Bearer ${keys.demo}`,
      "content-type": "application/json",
      "anthropic-version": "2023-06-01",
    },
    body: JSON.stringify(body),
  });
  const dropped = answer.headers.get("x-modelgate-dropped");
  return { status: answer.status, dropped, sent: JSON.parse(azure.requests.at(-1)?.body ?? "{}") };
}

const messages = [{ role: "user", content: "Hi" }];

test.each([
  ["/v1/chat/completions", { messages, temperature: 0.2, reasoning_effort: "minimal", max_tokens: 9 }, "temperature"],
  ["/v1/responses", { input: "Hi", top_p: 0.2, reasoning: { effort: "minimal" } }, "top_p"],
  ["/v1/messages", { messages, max_tokens: 50, top_p: 0.2, system: "Be brief." }, "top_p"],
])("%s: a deployment follows the rules of the model that the configuration names", async (path, body, droppedField) => {
  const { status, dropped, sent } = await call(path, { model: "gpt-6.2-sol", ...body });
  expect([status, dropped?.split(", ")]).toEqual([200, expect.arrayContaining([droppedField])]);
  expect(sent.model).toBe("team-main");
});

test("a deployment whose name matches no model gets the request unchanged, and the vendor's refusal is sent to the client", async () => {
  const { status, sent } = await call("/v1/chat/completions", { model: "other", messages, temperature: 0.2 });
  expect([status, sent.temperature]).toEqual([400, 0.2]);
});

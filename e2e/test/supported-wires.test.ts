import { afterAll, beforeAll, expect, test } from "vitest";
import { startSuite, type Suite } from "@modelgate/testkit";
import { channel, keys } from "./house.ts";

let suite: Suite;
const models = ["either", "pinned", "only-chat"];
beforeAll(async () => {
  suite = await startSuite({
    shape: "apart",
    config: {
      groups: { default: { models: ["*"] } },
      models: Object.fromEntries(models.map((name) => [name, { kind: "chat", price: { request: 0.001 } }])),
      channels: [
        channel("either", ["either"]),
        channel("pinned", ["pinned"], { wires: ["chat"] }),
        channel("only-chat", ["only-chat"]),
      ],
      accounts: { demo: { balance: "10.00", tokens: [{ key: keys.demo, group: "default" }] } },
    },
  });
});
afterAll(() => suite?.[Symbol.asyncDispose]());

async function respond(model: string) {
  const answer = await fetch(`${suite.edgeUrl}/v1/responses`, {
    method: "POST",
    headers: { authorization: `Bearer ${keys.demo}`, "content-type": "application/json" },
    body: JSON.stringify({ model, input: "Hello" }),
  });
  return { status: answer.status, body: await answer.json() };
}

const hello = { status: 200, body: { object: "response", status: "completed" } };
const pathsAt = async (id: string) =>
  (await suite.simulator.requests(id)).map(({ path }) => path.slice(path.lastIndexOf("/v1/")));

test("a vendor is spoken to in the client's own wire where it may have it", async () => {
  expect(await respond("either")).toMatchObject(hello);
  expect(await pathsAt("either")).toEqual(["/v1/responses"]);
});

test("a channel's wires are what its vendor is spoken to in", async () => {
  expect(await respond("pinned")).toMatchObject(hello);
  expect(await pathsAt("pinned")).toEqual(["/v1/chat/completions"]);
});

test("an endpoint that a vendor lacks is found out once, and the call is served by another", async () => {
  await suite.simulator.script("only-chat", [{ status: 404, errorCode: "unknown_url", errorMessage: "no such path" }]);
  expect(await respond("only-chat")).toMatchObject(hello);
  expect(await respond("only-chat")).toMatchObject(hello);
  expect(await pathsAt("only-chat")).toEqual(["/v1/responses", "/v1/chat/completions", "/v1/chat/completions"]);
});

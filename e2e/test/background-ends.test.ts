import { afterAll, beforeAll, expect, test } from "vitest";
import { startLocalSuite, until, type LocalBackends, type Suite } from "@modelgate/testkit";
import { config, keys, settledMoney } from "./suite-client.ts";

let suite: Suite<LocalBackends>;
beforeAll(async () => {
  suite = await startLocalSuite({
    fresh: true,
    shape: "apart",
    config,
    env: { DRAIN_MS: "2000" },
    limits: {
      relay: { limits: { leaseMs: 1_500 } },
      edge: { seatLeaseMs: 900 },
      text: { responses: { background: { leaseMs: 3_000 } } },
    },
  });
});
afterAll(() => suite?.[Symbol.asyncDispose]());

const headers = { authorization: `Bearer ${keys.demo}`, "content-type": "application/json" };
const slow = 'Hi {{simulate: {"chunks": 2000, "chunkDelayMs": 20}}}';

async function begin(): Promise<string> {
  const body = JSON.stringify({ model: "chat", input: slow, background: true });
  const answer = await fetch(`${suite.edgeUrl}/v1/responses`, { method: "POST", headers, body });
  const response: { readonly id: string; readonly status: string } = JSON.parse(await answer.text());
  expect(response).toMatchObject({ status: "queued" });
  await until("it to be created", async () => (await read(response.id))?.["status"] === "in_progress");
  return response.id;
}

async function read(id: string): Promise<Readonly<Record<string, unknown>> | undefined> {
  const answer = await fetch(`${suite.edgeUrl}/v1/responses/${id}`, { headers });
  return answer.status === 200 ? JSON.parse(await answer.text()) : undefined;
}

const failed = (id: string) =>
  until("the response to have failed", async () => {
    const response = await read(id);
    return response?.["status"] === "failed" && response;
  });

test("the responses of a killed service fail when their leases have ended", async () => {
  const id = await begin();
  suite.process("text").signal("SIGKILL");
  await suite.process("text").ended;
  await suite.restart("text");
  expect(await failed(id)).toMatchObject({
    error: { code: "server_error", message: expect.stringContaining("ended") },
  });
  const events = await fetch(`${suite.edgeUrl}/v1/responses/${id}?stream=true`, { headers });
  expect(await events.text()).toMatch(/\n\nevent: response\.failed\ndata: .*\n\n$/);
  await settledMoney(suite);
});

test("the responses of a service that shuts down fail, with their usage, before it exits", async () => {
  const id = await begin();
  suite.process("text").signal("SIGTERM");
  await suite.process("text").ended;
  await suite.restart("text");
  expect(await read(id)).toMatchObject({ status: "failed", error: { message: expect.stringContaining("restarted") } });
  await settledMoney(suite);
});

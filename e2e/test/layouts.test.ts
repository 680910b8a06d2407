import { afterAll, beforeAll, expect, test } from "vitest";
import { freePorts, startServiceAlone, startSuite, type AloneService, type Suite } from "@modelgate/testkit";
import { config, hello, keys, post, settledMoney } from "./suite-client.ts";
import { sharedEnv } from "./replica.ts";

let suite: Suite;
beforeAll(async () => {
  suite = await startSuite({ config });
});
afterAll(() => suite?.[Symbol.asyncDispose]());

const priceNanos = 1_000_000n;

async function startGateway(env: Readonly<Record<string, string>>): Promise<AloneService> {
  const [port = 0] = await freePorts(1);
  const gateway = await startServiceAlone("gateway", { ...sharedEnv(suite), PORT: String(port), ...env });
  return Object.assign(gateway, { url: `http://127.0.0.1:${port}` });
}

async function spent(): Promise<bigint> {
  return BigInt((await settledMoney(suite)).spentNanos);
}

async function metricsOf({ opsUrl }: AloneService): Promise<string> {
  return (await fetch(`${opsUrl}/metrics`)).text();
}

test("an edge serves the areas of its process, forwards others, and both are charged once", async () => {
  await using media = await startServiceAlone("media", sharedEnv(suite));
  await using gateway = await startGateway({ MODELGATE_SERVICES: "edge,text", MEDIA_URL: media.url });
  const before = await spent();
  const at = { ...suite, edgeUrl: gateway.url };
  expect((await post(at, hello("fixed"))).status).toBe(200);
  const picture = async (): Promise<number> => {
    const answer = await fetch(`${gateway.url}/v1/images/generations`, {
      method: "POST",
      headers: { authorization: `Bearer ${keys.demo}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "sketch", prompt: "a fox", size: "64x64" }),
    });
    await answer.arrayBuffer();
    return answer.status;
  };
  expect(await picture()).toBe(200);
  expect((await spent()) - before).toBe(priceNanos + 40_000_000n);
  media.signal("SIGKILL");
  await media.ended;
  expect([await picture(), (await post(at, hello("fixed"))).status]).toEqual([503, 200]);
});

test("workers of a gateway share its port, and every call is charged once, regardless of the worker", async () => {
  const calls = 60;
  await using gateway = await startGateway({ MODELGATE_SERVICES: "edge,text", WORKERS: "2" });
  const before = await spent();
  const at = { ...suite, edgeUrl: gateway.url };
  const statuses = await Promise.all(
    Array.from({ length: calls }, async () => (await post(at, hello("fixed"))).status),
  );
  expect(new Set(statuses)).toEqual(new Set([200]));
  expect((await spent()) - before).toBe(BigInt(calls) * priceNanos);
  const metrics = await metricsOf(gateway);
  const admitted = [1, 2].map((worker) => {
    const line = new RegExp(
      `^modelgate_limiter_decisions_total\\{.*decision="admitted".*worker="${worker}".*\\} (\\d+)$`,
      "m",
    );
    return Number(line.exec(metrics)?.[1] ?? 0);
  });
  expect(admitted.reduce((sum, each) => sum + each, 0)).toBe(calls);
  expect(admitted).not.toContain(0);
});

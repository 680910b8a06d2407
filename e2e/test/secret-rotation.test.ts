import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { signOperator } from "@modelgate/contracts/operator-credential";
import { startServiceAlone, startSuite, until, type AloneService, type Suite } from "@modelgate/testkit";
import { config as baseConfig, channel, hello, keys } from "./suite-client.ts";
import { openLoadBalancer, startReplicaOf, type ReplicaBehindBalancer, type LoadBalancer } from "./load-balancer.ts";

const config = {
  ...baseConfig,
  models: { fixed: baseConfig.models.fixed },
  channels: [channel("main", ["fixed"])],
  accounts: { demo: { balance: "1000.00", tokens: [{ key: keys.demo, group: "default" }] } },
};
const folder = mkdtempSync(join(tmpdir(), "modelgate-rotation-"));

let suite: Suite;
let [edges, texts]: LoadBalancer[] = [];
const started = new Set<AloneService>();
beforeAll(async () => {
  suite = await startSuite({ shape: "apart", config });
  [edges, texts] = await Promise.all([openLoadBalancer(), openLoadBalancer()]);
});
afterAll(async () => {
  await Promise.all([...started].map((service) => service.stop()));
  await edges?.[Symbol.asyncDispose]();
  await texts?.[Symbol.asyncDispose]();
  await suite?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

interface SecretPair {
  readonly MODELGATE_SECRET: string;
  readonly MODELGATE_SECRET_BEFORE: string;
}

async function start(name: "edge" | "text", secrets: SecretPair): Promise<ReplicaBehindBalancer> {
  const replica = await startReplicaOf(name, suite, { edge: edges, text: texts }, { env: { ...secrets } });
  started.add(replica.service);
  return replica;
}

/** Replaces services one after another. The new one accepts calls before the old one drains. */
async function replace(
  old: readonly ReplicaBehindBalancer[],
  secrets: SecretPair,
): Promise<readonly ReplicaBehindBalancer[]> {
  const fresh = await Promise.all((["edge", "text"] as const).map((name) => start(name, secrets)));
  for (const [at, replica] of fresh.entries()) {
    replica.balancer?.ports.add(replica.port);
    const before = old[at];
    if (before !== undefined) {
      before.balancer?.ports.delete(before.port);
      await before.service.stop();
      started.delete(before.service);
    }
  }
  return fresh;
}

async function respond(previous?: string) {
  const answer = await fetch(`${edges?.url}/v1/responses`, {
    method: "POST",
    headers: { authorization: `Bearer ${keys.demo}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "fixed", input: "Hello", previous_response_id: previous }),
  });
  const { id, error }: { id: string; error: { code: string } | null } = JSON.parse(await answer.text());
  return { status: answer.status, id, code: error?.code };
}

test("a secret is rotated under load: no call is refused, and the configuration encrypted with the new one is read", async () => {
  const [old, next] = [suite.secret, randomBytes(24).toString("base64url")];
  // As after step 1 of a rotation, in which all services still sign with the old secret.
  let replicas = await replace([], { MODELGATE_SECRET: old, MODELGATE_SECRET_BEFORE: next });

  const state = { on: true, requestCount: 0, ended: false };
  const refused: (number | string)[] = [];
  const load = Array.from({ length: 4 }, async () => {
    while (state.on) {
      state.requestCount++;
      const answer = await fetch(`${edges?.url}/v1/chat/completions`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${keys.demo}`,
          "content-type": "application/json",
          connection: "close", // a replica that ends closes idle connections, which can abort a request sent meanwhile
        },
        body: JSON.stringify(hello("fixed")),
      }).catch(String);
      if (typeof answer === "string") refused.push(answer);
      else {
        const text = await answer.text();
        if (answer.status !== 200) refused.push(`${answer.status} ${text}`);
      }
      await pause(60);
    }
  });

  const { id } = await respond();
  replicas = await replace(replicas, { MODELGATE_SECRET: next, MODELGATE_SECRET_BEFORE: old });
  const control = await replaceControl({ MODELGATE_SECRET: next, MODELGATE_SECRET_BEFORE: old });
  // Earlier content can be read while the old secret is accepted.
  const after = await respond(id);
  expect(after.status).toBe(200);
  await replace(replicas, { MODELGATE_SECRET: next, MODELGATE_SECRET_BEFORE: "" });
  expect(await respond(id)).toMatchObject({ status: 400, code: "previous_response_not_found" });
  expect(await respond(after.id)).toMatchObject({ status: 400, code: "previous_response_not_found" });
  state.requestCount += 2;
  state.on = false;
  await Promise.all(load);

  expect(refused).toEqual([]);
  expect(state.requestCount).toBeGreaterThan(20);
  await until("all holds to be settled", async () => {
    const credential = signOperator(next, Math.floor(Date.now() / 1_000) + 60);
    const answer = await fetch(`${control.url}/accounts/demo`, { headers: { authorization: `Bearer ${credential}` } });
    const { data }: { data: { heldNanos: string; spentNanos: string } } = JSON.parse(await answer.text());
    return data.heldNanos === "0" && BigInt(data.spentNanos) === 1_000_000n * BigInt(state.requestCount);
  });
});

/** Replaces control, which then publishes the vendor keys encrypted with the new secret. */
async function replaceControl(secrets: SecretPair): Promise<AloneService> {
  await suite.process("control").stop();
  const file = join(folder, "modelgate.yaml");
  writeFileSync(file, JSON.stringify(config));
  const control = await startServiceAlone("control", {
    REDIS_URL: suite.backends.redisUrl,
    SIMULATOR_URL: suite.simulator.url,
    LEDGER_URL: "http://127.0.0.1:9", // only requests of usage need it
    MODELGATE_CONFIG: file,
    ...secrets,
  });
  started.add(control);
  await until("the configuration to be published", () => control.logs().includes("configuration published"));
  return control;
}

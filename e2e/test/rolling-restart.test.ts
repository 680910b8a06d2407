import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startServiceAlone, until, type AloneService, type Suite } from "@modelgate/testkit";
import { openRestartSetup, type RestartSetup } from "../restarts/setup.ts";
import { isWhole, rollOut } from "../restarts/rolling.ts";
import { storedEvents } from "./events.ts";
import { keys, settledMoney } from "./suite-client.ts";

const streamCount = 50;
const folder = mkdtempSync(join(tmpdir(), "modelgate-rotation-"));

let setup: RestartSetup;
let control: AloneService | undefined;
beforeAll(async () => {
  setup = await openRestartSetup("apart");
});
afterAll(async () => {
  await control?.[Symbol.asyncDispose]();
  await setup?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

async function respond(url: string, previous?: string): Promise<{ readonly status: number; readonly id: string }> {
  const answer = await fetch(`${url}/v1/responses`, {
    method: "POST",
    headers: { authorization: `Bearer ${keys.demo}`, "content-type": "application/json", "x-request-id": "response" },
    body: JSON.stringify({ model: "chat", input: "Hello", previous_response_id: previous }),
  });
  const { id }: { readonly id: string } = JSON.parse(await answer.text());
  return { status: answer.status, id };
}

test(`${streamCount} open streams while all replicas of edge and text are replaced by ones with a new secret: none is cut, nothing refused, no event lost`, async () => {
  const { suite } = setup;
  const next = randomBytes(24).toString("base64url");
  const fresh = { MODELGATE_SECRET: next, MODELGATE_SECRET_BEFORE: suite.secret };
  const names = ["text", "edge"] as const;
  let response = "";
  const result = await rollOut(setup, {
    names,
    streams: streamCount,
    sessions: 0,
    // As after step 1 of a rotation, in which all services still sign with the old secret.
    env: { old: { MODELGATE_SECRET: suite.secret, MODELGATE_SECRET_BEFORE: next }, fresh },
    around: {
      before: async (url) => {
        response = (await respond(url)).id;
      },
      async after(url) {
        control = await replaceControl(fresh);
        // Earlier content can be read while the old secret is accepted.
        expect((await respond(url, response)).status).toBe(200);
      },
    },
  });
  expect(result.openStreams).toBe(streamCount);
  expect(result.exitStatuses).toEqual([0, 0]);
  expect(result.otherAnswers.filter((answer) => !isWhole(answer, "plain"))).toEqual([]);
  // The number of other calls depends on the machine.
  expect(result.otherAnswers.length).toBeGreaterThan(names.length);
  expect(result.streams.filter((answer) => isWhole(answer, "stream"))).toHaveLength(streamCount);
  expect(result.runningReplicas).toBe(names.length);
  const others = result.otherAnswers.length + 2;
  await booksAgree({ ...suite, controlUrl: control?.url ?? "", secret: next }, others);
});

/** Replaces control, which then publishes the vendor keys encrypted with the new secret. */
async function replaceControl(secrets: Readonly<Record<string, string>>): Promise<AloneService> {
  await setup.suite.process("control").stop();
  const file = join(folder, "modelgate.yaml");
  writeFileSync(file, JSON.stringify(setup.config));
  const replaced = await startServiceAlone("control", {
    REDIS_URL: setup.suite.backends.redisUrl,
    SIMULATOR_URL: setup.suite.simulator.url,
    LEDGER_URL: "http://127.0.0.1:9", // only requests of usage need it
    MODELGATE_CONFIG: file,
    ...secrets,
  });
  await until("the configuration to be published", () => replaced.logs().includes("configuration published"));
  return replaced;
}

/** Waits until nothing is reserved, each call has one event, and the spending equals the events. */
async function booksAgree(suite: Suite, others: number): Promise<void> {
  const account = await settledMoney(suite);
  expect(BigInt(account.balanceNanos)).toBe(BigInt(account.creditedNanos) - BigInt(account.spentNanos));
  const events = await until("every event to be stored", async () => {
    const stored = (await storedEvents(suite.backends.natsUrl)).map(({ event }) => event);
    return stored.filter(({ requestId }) => requestId !== "ready").length >= streamCount + others && stored;
  });
  expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
  const streams = events.filter(({ requestId }) => requestId.startsWith("stream-"));
  expect(new Set(streams.map(({ requestId }) => requestId)).size).toBe(streamCount);
  expect(streams).toHaveLength(streamCount);
  expect(streams.filter(({ outcome, estimated }) => outcome !== "completed" || estimated)).toEqual([]);
  expect(events.reduce((sum, { costNanos }) => sum + BigInt(costNanos), 0n)).toBe(BigInt(account.spentNanos));
}

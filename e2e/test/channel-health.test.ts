import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startSuite, until, type Suite } from "@modelgate/testkit";
import { another, channel, config, hello, keys, post, rival } from "./suite-client.ts";
import { shownChannel } from "./operator.ts";
import { startReplica, type Replica } from "./replica.ts";

/** Values of `retry-after`, and the resulting cooldowns. */
const retryAfters: readonly (readonly [header: string, seconds: number])[] = [
  ["45", 45],
  ["450", 450],
  ["(a date)", 100],
  ["86400", 600],
  ["0", 0],
  ["soon", 0],
];
const names = [
  "probed",
  "turned",
  "keyed",
  "cut",
  "stalled",
  "begins",
  "goes-on",
  "budget",
  "late",
  "row",
  "throttled",
  "aborted",
  "denied",
  ...retryAfters.map((_, at) => `retry-after-${at}`),
] as const;
let suite: Suite;
let other: Replica;
beforeAll(async () => {
  suite = await startSuite({
    config: {
      ...config,
      models: { ...config.models, ...Object.fromEntries(names.map((name) => [name, config.models.chat])) },
      channels: [
        ...config.channels,
        ...["probed", "turned", "keyed"].flatMap((name) => [
          channel(name, [name], { priority: 10 }),
          channel(`${name}-second`, [name]),
        ]),
        channel("cut-first", ["cut"], { priority: 10 }),
        channel("cut-second", ["cut"]),
        channel("stalled-first", ["stalled"], { priority: 10, timeoutMs: 2_300 }),
        channel("stalled-second", ["stalled"]),
        channel("begins-first", ["begins"], { priority: 10, firstByteTimeoutMs: 1_500 }),
        channel("begins-second", ["begins"]),
        channel("goes-on-first", ["goes-on"], { priority: 10, firstByteTimeoutMs: 3_000 }),
        channel("goes-on-second", ["goes-on"]),
        channel("row", ["row"]),
        channel("throttled", ["throttled"]),
        channel("aborted", ["aborted"]),
        channel(
          "denied",
          { denied: "amazon.nova-lite" },
          {
            provider: "bedrock",
            baseUrl: "${SIMULATOR_URL}/at/denied/bedrock?region=us-east-1",
          },
        ),
        ...[1, 2, 3].map((at) => channel(`late-${at}`, ["late"], { priority: -at })),
        ...retryAfters.map((_, at) => channel(`retry-after-${at}`, [`retry-after-${at}`])),
        ...[1, 2, 3, 4, 5, 6].map((at) => channel(`budget-${at}`, ["budget"], { priority: -at })),
      ],
      accounts: { ...config.accounts, rival: rival.account },
    },
    limits: { relay: { attempts: { maxAttempts: 3, budgetMs: 3_500 } } },
  });
  other = await startReplica(suite);
});
afterAll(async () => {
  await other?.[Symbol.asyncDispose]();
  await suite?.[Symbol.asyncDispose]();
});

const count = async (name: string) => (await suite.simulator.requests(name)).length;
/** Sends a call to the suite if `at` is even, otherwise to the other replica. */
const ask = (at: number, body: object, key?: string) =>
  post(at % 2 === 0 ? suite : { ...suite, edgeUrl: other.edgeUrl }, body, key);
const streamed = (model: string) => ({ ...another(model), stream: true });
const otherReports = async (line: RegExp) => line.test(await (await fetch(`${other.service.opsUrl}/metrics`)).text());
/** Waits until the other replica reports a cooldown that has begun, or the cooldown has ended. */
function otherKnows(scope: string, seconds: number): Promise<true> {
  const line = new RegExp(`\\{scope="${scope}",state="cooldown"`);
  const end = Date.now() + seconds * 1_000;
  return until("the other replica to know", async () => (await otherReports(line)) || Date.now() > end);
}
const keyOf = (id: string) => createHash("sha256").update(`key-of-${id}`).digest("hex").slice(0, 12);

// This test must be first: the tests below begin cooldowns of other channels.
test("a stream that stalls or is cut counts against its channel", async () => {
  const breaks = Object.entries({ stalled: { stallAfterChunks: 3 }, cut: { cutAfterChunks: 3 } });
  for (const [model, behaviour] of breaks) {
    await suite.simulator.script(`${model}-first`, [{ ...behaviour, chunks: 10, chunkDelayMs: 5, repeat: true }]);
    const failed = await Promise.all([0, 0, 0].map(async (at) => (await ask(at, streamed(model))).text()));
    for (const text of failed) expect(text).toContain('"code":"upstream_');
  }
  // Each cooldown lasts 5 s.
  for (const [model] of breaks)
    await until("the cooldown to be reported", async () => {
      const [out] = (await shownChannel(suite, `${model}-first`)).accountCooldowns;
      return out?.account === "demo" && out.consecutiveCooldowns === 1;
    });
  // Without this wait, the other replica could still use the channels.
  await until("the other replica to know both", () =>
    otherReports(/^modelgate_channel_account_cooldowns\{state="cooldown"[^}]*\} 2$/m),
  );
  const counts = () => Promise.all(breaks.map(([model]) => count(`${model}-first`)));
  const before = await counts();
  const calls = breaks.flatMap(([model]) => [0, 1].map(async (at) => (await ask(at, streamed(model))).text()));
  for (const text of await Promise.all(calls)) expect(text).toContain("[DONE]");
  expect(await counts()).toEqual(before);
});

describe.concurrent("after a cooldown, one call at a time tests a channel that has an alternative, across all replicas", () => {
  test.each<[string, object, string]>([
    ["probed", { status: 503, retryAfter: "4" }, "probed"],
    ["keyed", { status: 429, retryAfter: "4" }, `keyed/${keyOf("keyed")}`],
  ])("%s", async (model, failure, scope) => {
    await suite.simulator.script(model, [{ ...failure, repeat: true }]);
    for (const key of [keys.demo, rival.key]) expect((await ask(0, another(model), key)).status).toBe(200);
    expect(await count(model)).toBe(2);
    await otherKnows(scope, 4);
    await suite.simulator.script(model, [{ delayMs: 60_000 }, {}]);
    await suite.simulator.forget(model);
    const leaving = new AbortController();
    // One call waits for the vendor. Both replicas send all others to the other channel.
    const calls = new Set<Promise<unknown>>();
    await until("the cooldown to end", async () => {
      calls.add(sendAndIgnore(calls.size, another(model), leaving.signal));
      return (await count(model)) === 1;
    });
    for (const at of [0, 1, 0, 1]) expect((await ask(at, another(model))).status).toBe(200);
    expect(await count(model)).toBe(1);
    const { state, keys: channelKeys } = await shownChannel(suite, model);
    expect([state, channelKeys[0]?.state]).toContain("probing");
    leaving.abort();
    await Promise.all(calls);
    await until("the next attempt", async () => (await ask(1, another(model))).ok && (await count(model)) === 2);
    await until("it to be shown", async () => {
      const shown = await shownChannel(suite, model);
      return [shown.state, shown.keys[0]?.state].every((each) => each === "ok");
    });
    const before = await count(model);
    for (const at of [0, 1]) expect((await ask(at, another(model))).status).toBe(200);
    expect(await count(model)).toBe(before + 2);
  });

  test("a probe that fails begins the next cooldown", async () => {
    await suite.simulator.script("turned", [
      { status: 503, retryAfter: "3" },
      { status: 503, retryAfter: "3" },
      { status: 500, repeat: true },
    ]);
    for (const key of [keys.demo, rival.key]) expect((await ask(0, another("turned"), key)).status).toBe(200);
    await otherKnows("turned", 3);
    // The other replica continues the number of consecutive cooldowns that it received.
    for (const [at, key] of [keys.demo, rival.key].entries())
      await until(
        "the probe",
        async () => (await ask(1, another("turned"), key)).ok && (await count("turned")) === 3 + at,
      );
    await until("it to be shown", async () => (await shownChannel(suite, "turned")).consecutiveCooldowns === 2);
    const { accountCooldowns } = await shownChannel(suite, "turned");
    expect(accountCooldowns).toMatchObject([{ account: "demo", scope: "turned", consecutiveCooldowns: 2 }]);
  });
});

test.concurrent("no attempt starts after the time limit for attempts", async () => {
  for (const [channelNumber, delayMs] of [0, 3_600, 0].entries())
    await suite.simulator.script(`late-${channelNumber + 1}`, [{ delayMs, status: 500, repeat: true }]);
  expect((await ask(0, hello("late"))).status).toBe(502);
  expect(await Promise.all([1, 2, 3].map((channelNumber) => count(`late-${channelNumber}`)))).toEqual([1, 1, 0]);
});

test.concurrent("a cooldown that a vendor requested is not ended by a concurrent call that succeeds", async () => {
  await suite.simulator.script("throttled", [{ delayMs: 1_000 }, { status: 503, retryAfter: "60" }, {}]);
  const before = ask(0, hello("throttled"));
  await until("the first call to reach the vendor", async () => (await count("throttled")) === 1);
  expect((await ask(0, hello("throttled"))).status).toBe(502);
  expect((await before).status).toBe(200);
  expect((await ask(0, hello("throttled"))).status).toBe(503);
  expect(await count("throttled")).toBe(2);
});

test.concurrent("failures count by their share: a few among successes start no cooldown, and an aborted call is not a success", async () => {
  const failure = { status: 500 };
  const behaviours = [failure, {}, {}, failure, {}, {}, failure, {}, {}, failure, {}];
  await suite.simulator.script("row", behaviours);
  for (const { status } of behaviours.map((each) => ({ status: "status" in each ? 502 : 200 })))
    expect((await ask(0, another("row"))).status).toBe(status);
  expect(await shownChannel(suite, "row")).toMatchObject({ state: "ok", accountCooldowns: [] });

  await suite.simulator.script("aborted", [failure, failure, { chunks: 1_000, chunkDelayMs: 20 }, failure, {}]);
  for (const at of [0, 0]) expect((await ask(at, another("aborted"))).status).toBe(502);
  await disconnectAfterStart(streamed("aborted"));
  await until(
    "it to reach the vendor",
    async () => (await suite.simulator.requests("aborted")).at(-1)?.aborted === true,
  );
  expect((await ask(0, another("aborted"))).status).toBe(502);
  await until("the cooldown to be reported", async () => {
    const { accountCooldowns } = await shownChannel(suite, "aborted");
    return accountCooldowns.length === 1 && accountCooldowns[0]?.account === "demo";
  });
});

test.concurrent("a permission that the vendor denies to the operator's account is shown on the channel", async () => {
  const errorMessage =
    "User: arn:aws:iam::1:user/u is not authorized to perform: bedrock:InvokeModel on resource: arn:aws:bedrock:us-east-1::foundation-model/amazon.nova-lite";
  await suite.simulator.script("denied", [
    { status: 403, errorCode: "AccessDeniedException", errorMessage, repeat: true },
  ]);
  for (let call = 0; call < 3; call++) {
    const answer = await ask(0, another("denied"));
    expect([answer.status, await answer.text()]).toEqual([502, expect.stringContaining("operator must grant it")]);
  }
  const cooldown = await until(
    "the cooldown to be reported",
    async () => (await shownChannel(suite, "denied")).accountCooldowns[0],
  );
  expect(cooldown).toMatchObject({ account: "demo", state: "cooldown", vendorMessage: errorMessage });
});

async function disconnectAfterStart(body: object): Promise<void> {
  const leaving = new AbortController();
  const answer = await fetch(`${suite.edgeUrl}/v1/chat/completions`, {
    method: "POST",
    signal: leaving.signal,
    headers: { authorization: `Bearer ${keys.demo}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  await answer.body?.getReader().read();
  leaving.abort();
}

test.concurrent.each(retryAfters.map(([header, seconds], at) => [header, seconds, `retry-after-${at}`] as const))(
  "a vendor with retry-after %s is in cooldown for %i s, and its client gets the same value",
  async (header, seconds, model) => {
    const retryAfter = header === "(a date)" ? new Date(Date.now() + seconds * 1_000).toUTCString() : header;
    await suite.simulator.script(model, [{ status: 503, retryAfter }, {}]);
    const before = Date.now();
    const refused = await ask(0, hello(model));
    const waitSeconds = Number(refused.headers.get("retry-after") ?? 0);
    if (seconds === 0) {
      expect((await ask(0, hello(model))).status).toBe(200);
      return;
    }
    expect(Math.abs(waitSeconds - seconds)).toBeLessThan(20);
    const { until: end = "" } = await until("the cooldown to be reported", async () => {
      const [cooldown] = (await shownChannel(suite, model)).accountCooldowns;
      return cooldown?.state === "cooldown" && cooldown;
    });
    expect(Math.abs(Date.parse(end) - before - seconds * 1_000)).toBeLessThan(20_000);
    expect((await ask(0, hello(model))).status).toBe(503);
  },
);

async function sendAndIgnore(at: number, body: object, signal: AbortSignal): Promise<void> {
  await fetch(`${at % 2 === 0 ? suite.edgeUrl : other.edgeUrl}/v1/chat/completions`, {
    method: "POST",
    signal,
    headers: { authorization: `Bearer ${keys.demo}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  }).catch(() => undefined);
}

describe.concurrent("the timeout of a stream's first byte is separate from that of silence within it", () => {
  test("a call without a first byte in time is retried elsewhere", async () => {
    await suite.simulator.script("begins-first", [{ delayMs: 60_000 }]);
    expect(await (await ask(0, streamed("begins"))).text()).toContain("[DONE]");
    expect([await count("begins-first"), await count("begins-second")]).toEqual([1, 1]);
    await until(
      "it to reach the vendor",
      async () => (await suite.simulator.requests("begins-first"))[0]?.aborted === true,
    );
  });

  test("a slow stream and a slow complete answer are not aborted", async () => {
    const slow = (behaviour: object) => hello("goes-on", `Hi {{simulate: ${JSON.stringify(behaviour)}}}`);
    const [stream, complete] = await Promise.all([
      ask(0, { ...slow({ chunks: 1, chunkDelayMs: 3_300 }), stream: true }),
      ask(0, slow({ delayMs: 3_300 })),
    ]);
    expect(await stream.text()).toContain("[DONE]");
    expect(complete.status).toBe(200);
    expect([await count("goes-on-first"), await count("goes-on-second")]).toEqual([2, 0]);
  });
});

test.concurrent("attempts do not exceed the configured number", async () => {
  for (const at of [1, 2, 3, 4, 5, 6]) await suite.simulator.script(`budget-${at}`, [{ status: 500, repeat: true }]);
  expect((await ask(0, hello("budget"))).status).toBe(502);
  const counts = await Promise.all([1, 2, 3, 4, 5, 6].map((at) => count(`budget-${at}`)));
  expect(counts).toEqual([1, 1, 1, 0, 0, 0]);
});

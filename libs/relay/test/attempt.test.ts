import { describe, expect, test } from "vitest";
import { AttemptsFailed, type Attempts, type WireRoute } from "@modelgate/channels";
import { compilePrice, Failure } from "@modelgate/contracts";
import { providers, type VendorRequest } from "@modelgate/providers";
import type { AnswerReader, Exchange } from "../src/answers/exchange.ts";
import { attemptCall } from "../src/attempt.ts";
import { CallRun, type RunMoney } from "../src/call-run.ts";
import type { RunDeps } from "../src/deps.ts";
import type { CallKind, Plan } from "../src/kind.ts";
import { expectText } from "../src/money/expect.ts";
import { queryVendor } from "../src/query-vendor.ts";
import { callOf, FakeAnswer, FakeClient, runDeps } from "./fakes.ts";

const model = { name: "m", kind: "chat" as const, ownedBy: "o", price: compilePrice({ input: 1, output: 1 }) };
const size = { textBytes: 12, mediaTokens: 0, maxOutputTokens: 1, choices: 1 };
const provider = providers["openai"];
if (provider === undefined) throw new Error("there is no such provider");
const channel = {
  id: "vendor",
  provider: "openai",
  baseUrl: "https://vendor.example/v1",
  keys: [],
  models: new Map(),
  priority: 0,
  weight: 1,
  timeoutMs: 1_000,
};
const route: WireRoute = {
  candidate: { channel, upstreamModel: "m" },
  key: { id: "k", secret: "s" },
  provider,
  wire: "chat",
};
const wholeReader: AnswerReader = {
  kind: "complete",
  read: (bytes) => Promise.resolve({ body: bytes, words: () => "" }),
};
const exchange: Exchange = {
  wire: "chat",
  body: Buffer.from("{}"),
  headers: { "x-of-exchange": "1", "x-both": "exchange" },
  query: { of: "exchange" },
  isStreamed: false,
  dropped: [],
  read: () => wholeReader,
};

interface Prepared {
  readonly callId: string;
  readonly prefer: string | undefined;
  readonly request: VendorRequest;
  /** Returns the number of fields of the request that the wire cannot express. */
  lost(): Promise<number> | undefined;
}

/** Creates attempts with one vendor. `seen` receives each prepared attempt. */
function attemptsWith(onPrepared: (prepared: Prepared) => void, answer: FakeAnswer): Attempts {
  return {
    async run(plan) {
      const [wire] = plan.wires;
      if (wire === undefined) throw new Error("the call has no wire");
      const prepared = await plan.prepare({ ...route, wire }, undefined);
      if (prepared.connect !== undefined) throw new Error("no WebSocket is opened here");
      const { callId, prefer } = plan;
      onPrepared({ callId, prefer, request: prepared.request, lost: () => plan.countUnsupported?.(wire, "m") });
      const accepted = await prepared.accept(answer);
      const tried = [{ channel: "vendor", key: "k", ms: 1 }];
      return {
        accepted,
        route,
        attempts: 1,
        tried,
        reportInterruption: () => undefined,
        [Symbol.dispose]: () => undefined,
      };
    },
  };
}

const answered = (): FakeAnswer => new FakeAnswer("application/json").sends("{}").ends();

async function attempted(
  plan: Partial<Plan>,
  kind: Partial<CallKind<never>> = {},
  affinity: Partial<RunDeps["channels"]["affinity"]> = {},
): Promise<Prepared> {
  const preparedAttempts: Prepared[] = [];
  const deps = runDeps({ attempts: attemptsWith((prepared) => preparedAttempts.push(prepared), answered()) });
  const cost = { by: "text", body: Buffer.from("{}"), size, stream: false } as const;
  const held: RunMoney = {
    callId: "c",
    expected: expectText(size, model, 1, 1),
    heldAt: 0,
    chargedNanos: undefined,
    certainOutcome: undefined,
    record: { callId: "c", call: callOf(new FakeClient()), price: { model, multiplier: 1 }, heldAt: 0 },
    costOf: () => 0n,
    extend: () => Promise.resolve(true),
    holdAgain: () => Promise.reject(new Failure("server_overloaded")),
    handOver: () => undefined,
    settle: () => Promise.resolve(),
  };
  const channels = { ...deps.channels, affinity: { ...deps.channels.affinity, ...affinity } };
  using run = new CallRun({ ...deps, channels }, callOf(new FakeClient()), {
    kind: { exchange: () => exchange, ...kind },
    plan: { cost, wires: ["chat"], ...plan },
    serving: { model, multiplier: 1, unpriced: "refuse" },
    heldMoney: held,
  });
  await attemptCall(run);
  const [only] = preparedAttempts;
  if (only === undefined || preparedAttempts.length > 1) throw new Error("there was not one attempt");
  return only;
}

describe("the route of a call", () => {
  const conversation = { namesToFind: ["before"], nameToStore: "now" };
  test.each([
    ["that of its conversation", { conversation }, "vendor/before", ["a:m"]],
    ["the one that its plan names", { conversation, prefer: "vendor/own" } as const, "vendor/own", ["a:m"]],
    ["any, outside of a conversation", {}, undefined, []],
  ])("is %s", async (_, plan, prefer, owners) => {
    const [found, kept]: [string[], string[]] = [[], []];
    const preparedAttempt = await attempted(
      plan,
      {},
      {
        find(owner, { namesToFind }) {
          expect(namesToFind).toEqual(["before"]);
          found.push(owner);
          return Promise.resolve("vendor/before");
        },
        store: (owner, { nameToStore }, key) => void kept.push(`${owner} ${nameToStore} ${key}`),
      },
    );
    expect([preparedAttempt.prefer, found]).toEqual([prefer, owners]);
    expect(kept).toEqual(owners.map((owner) => `${owner} now vendor/k`));
  });

  test.each([
    ["the fields that its kind counts", { countUnsupported: () => Promise.resolve(3) }, 3],
    ["nothing, of a kind whose wires express all fields", {}, 0],
  ])("drops %s", async (_, kind, count) => {
    expect(await (await attempted({}, kind)).lost()).toBe(count);
  });
});

describe("the request of an attempt", () => {
  const forward = {
    wire: "chat",
    headers: { "x-of-client": "1", "x-both": "client" },
    query: { of: "client" },
  } as const;
  test.each([
    ["is the exchange's", undefined, { "x-of-exchange": "1", "x-both": "exchange" }, "of=exchange"],
    [
      "has the client's headers and query for its wire",
      forward,
      { "x-of-client": "1", "x-both": "client" },
      "of=client",
    ],
    ["has none of them for another", { ...forward, wire: "messages" }, { "x-both": "exchange" }, "of=exchange"],
  ] as const)("%s", async (_, forwarded, headers, query) => {
    const { request } = await attempted({ forward: forwarded });
    expect(request.headers).toMatchObject(headers);
    expect("x-of-client" in request.headers).toBe("x-of-client" in headers);
    expect(request.url.search).toBe(`?${query}`);
  });

  test("is the provider's if the exchange has one", async () => {
    const builtRequest = { url: new URL("https://vendor.example/tasks"), method: "POST", headers: {} } as const;
    const { request } = await attempted({ forward }, { exchange: () => ({ ...exchange, request: builtRequest }) });
    expect(request).toBe(builtRequest);
  });
});

describe("a query that costs nothing", () => {
  const deps = (attempts: Attempts) => ({ ...runDeps({ attempts }), newCallId: () => "q" });
  const query = { model, wires: ["chat"] as const, exchange: () => Promise.resolve(exchange) };
  const call = callOf(new FakeClient());

  test("returns the vendor's answer", async () => {
    const paths: string[] = [];
    const attempts = attemptsWith(({ callId, request }) => paths.push(`${callId} ${request.url.pathname}`), answered());
    expect((await queryVendor(deps(attempts), call, query)).toString()).toBe("{}");
    expect(paths).toEqual(["q /v1/chat/completions"]);
  });

  test("fails if the vendor answers with a task, which is aborted", async () => {
    const task: AnswerReader = { kind: "task", read: () => Promise.reject(new Error("nothing is read")) };
    const answer = new FakeAnswer();
    const attempts = attemptsWith(() => undefined, answer);
    const asking = queryVendor(deps(attempts), call, {
      ...query,
      exchange: () => Promise.resolve({ ...exchange, read: () => task }),
    });
    await expect(asking).rejects.toMatchObject({ code: "upstream_error" });
    expect(answer.aborted).toBe(true);
  });

  test.each([
    [
      "the failure of its attempts",
      new AttemptsFailed(new Failure("upstream_timeout"), [], undefined),
      "upstream_timeout",
    ],
    ["any other error", new Failure("invalid_value"), "invalid_value"],
  ])("throws %s", async (_, error, code) => {
    const failing = queryVendor(deps({ run: () => Promise.reject(error) }), call, query);
    await expect(failing).rejects.toMatchObject({ code });
  });
});

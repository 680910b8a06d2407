import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createAccount, type Settlement } from "@modelgate/accounts";
import { AttemptsFailed, type Attempts, type Route, type AttemptReport } from "@modelgate/channels";
import { compilePrice, Failure } from "@modelgate/contracts";
import { ClientDisconnected, type CallFacts } from "@modelgate/platform";
import { providers } from "@modelgate/providers";
import { startBackends, type Backends } from "@modelgate/testkit";
import type { Exchange } from "../src/answers/exchange.ts";
import type { CallDeps } from "../src/deps.ts";
import { DetachedAnswers } from "../src/detached-answers.ts";
import type { CallKind, Plan } from "../src/kind.ts";
import { runCall } from "../src/run-call.ts";
import { callOf, FakeAnswer, FakeClient, runDeps } from "./fakes.ts";

let backends: Backends;
let redis: Redis;
let count = 0;

beforeAll(async () => {
  backends = await startBackends();
  redis = new Redis(backends.redisUrl);
});
afterAll(async () => {
  redis?.disconnect();
  await backends?.[Symbol.asyncDispose]();
});

/** Behaviour of a model's vendors: an answer, a failure, or work until the call ends, which `begun` causes. */
type Vendor =
  | FakeAnswer
  | Failure
  | { readonly isFinal: true; readonly failure: Failure }
  | { readonly failure?: Failure; begun(): void };

/** Creates attempts in which each model has one channel. */
function attemptsAt(vendors: Readonly<Record<string, Vendor>>): Attempts {
  return {
    async run(plan) {
      const vendor = vendors[plan.model] ?? new Failure("no_available_channel");
      const route = routeTo(plan.model);
      const failed = (failure: Failure, isFinal = false): AttemptsFailed =>
        new AttemptsFailed(failure, [triedAt(route, failure.code)], route, isFinal);
      if (vendor instanceof Failure) throw failed(vendor);
      if ("isFinal" in vendor) throw failed(vendor.failure, true);
      const { openai: provider } = providers;
      const [wire] = plan.wires;
      if (provider === undefined || wire === undefined) throw new Error("there is no such vendor");
      const prepared = await plan.prepare({ ...route, provider, wire }, undefined);
      if (prepared.connect !== undefined) throw new Error("no WebSocket is opened here");
      if (prepared.state !== undefined) prepared.state.isSent = true;
      if (vendor instanceof FakeAnswer) {
        const accepted = await prepared.accept(vendor);
        const tried = [triedAt(route)];
        const answering = { ...route, provider, wire };
        return {
          accepted,
          route: answering,
          attempts: 1,
          tried,
          reportInterruption: () => undefined,
          [Symbol.dispose]: () => undefined,
        };
      }
      vendor.begun();
      if (vendor.failure !== undefined) throw failed(vendor.failure);
      while (!plan.signal.aborted)
        await new Promise((resolve) => plan.signal.addEventListener("abort", resolve, { once: true }));
      throw failed(new Failure("upstream_error"), true);
    },
  };
}

function routeTo(model: string): Route {
  const channel = {
    id: `channel-of-${model}`,
    provider: "openai",
    baseUrl: "https://vendor.example",
    keys: [],
    models: new Map(),
    priority: 0,
    weight: 1,
    timeoutMs: 1_000,
  };
  return { candidate: { channel, upstreamModel: model }, key: { id: "k", secret: "s" } };
}

function triedAt({ candidate }: Route, failed?: string): AttemptReport {
  return { channel: candidate.channel.id, key: "k", ms: 1, failed };
}

/** Price per request in dollars. */
const models = { named: 0.001, second: 0.002, third: 0.004, dear: 1_000 } as const;

const exchange: Exchange = {
  wire: "embeddings",
  body: Buffer.from("{}"),
  isStreamed: false,
  dropped: [],
  read: () => ({
    kind: "complete",
    read: async (bytes) => ({ body: bytes, usage: { inputTokens: 3 }, text: () => "" }),
  }),
};

interface Running extends Partial<Pick<Plan, "bodyFailed" | "finishAfterDisconnect" | "pendingStream">> {
  readonly vendors: Readonly<Record<string, Vendor>>;
  readonly client?: FakeClient;
  readonly fallbacks?: readonly string[];
  /** Model that receives all calls of the model `named`, and its fallbacks. */
  readonly share?: { readonly model: string; readonly fallbacks: readonly string[] };
  /** Price in dollars of a request of the model `named`. */
  readonly price?: number;
  /** Called when the exchange is built; throws if it cannot be built. */
  readonly exchanged?: () => void;
  readonly detachedAnswers?: DetachedAnswers;
  /** Throws if a model cannot serve the request. */
  readonly refuse?: (model: string) => void;
  /** Called with a model and the client just before the money is held. */
  readonly planned?: (model: string, client: FakeClient) => void;
}

interface Ran {
  readonly client: FakeClient;
  readonly error: unknown;
  /** Models that the call was planned for, in order. */
  readonly planned: readonly string[];
  readonly settled: readonly Settlement[];
  readonly released: number;
  readonly facts: CallFacts;
}

/** Runs a call of the model `named` for an account with one dollar. */
async function run({
  vendors,
  client = new FakeClient(),
  fallbacks = [],
  share,
  refuse,
  detachedAnswers = new DetachedAnswers({ maxAnswers: 1, ms: 1_000 }),
  ...how
}: Running): Promise<Ran> {
  const accountId = `run-call-${++count}`;
  await createAccount(redis, { id: accountId, balance: 1_000_000_000n });
  const planned: string[] = [];
  const settled: Settlement[] = [];
  const released: string[] = [];
  const heldIds: string[] = [];
  const prices: Readonly<Record<string, number>> = { ...models, named: how.price ?? models.named };
  const deps: CallDeps = {
    ...runDeps({ attempts: attemptsAt(vendors) }),
    redis,
    detachedAnswers,
    newCallId: () => `call-${++count}`,
    renewals: {
      add({ callId }) {
        heldIds.push(callId);
        return { [Symbol.dispose]: () => undefined };
      },
      [Symbol.asyncDispose]: async () => undefined,
    },
    settlements: {
      limitRetries: () => undefined,
      settle: async (settlement) => void settled.push(settlement),
      release: async ({ callId }) => void released.push(callId),
      [Symbol.asyncDispose]: async () => undefined,
    },
    catalog: {
      current: () => ({
        candidates: () => [],
        fallbacksOf: (name) => (name === "named" ? fallbacks : name === share?.model ? share.fallbacks : []),
        group: (name) => ({
          name,
          multiplier: 1,
          limits: {},
          models: new Set(["*"]),
          vendorStores: "refuse",
          unpriced: "refuse",
          showChannel: true,
        }),
        resolve(_, name) {
          const request = prices[name];
          if (request === undefined) throw new Failure("model_not_found");
          const served = name === "named" ? (share?.model ?? name) : name;
          return { name: served, kind: "embedding", ownedBy: "o", price: compilePrice({ request }) };
        },
      }),
    },
  };
  const kind: CallKind<{ readonly model: string }> = {
    plan(_, request, { model }) {
      refuse?.(model.name);
      planned.push(model.name);
      how.planned?.(model.name, client);
      const size = { textBytes: 2, mediaTokens: 0, maxOutputTokens: 0, choices: 1 };
      const cost = { by: "text", body: Buffer.from("{}"), size, stream: false } as const;
      const { bodyFailed, finishAfterDisconnect, pendingStream } = how;
      return { cost, wires: ["embeddings"], endUser: request.model, bodyFailed, finishAfterDisconnect, pendingStream };
    },
    exchange() {
      how.exchanged?.();
      return exchange;
    },
  };
  const call = callOf(client);
  const facts: CallFacts = {};
  const from = { ...call, facts, caller: { ...call.caller, accountId } };
  const error: unknown = await runCall(deps, from, kind, { model: "named" }).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  // Each hold of a call is settled or released exactly once.
  expect([...settled.map(({ callId }) => callId), ...released].toSorted()).toEqual(heldIds.toSorted());
  return { client, error, planned, settled, released: released.length, facts };
}

const served = { outcome: "completed", status: 200 };
const waiting = {
  contentType: "text/event-stream",
  heartbeat: ": wait\n\n",
  fail: ({ code }: Failure) => `data: ${code}\n\n`,
};
const noChannel = new Failure("no_available_channel");
const body = (): FakeAnswer => new FakeAnswer("application/json").sends('{"ok":true}').ends();

describe("the models that serve a call", () => {
  test("the named one, settled before its client has the answer", async () => {
    const { client, error, planned, settled, released } = await run({ vendors: { named: body() } });
    expect([error, planned, released]).toEqual([undefined, ["named"], 0]);
    expect(settled).toMatchObject([{ costNanos: 1_000_000n, draft: { ...served, model: "named", attempts: 1 } }]);
    expect(settled[0]?.draft.requestedModel).toBeUndefined();
    expect([client.status, client.text, client.headers["x-modelgate-cost"]]).toEqual([200, '{"ok":true}', "0.001"]);
    expect(client.headers["x-modelgate-model"]).toBeUndefined();
  });

  test.each([
    ["no channel is available", noChannel],
    ["its vendor fails", new Failure("upstream_error")],
    ["its vendor refuses further requests", new Failure("upstream_rate_limited")],
  ])("include a fallback if %s, at its own price; the first hold is released", async (_, failure) => {
    const vendors = { named: failure, second: body() };
    const { client, planned, settled, released } = await run({ vendors, fallbacks: ["second"] });
    expect([planned, released]).toEqual([["named", "second"], 1]);
    expect(settled).toMatchObject([
      { costNanos: 2_000_000n, draft: { ...served, model: "second", requestedModel: "named", attempts: 2 } },
    ]);
    expect(client.headers).toMatchObject({
      "x-modelgate-model": "second",
      "x-modelgate-channel": "channel-of-second",
      "x-modelgate-attempts": `channel-of-named;failed=${failure.code}, channel-of-second`,
    });
  });

  test("include the next fallback if the caller, or the request, cannot use one", async () => {
    const refuse = (model: string): void => {
      if (model === "second") throw new Failure("unsupported_parameter");
    };
    const vendors = { named: noChannel, second: body(), third: body() };
    const { planned, settled } = await run({ vendors, fallbacks: ["unknown", "second", "third"], refuse });
    expect(planned).toEqual(["named", "third"]);
    expect(settled).toMatchObject([{ costNanos: 4_000_000n, draft: { ...served, model: "third" } }]);
  });

  test("include a share of the named one, whose fallbacks come before those of the named one", async () => {
    const share = { model: "third", fallbacks: ["unknown"] };
    const { client, planned, settled } = await run({
      vendors: { third: noChannel, second: body() },
      fallbacks: ["second"],
      share,
    });
    expect(planned).toEqual(["third", "second"]);
    expect(settled).toMatchObject([{ costNanos: 2_000_000n, draft: { model: "second", requestedModel: "named" } }]);
    expect(client.headers["x-modelgate-model"]).toBe("second");
  });

  test("a share that answers, named to the client", async () => {
    const share = { model: "third", fallbacks: [] };
    const { client, settled } = await run({ vendors: { third: body() }, share });
    expect(settled).toMatchObject([{ draft: { ...served, model: "third", requestedModel: "named" } }]);
    expect(client.headers["x-modelgate-model"]).toBe("third");
  });

  test("include no fallback if the named one cannot serve the request, and nothing is held", async () => {
    const wrong = new Failure("unsupported_parameter");
    const refuse = (): void => {
      throw wrong;
    };
    const { error, settled, released } = await run({ vendors: { named: body() }, fallbacks: ["second"], refuse });
    expect([error, settled, released]).toEqual([wrong, [], 0]);
  });

  test.each([
    ["cannot be expressed in the exchange", new Failure("unsupported_parameter"), "unsupported_parameter"],
    ["is the gateway's fault", new RangeError("a fault"), "internal_error"],
  ])("include no fallback if what fails %s, and it costs nothing", async (_, thrown, code) => {
    const exchanged = (): void => {
      throw thrown;
    };
    const { error, planned, settled } = await run({ vendors: { named: body() }, fallbacks: ["second"], exchanged });
    expect([error, planned]).toMatchObject([{ code }, ["named"]]);
    expect(settled).toMatchObject([{ costNanos: 0n, draft: { outcome: "failed" } }]);
  });

  test("a stream that has begun and whose last model fails has no fallback: it ends with that failure, with status 200", async () => {
    const { client, error, settled } = await run({
      vendors: { named: new Failure("upstream_error") },
      pendingStream: waiting,
      planned: (_, sink) => sink.begin(200, {}),
    });
    expect([error, client.text, client.ended]).toEqual([undefined, "data: upstream_error\n\n", true]);
    expect(settled).toMatchObject([{ costNanos: 0n, draft: { outcome: "failed", status: 200 } }]);
    expect(client.headers["x-modelgate-channel"]).toBeUndefined();
  });

  test("include no fallback if planning fails by the gateway's fault, and nothing is charged", async () => {
    const refuse = (model: string): void => {
      if (model === "second") throw new RangeError("a fault");
    };
    const { error, released } = await run({ vendors: { named: noChannel }, fallbacks: ["second"], refuse });
    expect([error, released]).toEqual([new RangeError("a fault"), 1]);
  });

  test("are all tried before the client gets the last failure, and pays nothing", async () => {
    const last = new Failure("upstream_error");
    const { client, error, settled, released } = await run({
      vendors: { named: noChannel, second: last },
      fallbacks: ["second"],
    });
    expect([error, client.isHeadSent, released]).toEqual([last, false, 1]);
    expect(settled).toMatchObject([
      { costNanos: 0n, draft: { outcome: "failed", status: last.status, model: "second", attempts: 2 } },
    ]);
    expect(client.headers["x-modelgate-channel"]).toBe("channel-of-second");
  });

  test.each([
    ["the call would fail anywhere", { isFinal: true, failure: new Failure("upstream_error") }],
    ["the request is invalid", new Failure("invalid_value")],
  ] as const)("include no fallback if %s", async (_, vendor) => {
    const { error, planned, settled } = await run({
      vendors: { named: vendor, second: body() },
      fallbacks: ["second"],
    });
    expect(planned).toEqual(["named"]);
    expect(error).toBe(vendor instanceof Failure ? vendor : vendor.failure);
    expect(settled).toMatchObject([{ costNanos: 0n, draft: { outcome: "failed" } }]);
  });
});

describe("a hold that is refused", () => {
  test("for a fallback: the client gets the failure of the previous model", async () => {
    const { error, client, settled, released } = await run({
      vendors: { named: noChannel },
      fallbacks: ["dear", "second"],
    });
    expect([error, client.isHeadSent, settled, released]).toEqual([noChannel, false, [], 1]);
  });

  test("for the named model is the client's answer, and nothing is held or settled", async () => {
    const { error, client, settled, released } = await run({ vendors: {}, fallbacks: ["second"], price: 1_000 });
    expect([client.isHeadSent, settled, released]).toEqual([false, [], 0]);
    expect(error).toMatchObject({ code: "insufficient_quota" });
  });

  test("for a fallback, in a stream that has begun: the stream ends with the refusal, which is recorded", async () => {
    const { error, client, settled, facts } = await run({
      vendors: { named: noChannel },
      fallbacks: ["dear"],
      pendingStream: waiting,
      planned: (model, sink) => {
        if (model === "dear") sink.begin(200, {});
      },
    });
    expect([error, client.text, client.ended, settled]).toEqual([
      undefined,
      "data: no_available_channel\n\n",
      true,
      [],
    ]);
    expect(facts).toMatchObject({ refusal: { code: "no_available_channel" } });
    expect(facts.isBooked).toBeUndefined();
  });
});

describe("a call that ends before its answer", () => {
  /** Returns a vendor that works until `act` ends its call. */
  const working = (act: () => void): Vendor => ({ begun: act });

  test("a call whose client disconnects is charged for the input that the vendor has received", async () => {
    const client = new FakeClient();
    const { error, settled } = await run({
      client,
      vendors: { named: working(() => client.disconnect()) },
      fallbacks: ["second"],
    });
    expect(error).toBeInstanceOf(ClientDisconnected);
    expect(settled).toMatchObject([
      { costNanos: 1_000_000n, draft: { outcome: "cancelled", status: 499, estimated: true, attempts: 1 } },
    ]);
  });

  test("a call whose client has disconnected is not sent to a vendor, and is not charged", async () => {
    const client = new FakeClient();
    client.disconnect();
    const { error, settled } = await run({ client, vendors: { named: body() } });
    expect(error).toBeInstanceOf(ClientDisconnected);
    expect(settled).toMatchObject([{ costNanos: 0n, draft: { outcome: "cancelled", status: 499, estimated: false } }]);
  });

  test("because its client disconnects, while the vendor is read on: its report is charged", async () => {
    const client = new FakeClient();
    const answer = new FakeAnswer("application/json");
    const vendors = { named: answer };
    const running = run({ client, vendors, finishAfterDisconnect: true });
    while (!answer.piped) await new Promise((resolve) => setImmediate(resolve));
    client.disconnect();
    answer.sends("{}").ends();
    const { error, settled } = await running;
    expect([error, client.isHeadSent]).toEqual([undefined, false]);
    expect(settled).toMatchObject([
      {
        costNanos: 1_000_000n,
        draft: { outcome: "cancelled", status: 499, estimated: false, units: { inputTokens: 3 } },
      },
    ]);
  });

  test.each([
    ["time runs out: the certain part is charged", "upstream_timeout", 1_000_000n],
    ["failure costs nothing", "upstream_error", 0n],
  ] as const)(
    "because its client disconnects, while the vendor is read on and its %s; no fallback is planned",
    async (_, code, cost) => {
      const client = new FakeClient();
      const { error, planned, settled } = await run({
        client,
        vendors: { named: { failure: new Failure(code), begun: () => client.disconnect() }, second: body() },
        fallbacks: ["second"],
        finishAfterDisconnect: true,
      });
      expect(error).toBeInstanceOf(ClientDisconnected);
      expect(planned).toEqual(["named"]);
      expect(settled).toMatchObject([{ costNanos: cost, draft: { outcome: "cancelled", status: 499 } }]);
    },
  );

  test("because its client disconnects, when no more vendors can be read on: the vendor is aborted", async () => {
    const client = new FakeClient();
    const detachedAnswers = new DetachedAnswers({ maxAnswers: 1, ms: 60_000 });
    using _taken = detachedAnswers.openSlot();
    const { error, settled } = await run({
      client,
      vendors: { named: working(() => client.disconnect()) },
      finishAfterDisconnect: true,
      detachedAnswers,
    });
    expect(error).toBeInstanceOf(ClientDisconnected);
    expect(settled).toMatchObject([{ costNanos: 1_000_000n, draft: { outcome: "cancelled", estimated: true } }]);
  });

  test.each([[undefined], [true]])(
    "because the gateway shuts down fails and costs nothing (read on: %j)",
    async (on) => {
      const client = new FakeClient();
      const going = new Failure("server_overloaded");
      const { error, settled } = await run({
        client,
        vendors: { named: working(() => client.interrupt(going)) },
        fallbacks: ["second"],
        finishAfterDisconnect: on,
      });
      expect(error).toBe(going);
      expect(settled).toMatchObject([{ costNanos: 0n, draft: { outcome: "failed", status: going.status } }]);
    },
  );

  test("because the client's body fails gets this failure, and costs nothing", async () => {
    const broken = new AbortController();
    const wrong = new Failure("invalid_value");
    const { error, settled } = await run({
      vendors: { named: working(() => broken.abort(wrong)) },
      fallbacks: ["second"],
      bodyFailed: broken.signal,
      finishAfterDisconnect: true,
    });
    expect(error).toBe(wrong);
    expect(settled).toMatchObject([{ costNanos: 0n, draft: { outcome: "failed", status: 400 } }]);
  });
});

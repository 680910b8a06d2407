import { describe, expect, test } from "vitest";
import type { Candidate } from "@modelgate/catalog";
import { Failure, type UpstreamWire } from "@modelgate/contracts";
import { openAttempts, type AttemptDeps } from "../src/attempt.ts";
import type { AttemptPlan, UpstreamAnswer, UpstreamRequest } from "../src/attempt-plan.ts";
import { ProxyFailed } from "../src/proxy.ts";
import { SupportedWires } from "../src/supported-wires.ts";
import { Speeds } from "../src/speeds.ts";

const candidate = (id: string, more: Partial<Candidate["channel"]> = {}): Candidate => ({
  upstreamModel: "m",
  channel: {
    id,
    provider: "openai",
    baseUrl: `https://${id}.example`,
    keys: [{ id: "k", secret: "s" }],
    models: new Map(),
    priority: 0,
    weight: 1,
    timeoutMs: 1_000,
    ...more,
  },
});

const nothing = (): void => undefined;
const answerOf = ([status, body = "{}"]: Answer): UpstreamAnswer => ({
  status,
  headers: {},
  pipe(sink) {
    sink.data(Buffer.from(body));
    sink.end();
  },
  pause: nothing,
  resume: nothing,
  abort: nothing,
});
type Answer = readonly [status: number, body?: string];

/**
 * Creates attempts without cooldowns and seat limits, whose vendors give these answers. `requests` lists the channel
 * and wire of each request, `blamed` the failures that were reported.
 */
function attemptsAt(answers: readonly Answer[], random = () => 0) {
  const requests: string[] = [];
  const blamed: string[] = [];
  const free = { ofChannel: () => 0, ofKey: () => 0 };
  const deps: AttemptDeps = {
    transport: {
      async send({ url, headers, proxy }: UpstreamRequest) {
        if (proxy !== undefined) throw new ProxyFailed(new URL(proxy), "answered 502 to CONNECT");
        requests.push(`${url.hostname.split(".")[0]} ${headers["sentAs"] ?? ""}`.trim());
        return answerOf(answers[requests.length - 1] ?? [200]);
      },
      [Symbol.asyncDispose]: async () => nothing(),
    },
    health: {
      isQuiet: false,
      cooldownsOf: () => free,
      lastResortOf: () => free,
      recordLastResort: nothing,
      reportFailure: ({ route }, { reason }) => void blamed.push(`${route.candidate.channel.id} ${reason}`),
      reportAnswer: nothing,
      reportSuccess: nothing,
      unprovenScopes: () => [],
      [Symbol.asyncDispose]: async () => nothing(),
    },
    speeds: new Speeds(60_000),
    gate: {
      enter: async () => ({ endProbes: nothing, [Symbol.dispose]: nothing }),
      [Symbol.asyncDispose]: async () => nothing(),
    },
    supportedWires: new SupportedWires(),
    limits: { maxAttempts: 3, budgetMs: 10_000 },
  };
  return { requests, blamed, attempts: openAttempts(deps, random) };
}

const planOf = (candidates: readonly Candidate[], more: Partial<AttemptPlan<number>> = {}): AttemptPlan<number> => ({
  callId: "call",
  requestId: "request",
  account: "a",
  model: "m",
  candidates,
  wires: ["chat", "messages"],
  signal: new AbortController().signal,
  prepare: ({ candidate: { channel }, wire }, history) => ({
    request: { url: new URL(channel.baseUrl), method: "POST", headers: { sentAs: [wire, history].join(" ").trim() } },
    accept: async ({ status }: UpstreamAnswer) => status,
  }),
  ...more,
});
const speechOnly: Partial<Candidate["channel"]> = { wires: ["speech"], priority: 5 };
const missingPath: Answer = [404, JSON.stringify({ error: { message: "no such path", code: "unknown_url" } })];
const wrongEndpoint: Answer = [
  400,
  JSON.stringify({ error: { message: "Tools are not supported in /v1/chat/completions. Please use /v1/responses." } }),
];
const refusedSignature: Answer = [400, JSON.stringify({ error: { message: "no", code: "invalid_encrypted_content" } })];

describe("an attempt", () => {
  test("is not counted for a channel that supports none of the wires", async () => {
    const { requests, attempts } = attemptsAt([]);
    const candidates = [...["a", "b", "c", "d"].map((id) => candidate(id, speechOnly)), candidate("able")];
    using attempted = await attempts.run(planOf(candidates));
    expect([requests, attempted.attempts]).toEqual([["able chat"], 1]);
    expect(attempted.route).toMatchObject({ wire: "chat", provider: { name: "openai" } });
  });

  test("is not made if no channel supports any of the wires", async () => {
    const { requests, attempts } = attemptsAt([]);
    await expect(attempts.run(planOf([candidate("a", speechOnly)]))).rejects.toMatchObject({
      name: "AttemptsFailed",
      attempts: 0,
      failure: { code: "no_available_channel" },
    });
    expect(requests).toEqual([]);
  });

  test("is repeated on the same channel in another wire if the vendor lacks the first, which is remembered", async () => {
    const { requests, attempts } = attemptsAt([missingPath]);
    const wires: readonly UpstreamWire[] = ["chat", "messages"];
    const plan = planOf([candidate("a", { wires })]);
    for (const tries of [2, 1]) {
      using attempted = await attempts.run(plan);
      expect([attempted.attempts, attempted.route.wire]).toEqual([tries, "messages"]);
    }
    expect(requests).toEqual(["a chat", "a messages", "a messages"]);
  });

  test("is repeated on the same channel even if another one would be chosen at random", async () => {
    const draws = [0, 0.9];
    const { requests, attempts } = attemptsAt([missingPath], () => draws.shift() ?? 0);
    const wires: readonly UpstreamWire[] = ["chat", "messages"];
    using attempted = await attempts.run(planOf([candidate("a", { wires }), candidate("b", { wires })]));
    expect([requests, attempted.attempts]).toEqual([["a chat", "a messages"], 2]);
  });

  test("is sent to another endpoint if the first one does not support the request, and the next call uses it directly", async () => {
    const { requests, attempts } = attemptsAt([wrongEndpoint]);
    const plan = planOf([candidate("a", { wires: ["chat", "responses"] })], { wires: ["chat", "responses"] });
    for (const tries of [2, 1]) {
      using attempted = await attempts.run(plan);
      expect([attempted.attempts, attempted.route.wire]).toEqual([tries, "responses"]);
    }
    expect(requests).toEqual(["a chat", "a responses", "a responses"]);
  });

  test("is sent to the refusing endpoint if only that can express the complete request, and not repeated if it refuses", async () => {
    const { requests, attempts } = attemptsAt([wrongEndpoint, [200], [200], wrongEndpoint, wrongEndpoint]);
    const plan = planOf([candidate("a", { wires: ["chat", "responses"] })], { wires: ["chat", "responses"] });
    (await attempts.run(plan))[Symbol.dispose]();
    const withCounts = { ...plan, countUnsupported: async (wire: UpstreamWire) => (wire === "chat" ? 0 : 1) };
    using attempted = await attempts.run(withCounts);
    expect(attempted.route.wire).toBe("chat");
    const failing = attempts.run({ ...withCounts, wires: ["chat"] });
    await expect(failing).rejects.toMatchObject({ failure: { code: "upstream_rejected" }, attempts: 1 });
    expect(requests).toEqual(["a chat", "a responses", "a chat", "a chat"]);
  });

  test.each([
    ["https://api.openai.com/v1", "responses"],
    ["https://a.example/v1", "chat"],
  ])("of a client of another wire at %s is made in its vendor's first wire, %s", async (baseUrl, wire) => {
    const { attempts } = attemptsAt([]);
    const wires: readonly UpstreamWire[] = ["messages", "chat", "responses"];
    using attempted = await attempts.run(planOf([candidate("a", { baseUrl })], { wires }));
    expect(attempted.route.wire).toBe(wire);
  });

  test("tries a wire that the vendor may lack before one that loses a field, and remembers that the vendor lacks it", async () => {
    const { requests, attempts } = attemptsAt([missingPath]);
    const wires: readonly UpstreamWire[] = ["messages", "chat", "responses"];
    const countUnsupported = async (wire: UpstreamWire) => (wire === "chat" ? 1 : 0);
    const plan = planOf([candidate("a", { baseUrl: "https://a.example/v1" })], { wires, countUnsupported });
    for (const tries of [2, 1]) {
      using attempted = await attempts.run(plan);
      expect([attempted.attempts, attempted.route.wire]).toEqual([tries, "chat"]);
    }
    expect(requests).toEqual(["a responses", "a chat", "a chat"]);
  });

  test("is made in the wire in which the request loses the fewest fields", async () => {
    const { attempts } = attemptsAt([]);
    const wires: readonly UpstreamWire[] = ["messages", "chat", "responses"];
    const openaiCandidate = candidate("a", { baseUrl: "https://api.openai.com/v1" });
    for (const [inResponses, wire] of [
      [2, "chat"],
      [1, "responses"],
      [Infinity, "chat"],
    ] as const) {
      const countUnsupported = async (each: UpstreamWire) => (each === "responses" ? inResponses : 1);
      using attempted = await attempts.run(planOf([openaiCandidate], { wires, countUnsupported }));
      expect(attempted.route.wire).toBe(wire);
    }
  });

  test("is repeated without signatures if they are refused, and only if the request can be expressed without them", async () => {
    const { requests, attempts } = attemptsAt([refusedSignature]);
    using attempted = await attempts.run(planOf([candidate("a")], { canDropSignatures: true }));
    expect([requests, attempted.attempts]).toEqual([["a chat", "a chat withoutSignatures"], 2]);
    await expect(attemptsAt([refusedSignature]).attempts.run(planOf([candidate("a")]))).rejects.toMatchObject({
      attempts: 1,
    });
    const refusedTwice = attemptsAt([refusedSignature, refusedSignature]).attempts.run(
      planOf([candidate("a")], { canDropSignatures: true }),
    );
    await expect(refusedTwice).rejects.toMatchObject({ attempts: 2 });
  });

  test("that starts a paid task is not followed by another if the vendor may have accepted it", async () => {
    const { prepare } = planOf([]);
    const paidPlan = planOf([candidate("a"), candidate("b")], {
      prepare: async (route, history) => ({
        ...(await prepare(route, history)),
        isUnrepeatable: true,
        accept: unusable,
      }),
    });
    const { requests, attempts } = attemptsAt([]);
    await expect(attempts.run(paidPlan)).rejects.toMatchObject({ failure: { code: "create_uncertain" } });
    expect(requests).toEqual(["a chat"]);
  });

  test("whose proxy failed is followed by another channel, even if it starts a paid task", async () => {
    const { prepare } = planOf([]);
    const candidates = [
      candidate("a", { priority: 1, proxy: "http://me:secret@p.example:3128", keys: [{ id: "k", secret: "key" }] }),
      candidate("b"),
    ];
    const paidPlan = planOf(candidates, {
      prepare: async (route, history) => ({ ...(await prepare(route, history)), isUnrepeatable: true }),
    });
    const { requests, blamed, attempts } = attemptsAt([]);
    using attempted = await attempts.run(paidPlan);
    expect([requests, blamed]).toEqual([["b chat"], ["a upstream_proxy_failed"]]);
    expect(attempted.tried[0]).toMatchObject({
      channel: "a",
      failed: "upstream_proxy_failed",
      vendorMessage: "The proxy http://p.example:3128 answered 502 to CONNECT",
    });
    const onlyRoute = attemptsAt([]).attempts.run({ ...paidPlan, candidates: candidates.slice(0, 1) });
    await expect(onlyRoute).rejects.toMatchObject({ failure: { code: "upstream_proxy_failed", status: 502 } });
  });

  test("that cannot be prepared is made on another channel, and nothing was sent", async () => {
    const { prepare } = planOf([]);
    const plan = planOf([candidate("a", { priority: 1 }), candidate("b")], {
      prepare(route, history) {
        if (route.candidate.channel.id === "a") throw new Failure("unsupported_parameter");
        return prepare(route, history);
      },
    });
    const { requests, attempts } = attemptsAt([]);
    using attempted = await attempts.run(plan);
    expect([requests, attempted.attempts]).toEqual([["b chat"], 2]);
  });

  test.each(["answer_too_large", "server_overloaded"] as const)(
    "whose answer fails with %s has no further attempt",
    async (code) => {
      const { requests, blamed, attempts } = attemptsAt([]);
      const failing = planOf([candidate("a"), candidate("b")], {
        prepare: ({ candidate: { channel } }) => ({
          request: { url: new URL(channel.baseUrl), method: "POST", headers: {} },
          accept: async () => {
            throw new Failure(code);
          },
        }),
      });
      await expect(attempts.run(failing)).rejects.toMatchObject({ failure: { code }, isFinal: true });
      expect([requests, blamed]).toEqual([["a"], []]);
    },
  );

  test("whose image cannot be fetched through the channel's proxy is sent to another channel, and does not count against the channel", async () => {
    const { prepare } = planOf([]);
    const unfetched = planOf([candidate("a", { priority: 1 }), candidate("b")], {
      prepare(route, history) {
        if (route.candidate.channel.id === "b") return prepare(route, history);
        const cause = new ProxyFailed(new URL("http://p.example"), "answered 403 to CONNECT 203.0.113.7:80");
        throw new Failure("upstream_proxy_failed", undefined, { cause });
      },
    });
    const { requests, blamed, attempts } = attemptsAt([]);
    using attempted = await attempts.run(unfetched);
    expect(attempted.attempts).toBe(2);
    expect([requests, blamed]).toEqual([["b chat"], []]);
  });
});

function unusable(): Promise<never> {
  throw new Failure("upstream_error");
}

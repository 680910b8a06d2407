import { describe, expect, test } from "vitest";
import type { Candidate } from "@modelgate/catalog";
import { Failure, type UpstreamWire } from "@modelgate/contracts";
import { openAttempts, type AttemptDeps } from "../src/attempt.ts";
import type { AttemptPlan } from "../src/attempt-plan.ts";
import { SpokenWires } from "../src/spoken-wires.ts";
import type { UpstreamAnswer, UpstreamRequest } from "../src/upstream.ts";

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

/** Attempts without rests and seats, at vendors that give the answers of a list; `asked` is where each was sent. */
function attemptsAt(answers: readonly Answer[]) {
  const asked: string[] = [];
  const free = { ofChannel: () => 0, ofKey: () => 0 };
  const deps: AttemptDeps = {
    transport: {
      async send({ url, headers }: UpstreamRequest) {
        asked.push(`${url.hostname.split(".")[0]} ${headers["said"] ?? ""}`.trim());
        return answerOf(answers[asked.length - 1] ?? [200]);
      },
      [Symbol.asyncDispose]: async () => nothing(),
    },
    health: {
      restsOf: () => free,
      lastResortOf: () => free,
      resorts: nothing,
      failed: nothing,
      answered: nothing,
      worked: nothing,
      unproven: () => [],
      [Symbol.asyncDispose]: async () => nothing(),
    },
    gate: {
      enter: async () => ({ tried: nothing, [Symbol.dispose]: nothing }),
      [Symbol.asyncDispose]: async () => nothing(),
    },
    spoken: new SpokenWires(),
    limits: { mostAttempts: 3, budgetMs: 10_000 },
  };
  return { asked, attempts: openAttempts(deps, () => 0) };
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
    request: { url: new URL(channel.baseUrl), method: "POST", headers: { said: [wire, history].join(" ").trim() } },
    accept: async ({ status }: UpstreamAnswer) => status,
  }),
  ...more,
});
const mute: Partial<Candidate["channel"]> = { wires: ["speech"], priority: 5 };
const noPath: Answer = [404, JSON.stringify({ error: { message: "no such path", code: "unknown_url" } })];
const noSeal: Answer = [400, JSON.stringify({ error: { message: "no", code: "invalid_encrypted_content" } })];

describe("an attempt", () => {
  test("is not used up by a channel that speaks none of the wires", async () => {
    const { asked, attempts } = attemptsAt([]);
    const candidates = [...["a", "b", "c", "d"].map((id) => candidate(id, mute)), candidate("able")];
    using attempted = await attempts.run(planOf(candidates));
    expect([asked, attempted.attempts]).toEqual([["able chat"], 1]);
    expect(attempted.way).toMatchObject({ wire: "chat", provider: { name: "openai" } });
  });

  test("is not made where no channel supports any of the wires", async () => {
    const { asked, attempts } = attemptsAt([]);
    await expect(attempts.run(planOf([candidate("a", mute)]))).rejects.toMatchObject({
      name: "AttemptsFailed",
      attempts: 0,
      failure: { code: "no_available_channel" },
    });
    expect(asked).toEqual([]);
  });

  test("goes to the same channel in another wire where the vendor lacks the first, and remembers it", async () => {
    const { asked, attempts } = attemptsAt([noPath]);
    const wires: readonly UpstreamWire[] = ["chat", "messages"];
    const plan = planOf([candidate("a", { wires })]);
    for (const tries of [2, 1]) {
      using attempted = await attempts.run(plan);
      expect([attempted.attempts, attempted.way.wire]).toEqual([tries, "messages"]);
    }
    expect(asked).toEqual(["a chat", "a messages", "a messages"]);
  });

  test("is made once more without seals where they are refused, and only if that can be said", async () => {
    const { asked, attempts } = attemptsAt([noSeal]);
    using attempted = await attempts.run(planOf([candidate("a")], { unsealable: true }));
    expect([asked, attempted.attempts]).toEqual([["a chat", "a chat unsealed"], 2]);
    await expect(attemptsAt([noSeal]).attempts.run(planOf([candidate("a")]))).rejects.toMatchObject({ attempts: 1 });
    const twice = attemptsAt([noSeal, noSeal]).attempts.run(planOf([candidate("a")], { unsealable: true }));
    await expect(twice).rejects.toMatchObject({ attempts: 2 });
  });

  test("that begins something paid once is not followed by another where it may have been taken", async () => {
    const { prepare } = planOf([]);
    const once = planOf([candidate("a"), candidate("b")], {
      prepare: async (way, history) => ({ ...(await prepare(way, history)), unrepeatable: true, accept: unusable }),
    });
    const { asked, attempts } = attemptsAt([]);
    await expect(attempts.run(once)).rejects.toMatchObject({ failure: { code: "create_uncertain" } });
    expect(asked).toEqual(["a chat"]);
  });

  test("that cannot be prepared is tried elsewhere, and nothing of it was sent", async () => {
    const { prepare } = planOf([]);
    const picky = planOf([candidate("a", { priority: 1 }), candidate("b")], {
      prepare(way, history) {
        if (way.candidate.channel.id === "a") throw new Failure("unsupported_parameter");
        return prepare(way, history);
      },
    });
    const { asked, attempts } = attemptsAt([]);
    using attempted = await attempts.run(picky);
    expect([asked, attempted.attempts]).toEqual([["b chat"], 2]);
  });
});

function unusable(): Promise<never> {
  throw new Failure("upstream_error");
}

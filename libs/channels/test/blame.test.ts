import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findBlamedExtent, type BlamedFailure, type Extent } from "../src/blame.ts";
import { Evidence, fingerprintOf, type FailureEvidence } from "../src/evidence.ts";

/**
 * A call and the part of its route that failed; absent if it succeeded. Without `body`, each call has a different body.
 */
interface Call {
  readonly account?: string;
  readonly model?: string;
  readonly key?: string;
  readonly failed?: FailureEvidence["of"] | "certain";
  readonly body?: string;
  readonly isExplicit?: boolean;
}

let bodies = 0;

/** Adds the calls, one per `stepMs`. Returns the extent that the last failure puts into a cooldown. */
function extentAfter(calls: readonly Call[], more: Partial<BlamedFailure> = {}, stepMs = 1): string {
  const evidence = new Evidence();
  let lastExtent: Extent | undefined;
  for (const [at, call] of calls.entries()) {
    const { account = "a", model = "m", key = "k", failed: kind, body = `body ${++bodies}`, isExplicit = false } = call;
    const subject = { account, model, key };
    const isNeverClientFault = kind === "certain";
    const failed =
      kind === undefined
        ? undefined
        : { of: isNeverClientFault ? ("channel" as const) : kind, body, isNeverClientFault };
    const now = 1_000_000 + at * stepMs;
    evidence.add("c", subject, { at: now, failed });
    if (failed === undefined) continue;
    lastExtent = findBlamedExtent(
      evidence.recentTallies("c", now),
      {
        ...subject,
        failed,
        isExplicit,
        concernsAllModels: false,
        isOnProbation: () => false,
        ...more,
      },
      now,
    );
  }
  return lastExtent === undefined ? "nothing" : `${lastExtent.models}, ${lastExtent.accounts}`;
}

const repeated = (count: number, call: Call): readonly Call[] => Array.from({ length: count }, () => call);
const failing = (more: Call = {}): Call => ({ failed: "channel", ...more });
const answered = (more: Call = {}): Call => more;

describe("cooldowns after failures", () => {
  test.each<[string, readonly Call[], string]>([
    ["two failures of one account", repeated(2, failing()), "nothing"],
    ["three failures of one account with one model", repeated(3, failing()), "one model, one account"],
    ["any number of failures of one account", repeated(500, failing()), "one model, one account"],
    ["one body that fails repeatedly", repeated(500, failing({ body: "same" })), "nothing"],
    [
      "failures of one account with two models",
      [...repeated(2, failing()), failing({ model: "n" })],
      "all models, one account",
    ],
    [
      "one failing model among two working ones",
      [failing(), answered({ model: "n" }), answered({ model: "o" }), ...repeated(3, failing())],
      "one model, one account",
    ],
    [
      "failures of two accounts with one model",
      [...repeated(2, failing()), failing({ account: "b" })],
      "one model, all accounts",
    ],
    [
      "failures of two accounts with two models",
      [...repeated(2, failing()), failing({ account: "b", model: "n" })],
      "all models, all accounts",
    ],
    [
      "one body that fails for two accounts",
      [...repeated(2, failing({ body: "same" })), ...repeated(2, failing({ account: "b", body: "same" }))],
      "nothing",
    ],
    [
      "one failing account among answered ones",
      [failing(), answered({ account: "b" }), ...repeated(100, failing())],
      "one model, one account",
    ],
    [
      "two failing accounts among two answered ones",
      [
        failing(),
        answered({ account: "c" }),
        answered({ account: "d" }),
        ...repeated(50, failing()),
        ...repeated(50, failing({ account: "b" })),
      ],
      "one model, one account",
    ],
    [
      "an outage after many successful calls of many accounts",
      [
        ...["a", "b", "c", "d"].flatMap((account) => repeated(50, answered({ account }))),
        failing(),
        failing({ account: "b" }),
        failing({ account: "c" }),
      ],
      "one model, all accounts",
    ],
    [
      "a vendor that fails one call in four",
      repeated(60, {}).map((_, at) => (at % 4 === 3 ? failing() : answered())),
      "nothing",
    ],
    [
      "a vendor that fails every other call",
      repeated(12, {}).map((_, at) => (at % 2 === 0 ? failing() : answered())),
      "one model, one account",
    ],
    ["failures of a key without a vendor's message", repeated(3, failing({ failed: "key" })), "one model, one account"],
    ["failures of a key and of its channel", [...repeated(2, failing({ failed: "key" })), failing()], "nothing"],
    [
      "failures of two keys",
      [
        failing({ failed: "key", key: "k" }),
        failing({ failed: "key", key: "l" }),
        failing({ failed: "key", key: "l" }),
      ],
      "nothing",
    ],
    [
      "an unknown model at the vendor, requested by two accounts",
      [...repeated(2, failing({ failed: "model" })), failing({ failed: "model", account: "b" })],
      "one model, all accounts",
    ],
    ["two refused connections", repeated(2, failing({ failed: "certain" })), "nothing"],
    [
      "three refused connections of one account",
      repeated(3, failing({ failed: "certain", body: "same" })),
      "all models, all accounts",
    ],
    [
      "refused connections among as many other failures",
      [...repeated(9, failing()), ...repeated(2, failing({ failed: "certain" }))],
      "nothing",
    ],
    [
      "occasional refused connections",
      repeated(20, {}).map((_, at) => (at % 5 === 0 ? failing({ failed: "certain" }) : answered())),
      "nothing",
    ],
  ])("%s", (_, calls, expected) => {
    expect(extentAfter(calls)).toBe(expected);
  });

  test("failures further apart than the window do not count together", () => {
    expect(extentAfter(repeated(10, failing()), {}, 30_001)).toBe("nothing");
    expect(extentAfter(repeated(10, failing()), {}, 20_000)).toBe("one model, one account");
  });
});

describe("states that a vendor reports", () => {
  const limited = (more: Call = {}): Call => ({ failed: "key", isExplicit: true, ...more });

  test.each<[string, readonly Call[], Partial<BlamedFailure>, string]>([
    ["a rate limit for one account", [answered(), answered(), limited()], {}, "one model, one account"],
    ["a rate limit for a second account", [limited(), limited({ account: "b" })], {}, "one model, all accounts"],
    ["a rate limit for two models", [limited(), limited({ account: "b", model: "n" })], {}, "all models, all accounts"],
    [
      "a rate limit for one account while others are answered",
      [limited(), answered({ account: "b" }), answered({ account: "c" }), ...repeated(20, limited())],
      {},
      "one model, one account",
    ],
    ["a key refused for one account", [limited()], { concernsAllModels: true }, "all models, one account"],
    [
      "a key refused for two accounts",
      [limited(), limited({ account: "b" })],
      { concernsAllModels: true },
      "all models, all accounts",
    ],
  ])("%s", (_, calls, more, expected) => {
    expect(extentAfter(calls, { isExplicit: true, ...more })).toBe(expected);
  });
});

test("a scope on probation gets another cooldown after its first failure, but for all accounts only after failures of two", () => {
  const isOnProbation = (): boolean => true;
  expect(extentAfter([failing()], { isOnProbation })).toBe("one model, one account");
  expect(extentAfter([failing(), failing({ account: "b" })], { isOnProbation })).toBe("one model, all accounts");
  expect(extentAfter([failing({ failed: "certain" })], { isOnProbation })).toBe("all models, all accounts");
});

test("a channel with one model gets a cooldown for all models", () => {
  expect(extentAfter(repeated(3, failing()), { concernsAllModels: true })).toBe("all models, one account");
});

test("one account's failures cause no cooldown for all accounts while another account's calls succeed", () => {
  const call = fc.record({
    model: fc.constantFrom("m", "n"),
    key: fc.constantFrom("k", "l"),
    failed: fc.constantFrom<FailureEvidence["of"] | undefined>("channel", "model", "key", undefined),
    isExplicit: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(call, { minLength: 1, maxLength: 80 }), (calls) => {
      const alternating = calls.flatMap(({ failed, ...each }) => [
        { ...each, ...(failed === undefined ? {} : { failed }), account: "attacker" },
        answered({ account: "other" }),
      ]);
      expect(extentAfter(alternating.slice(0, -1))).not.toContain("all accounts");
    }),
  );
});

test("the stored evidence is limited, and the least recently used is dropped", () => {
  const evidence = new Evidence();
  const subject = (at: number) => ({ account: `a${at}`, model: "m", key: "k" });
  for (let at = 0; at < 1_000; at++) {
    evidence.add("c", subject(0), { at });
    evidence.add("c", subject(at), { at });
  }
  const tallies = evidence.recentTallies("c", 1_000);
  expect(tallies).toHaveLength(256);
  expect(tallies.find(({ account }) => account === "a0")?.outcomes).toHaveLength(32);
});

test("bodies are distinguished by their beginning, end and length, and a stream has no fingerprint", () => {
  const large = Buffer.alloc(1_000_000, "a");
  const other = Buffer.from(large);
  other[other.length - 1] = 0x62;
  const fingerprintOfBody = (body: unknown) => fingerprintOf(body);
  expect(fingerprintOfBody(large)).toBe(fingerprintOfBody(Buffer.from(large)));
  expect(
    new Set([
      fingerprintOfBody(large),
      fingerprintOfBody(other),
      fingerprintOfBody(large.subarray(1)),
      fingerprintOfBody(Buffer.from("a")),
    ]).size,
  ).toBe(4);
  expect([fingerprintOfBody(undefined), fingerprintOfBody({ pipe: 1 })]).toEqual([undefined, undefined]);
});

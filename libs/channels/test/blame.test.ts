import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findBlamedExtent, type BlamedFailure, type Extent } from "../src/blame.ts";
import { Evidence, fingerprintOf, type FailureSeen } from "../src/evidence.ts";

/** One call: `account model key`, and what failed; "ok" where nothing did. `body` absent: a body of its own. */
interface Call {
  readonly account?: string;
  readonly model?: string;
  readonly key?: string;
  readonly failed?: FailureSeen["of"] | "certain";
  readonly body?: string;
  readonly isExplicit?: boolean;
}

let bodies = 0;

/** Counts the calls, one a millisecond, and gives what the last failure takes out. */
function after(calls: readonly Call[], more: Partial<BlamedFailure> = {}, stepMs = 1): string {
  const evidence = new Evidence();
  let found: Extent | undefined;
  for (const [at, call] of calls.entries()) {
    const { account = "a", model = "m", key = "k", failed: kind, body = `body ${++bodies}`, isExplicit = false } = call;
    const subject = { account, model, key };
    const isCertain = kind === "certain";
    const failed = kind === undefined ? undefined : { of: isCertain ? ("channel" as const) : kind, body, isCertain };
    const now = 1_000_000 + at * stepMs;
    evidence.add("c", subject, { at: now, failed });
    if (failed === undefined) continue;
    found = findBlamedExtent(
      evidence.at("c", now),
      {
        ...subject,
        failed,
        isExplicit,
        concernsAllModels: false,
        onProbation: () => false,
        ...more,
      },
      now,
    );
  }
  return found === undefined ? "nothing" : `${found.of} for ${found.for}`;
}

const times = (count: number, call: Call): readonly Call[] => Array.from({ length: count }, () => call);
const bad = (more: Call = {}): Call => ({ failed: "channel", ...more });
const good = (more: Call = {}): Call => more;

describe("scopes that rest after failures", () => {
  test.each<[string, readonly Call[], string]>([
    ["two failures of one account", times(2, bad()), "nothing"],
    ["three failures of one account with one model", times(3, bad()), "model for account"],
    ["any number of failures of one account", times(500, bad()), "model for account"],
    ["one body that fails repeatedly", times(500, bad({ body: "same" })), "nothing"],
    ["failures of one account with two models", [...times(2, bad()), bad({ model: "n" })], "whole for account"],
    [
      "one failing model among two working ones",
      [bad(), good({ model: "n" }), good({ model: "o" }), ...times(3, bad())],
      "model for account",
    ],
    ["failures of two accounts with one model", [...times(2, bad()), bad({ account: "b" })], "model for all"],
    [
      "failures of two accounts with two models",
      [...times(2, bad()), bad({ account: "b", model: "n" })],
      "whole for all",
    ],
    [
      "one body that fails for two accounts",
      [...times(2, bad({ body: "same" })), ...times(2, bad({ account: "b", body: "same" }))],
      "nothing",
    ],
    [
      "one failing account among answered ones",
      [bad(), good({ account: "b" }), ...times(100, bad())],
      "model for account",
    ],
    [
      "two failing accounts among two answered ones",
      [bad(), good({ account: "c" }), good({ account: "d" }), ...times(50, bad()), ...times(50, bad({ account: "b" }))],
      "model for account",
    ],
    [
      "an outage after many successful calls of many accounts",
      [
        ...["a", "b", "c", "d"].flatMap((account) => times(50, good({ account }))),
        bad(),
        bad({ account: "b" }),
        bad({ account: "c" }),
      ],
      "model for all",
    ],
    ["a vendor that fails one call in four", times(60, {}).map((_, at) => (at % 4 === 3 ? bad() : good())), "nothing"],
    [
      "a vendor that fails every other call",
      times(12, {}).map((_, at) => (at % 2 === 0 ? bad() : good())),
      "model for account",
    ],
    ["failures of a key without a vendor's message", times(3, bad({ failed: "key" })), "model for account"],
    ["failures of a key and of its channel", [...times(2, bad({ failed: "key" })), bad()], "nothing"],
    [
      "failures of two keys",
      [bad({ failed: "key", key: "k" }), bad({ failed: "key", key: "l" }), bad({ failed: "key", key: "l" })],
      "nothing",
    ],
    [
      "an unknown model at the vendor, requested by two accounts",
      [...times(2, bad({ failed: "model" })), bad({ failed: "model", account: "b" })],
      "model for all",
    ],
    ["two refused connections", times(2, bad({ failed: "certain" })), "nothing"],
    ["three refused connections of one account", times(3, bad({ failed: "certain", body: "same" })), "whole for all"],
    [
      "refused connections among as many other failures",
      [...times(9, bad()), ...times(2, bad({ failed: "certain" }))],
      "nothing",
    ],
    [
      "occasional refused connections",
      times(20, {}).map((_, at) => (at % 5 === 0 ? bad({ failed: "certain" }) : good())),
      "nothing",
    ],
  ])("%s", (_, calls, expected) => {
    expect(after(calls)).toBe(expected);
  });

  test("failures further apart than the window do not count together", () => {
    expect(after(times(10, bad()), {}, 30_001)).toBe("nothing");
    expect(after(times(10, bad()), {}, 20_000)).toBe("model for account");
  });
});

describe("states that a vendor reports", () => {
  const limited = (more: Call = {}): Call => ({ failed: "key", isExplicit: true, ...more });

  test.each<[string, readonly Call[], Partial<BlamedFailure>, string]>([
    ["a rate limit for one account", [good(), good(), limited()], {}, "model for account"],
    ["a rate limit for a second account", [limited(), limited({ account: "b" })], {}, "model for all"],
    ["a rate limit for two models", [limited(), limited({ account: "b", model: "n" })], {}, "whole for all"],
    [
      "a rate limit for one account while others are answered",
      [limited(), good({ account: "b" }), good({ account: "c" }), ...times(20, limited())],
      {},
      "model for account",
    ],
    ["a key refused for one account", [limited()], { concernsAllModels: true }, "whole for account"],
    [
      "a key refused for two accounts",
      [limited(), limited({ account: "b" })],
      { concernsAllModels: true },
      "whole for all",
    ],
  ])("%s", (_, calls, more, expected) => {
    expect(after(calls, { isExplicit: true, ...more })).toBe(expected);
  });
});

test("a scope on probation rests again after its first failure, but for all accounts only after failures of two", () => {
  const onProbation = (): boolean => true;
  expect(after([bad()], { onProbation })).toBe("model for account");
  expect(after([bad(), bad({ account: "b" })], { onProbation })).toBe("model for all");
  expect(after([bad({ failed: "certain" })], { onProbation })).toBe("whole for all");
});

test("a channel with one model rests completely", () => {
  expect(after(times(3, bad()), { concernsAllModels: true })).toBe("whole for account");
});

test("one account's failures never rest a scope for all while another account is answered", () => {
  const call = fc.record({
    model: fc.constantFrom("m", "n"),
    key: fc.constantFrom("k", "l"),
    failed: fc.constantFrom<FailureSeen["of"] | undefined>("channel", "model", "key", undefined),
    isExplicit: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(call, { minLength: 1, maxLength: 80 }), (calls) => {
      const mixed = calls.flatMap(({ failed, ...each }) => [
        { ...each, ...(failed === undefined ? {} : { failed }), account: "attacker" },
        good({ account: "other" }),
      ]);
      expect(after(mixed.slice(0, -1))).not.toContain("for all");
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
  const found = evidence.at("c", 1_000);
  expect(found).toHaveLength(256);
  expect(found.find(({ account }) => account === "a0")?.outcomes).toHaveLength(32);
});

test("bodies are distinguished by their beginning, end and length, and a stream has no fingerprint", () => {
  const large = Buffer.alloc(1_000_000, "a");
  const other = Buffer.from(large);
  other[other.length - 1] = 0x62;
  const of = (body: unknown) => fingerprintOf(body);
  expect(of(large)).toBe(of(Buffer.from(large)));
  expect(new Set([of(large), of(other), of(large.subarray(1)), of(Buffer.from("a"))]).size).toBe(4);
  expect([of(undefined), of({ pipe: 1 })]).toEqual([undefined, undefined]);
});

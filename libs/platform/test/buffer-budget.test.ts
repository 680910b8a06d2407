import { describe, expect, test } from "vitest";
import { BufferBudget, type Holding } from "../src/buffer-budget.ts";

const holderOf = (accountId: string, tokenId = accountId) => ({ accountId, tokenId });
const refusal = (code: string) => expect.objectContaining({ code });

/** Creates an arriving body. `ended` is the code of the failure that ended it. */
function arriving(budget: BufferBudget, holder: ReturnType<typeof holderOf>, bytes: number) {
  const body: { readonly holding: Holding; ended?: string } = { holding: budget.openHolding(holder) };
  body.holding.startArriving((failure) => {
    body.ended = failure.code;
  });
  body.holding.add(bytes);
  return body;
}

describe("a full budget", () => {
  test("refuses the account that holds the most bytes, and aborts nothing for it", () => {
    const budget = new BufferBudget(100);
    const small = arriving(budget, holderOf("small"), 30);
    const large = arriving(budget, holderOf("large"), 60);
    expect(() => large.holding.add(20)).toThrow(refusal("server_overloaded"));
    expect([small.ended, large.ended]).toEqual([undefined, undefined]);
    expect(budget.usedBytes).toBe(90);
  });

  test("aborts the newest bodies of the largest account, as many as needed, and no complete one", () => {
    const budget = new BufferBudget(100);
    const largeBody = arriving(budget, holderOf("large"), 40);
    largeBody.holding.endArriving();
    const [older, newer] = [arriving(budget, holderOf("large"), 30), arriving(budget, holderOf("large"), 10)];
    const middle = arriving(budget, holderOf("middle"), 20);
    budget.openHolding(holderOf("small")).add(15);
    expect([largeBody.ended, older.ended, newer.ended, middle.ended]).toEqual([
      undefined,
      "server_overloaded",
      "server_overloaded",
      undefined,
    ]);
    expect(budget.usedBytes).toBe(75);
  });

  test("aborts nothing if that would not free enough", () => {
    const budget = new BufferBudget(100);
    const largeBody = arriving(budget, holderOf("large"), 90);
    largeBody.holding.endArriving();
    const part = arriving(budget, holderOf("large"), 10);
    expect(() => budget.openHolding(holderOf("small")).add(20)).toThrow(refusal("server_overloaded"));
    expect(part.ended).toBeUndefined();
  });

  test("frees memory for answers, which count against no account", () => {
    const budget = new BufferBudget(100);
    const body = arriving(budget, holderOf("large"), 90);
    budget.add(20);
    expect(body.ended).toBe("server_overloaded");
    body.holding[Symbol.dispose]();
    budget.release(20);
    expect(budget.usedBytes).toBe(0);
  });
});

describe("shares", () => {
  const shares = { accountPercent: 50, tokenPercent: 30, accountBodies: 3, tokenBodies: 2 };

  test("limit the bytes of one token and one account, except a token's only body", () => {
    const budget = new BufferBudget(100, shares);
    const only = budget.openHolding(holderOf("a", "t1"));
    only.add(45);
    expect(() => budget.openHolding(holderOf("a", "t1")).add(1)).toThrow(refusal("rate_limit_exceeded"));
    budget.openHolding(holderOf("a", "t2")).add(5);
    expect(() => budget.openHolding(holderOf("a", "t3")).add(1)).toThrow(/account use their full share/);
    budget.openHolding(holderOf("b")).add(30);
    only[Symbol.dispose]();
    budget.openHolding(holderOf("a", "t1")).add(1);
  });

  test("limit the number of concurrent bodies of one token and one account", () => {
    const budget = new BufferBudget(100, shares);
    const first = arriving(budget, holderOf("a", "t1"), 0);
    arriving(budget, holderOf("a", "t1"), 0);
    expect(() => arriving(budget, holderOf("a", "t1"), 0)).toThrow(/key may send 2 bodies/);
    arriving(budget, holderOf("a", "t2"), 0);
    expect(() => arriving(budget, holderOf("a", "t2"), 0)).toThrow(/account may send 3 bodies/);
    arriving(budget, holderOf("b"), 0);
    first.holding.endArriving();
    arriving(budget, holderOf("a", "t1"), 0);
  });
});

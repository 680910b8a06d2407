import { Failure } from "@modelgate/contracts";
import { countBuffered } from "./metrics.ts";
import { OpenList, type ListEntry } from "./open-list.ts";

/** Account and API key that use memory or disk space. */
export interface Holder {
  readonly accountId: string;
  readonly tokenId: string;
}

/** Maximum share of a budget for one account and for one API key. */
export interface BudgetShares {
  /**
   * Percentage of the budget's bytes. The only body of an account or API key may exceed it, so that the largest allowed
   * body fits into a small budget.
   */
  readonly accountPercent: number;
  readonly tokenPercent: number;
  readonly accountBodies: number;
  readonly tokenBodies: number;
}

const unlimitedShares: BudgetShares = {
  accountPercent: 100,
  tokenPercent: 100,
  accountBodies: Infinity,
  tokenBodies: Infinity,
};

interface Usage {
  bytes: number;
  holdings: number;
  readonly arriving: OpenList<Holding>;
}

interface AccountUsage extends Usage {
  readonly tokens: Map<string, Usage>;
}

/**
 * Limit for the memory or disk space of all requests of a process. If the budget is full, it ends arriving bodies of
 * the accounts with the most bytes.
 */
export class BufferBudget {
  readonly #limit: number;
  readonly #shares: BudgetShares;
  readonly #accounts = new Map<string, AccountUsage>();
  #used = 0;

  constructor(limitBytes: number, shares: BudgetShares = unlimitedShares) {
    this.#limit = limitBytes;
    this.#shares = shares;
  }

  get usedBytes(): number {
    return this.#used;
  }

  /** Adds bytes that belong to no account. Throws Failure server_overloaded (503) if the budget is full. */
  add(bytes: number): void {
    if (this.#used + bytes > this.#limit) this.#makeRoom(bytes, 0);
    this.#changeUsed(bytes);
  }

  release(bytes: number): void {
    this.#changeUsed(-bytes);
  }

  /** Creates the holding of one body. */
  openHolding({ accountId, tokenId }: Holder): Holding {
    let account = this.#accounts.get(accountId);
    if (account === undefined) {
      account = { bytes: 0, holdings: 0, arriving: new OpenList(), tokens: new Map() };
      this.#accounts.set(accountId, account);
    }
    let token = account.tokens.get(tokenId);
    if (token === undefined) {
      token = { bytes: 0, holdings: 0, arriving: new OpenList() };
      account.tokens.set(tokenId, token);
    }
    account.holdings++;
    token.holdings++;
    return new Holding(this, { accountId, account, tokenId, token });
  }

  /** Adds bytes of a holding. If `isLimited` is true, throws the Failures of `Holding.add`. */
  addFor(holding: Holding, { account, token }: HoldingOwner, bytes: number, isLimited: boolean): void {
    if (isLimited) {
      const { accountPercent, tokenPercent } = this.#shares;
      const ofToken = Math.floor((this.#limit * tokenPercent) / 100);
      if (token.bytes + bytes > ofToken && token.bytes !== holding.bytes) throw shareExceeded("key", ofToken);
      const ofAccount = Math.floor((this.#limit * accountPercent) / 100);
      if (account.bytes + bytes > ofAccount && account.bytes !== holding.bytes)
        throw shareExceeded("account", ofAccount);
      if (this.#used + bytes > this.#limit) this.#makeRoom(bytes, account.bytes);
    }
    account.bytes += bytes;
    token.bytes += bytes;
    this.#changeUsed(bytes);
  }

  /** Throws Failure rate_limit_exceeded (429) if too many bodies are arriving. */
  checkArriving({ account, token }: HoldingOwner): void {
    const { accountBodies, tokenBodies } = this.#shares;
    const owner =
      token.arriving.size >= tokenBodies ? "key" : account.arriving.size >= accountBodies ? "account" : undefined;
    if (owner === undefined) return;
    throw new Failure(
      "rate_limit_exceeded",
      `This ${owner} may send ${owner === "key" ? tokenBodies : accountBodies} bodies at the same time.`,
      { retryAfterSeconds: 1 },
    );
  }

  /** Releases bytes of a holding. `endsHolding` is true for its first disposal. */
  releaseFor({ accountId, account, tokenId, token }: HoldingOwner, bytes: number, endsHolding: boolean): void {
    account.bytes -= bytes;
    token.bytes -= bytes;
    this.#changeUsed(-bytes);
    if (!endsHolding) return;
    if (--token.holdings === 0) account.tokens.delete(tokenId);
    if (--account.holdings === 0) this.#accounts.delete(accountId);
  }

  /**
   * Ends arriving bodies of accounts that use more bytes than the requesting account will use. Throws Failure
   * server_overloaded (503), without ending a body, if this would not free enough bytes.
   */
  #makeRoom(bytes: number, usedBytes: number): void {
    let missing = this.#used + bytes - this.#limit;
    const ended: Holding[] = [];
    const larger = [...this.#accounts.values()].filter((usage) => usage.bytes > usedBytes + bytes);
    for (const usage of larger.sort((left, right) => right.bytes - left.bytes)) {
      for (const holding of [...usage.arriving].toReversed()) {
        if (missing <= 0) break;
        ended.push(holding);
        missing -= holding.bytes;
      }
    }
    if (missing > 0) throw budgetFull();
    for (const holding of ended) holding.end(budgetFull());
  }

  #changeUsed(bytes: number): void {
    this.#used += bytes;
    countBuffered(bytes);
  }
}

interface HoldingOwner {
  readonly accountId: string;
  readonly account: AccountUsage;
  readonly tokenId: string;
  readonly token: Usage;
}

/** Bytes of a budget that one body uses. Disposal releases them. */
export class Holding implements Disposable {
  readonly #budget: BufferBudget;
  readonly #owner: HoldingOwner;
  #bytes = 0;
  /** Ends the body. Undefined unless the body is arriving. */
  #breakOff: ((failure: Failure) => void) | undefined;
  #listed: readonly ListEntry[] = [];
  #open = true;

  constructor(budget: BufferBudget, owner: HoldingOwner) {
    this.#budget = budget;
    this.#owner = owner;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Adds bytes. Throws Failure rate_limit_exceeded (429, share of the account or API key) or server_overloaded (503,
   * budget).
   */
  add(bytes: number): void {
    this.#budget.addFor(this, this.#owner, bytes, true);
    this.#bytes += bytes;
  }

  /** Adds the bytes of a body that has arrived. Throws the Failures of `startArriving` and `add`. */
  addReceived(bytes: number): void {
    this.#budget.checkArriving(this.#owner);
    this.add(bytes);
  }

  /** Adds bytes that are already in memory, without applying a limit. */
  addWithoutLimit(bytes: number): void {
    this.#budget.addFor(this, this.#owner, bytes, false);
    this.#bytes += bytes;
  }

  /**
   * Marks the body as arriving until `endArriving`. Meanwhile the budget may call `breakOff` to make room for other
   * bodies. Throws Failure rate_limit_exceeded (429) if too many bodies are arriving.
   */
  startArriving(breakOff: (failure: Failure) => void): void {
    const { account, token } = this.#owner;
    this.#budget.checkArriving(this.#owner);
    this.#breakOff = breakOff;
    this.#listed = [account.arriving.add(this), token.arriving.add(this)];
  }

  endArriving(): void {
    for (const each of this.#listed) each.remove();
    this.#listed = [];
    this.#breakOff = undefined;
  }

  end(failure: Failure): void {
    const breakOff = this.#breakOff;
    this[Symbol.dispose]();
    breakOff?.(failure);
  }

  [Symbol.dispose](): void {
    this.endArriving();
    this.#budget.releaseFor(this.#owner, this.#bytes, this.#open);
    this.#bytes = 0;
    this.#open = false;
  }
}

function shareExceeded(owner: "account" | "key", bytes: number): Failure {
  return new Failure(
    "rate_limit_exceeded",
    `The open calls of this ${owner} use their full share of the gateway's memory (${bytes} bytes); try again shortly.`,
    { retryAfterSeconds: 1 },
  );
}

function budgetFull(): Failure {
  return new Failure("server_overloaded", "The gateway is at its memory limit for request bodies; try again shortly.", {
    retryAfterSeconds: 1,
  });
}

import { Failure } from "@modelgate/contracts";
import { countBuffered } from "./metrics.ts";
import { OpenList, type Listed } from "./open-list.ts";

/** The account and the token of a call that holds bytes. */
export interface Holder {
  readonly accountId: string;
  readonly tokenId: string;
}

/** Maximum shares of a budget for one account and one token. */
export interface BudgetShares {
  /** Percent of the budget's bytes. A token's only body is exempt: the largest body must fit into a small budget. */
  readonly accountPercent: number;
  readonly tokenPercent: number;
  /** Bodies that may be arriving at the same time. */
  readonly accountBodies: number;
  readonly tokenBodies: number;
}

const unshared: BudgetShares = {
  accountPercent: 100,
  tokenPercent: 100,
  accountBodies: Infinity,
  tokenBodies: Infinity,
};

/** The present use of one account or one token. */
interface Use {
  bytes: number;
  /** Number of its open bodies. */
  holdings: number;
  readonly arriving: OpenList<Holding>;
}

/** The present use of an account, and of each of its tokens. */
interface AccountUse extends Use {
  readonly tokens: Map<string, Use>;
}

/**
 * A bound on what all requests of a process together hold in memory or on disk. It knows who holds what: one account
 * and one token are bounded by their shares, and when the budget is full, the account that holds most makes room, its
 * newest arriving body first.
 */
export class BufferBudget {
  readonly #limit: number;
  readonly #shares: BudgetShares;
  readonly #accounts = new Map<string, AccountUse>();
  #taken = 0;

  constructor(limitBytes: number, shares: BudgetShares = unshared) {
    this.#limit = limitBytes;
    this.#shares = shares;
  }

  /** Bytes held now. */
  get taken(): number {
    return this.#taken;
  }

  /** Takes bytes that no account is charged with, or throws Failure server_overloaded (503). */
  take(bytes: number): void {
    if (this.#taken + bytes > this.#limit) this.#makeRoom(bytes, 0);
    this.#count(bytes);
  }

  give(bytes: number): void {
    this.#count(-bytes);
  }

  /** Opens a holding for one body of a caller. */
  holdFor({ accountId, tokenId }: Holder): Holding {
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

  /** Takes bytes for a holding. Throws Failure as `Holding.take`. */
  takeFor(holding: Holding, { account, token }: Uses, bytes: number): void {
    const { accountPercent, tokenPercent } = this.#shares;
    const ofToken = Math.floor((this.#limit * tokenPercent) / 100);
    if (token.bytes + bytes > ofToken && token.bytes !== holding.bytes) throw shareTaken("key", ofToken);
    const ofAccount = Math.floor((this.#limit * accountPercent) / 100);
    if (account.bytes + bytes > ofAccount && account.bytes !== holding.bytes) throw shareTaken("account", ofAccount);
    if (this.#taken + bytes > this.#limit) this.#makeRoom(bytes, account.bytes);
    account.bytes += bytes;
    token.bytes += bytes;
    this.#count(bytes);
  }

  /** Throws Failure rate_limit_exceeded (429) where a token or its account has as many bodies arriving as it may. */
  refuseCrowd({ account, token }: Uses): void {
    const { accountBodies, tokenBodies } = this.#shares;
    const whose =
      token.arriving.size >= tokenBodies ? "key" : account.arriving.size >= accountBodies ? "account" : undefined;
    if (whose === undefined) return;
    throw new Failure(
      "rate_limit_exceeded",
      `This ${whose} may send ${whose === "key" ? tokenBodies : accountBodies} bodies at the same time.`,
      { retryAfterSeconds: 1 },
    );
  }

  /** Gives a holding's bytes back; `isOver` where it ends with that. */
  giveFor({ accountId, account, tokenId, token }: Uses, bytes: number, isOver: boolean): void {
    account.bytes -= bytes;
    token.bytes -= bytes;
    this.#count(-bytes);
    if (!isOver) return;
    if (--token.holdings === 0) account.tokens.delete(tokenId);
    if (--account.holdings === 0) this.#accounts.delete(accountId);
  }

  /**
   * Makes room by ending arriving bodies of accounts that hold more than the one that asks, the largest account and
   * its newest body first. Throws Failure server_overloaded (503), with nothing ended, where that cannot be enough.
   */
  #makeRoom(bytes: number, held: number): void {
    let missing = this.#taken + bytes - this.#limit;
    const ended: Holding[] = [];
    const larger = [...this.#accounts.values()].filter((use) => use.bytes > held + bytes);
    for (const use of larger.sort((left, right) => right.bytes - left.bytes)) {
      for (const holding of [...use.arriving].toReversed()) {
        if (missing <= 0) break;
        ended.push(holding);
        missing -= holding.bytes;
      }
    }
    if (missing > 0) throw full();
    for (const holding of ended) holding.end(full());
  }

  #count(bytes: number): void {
    this.#taken += bytes;
    countBuffered(bytes);
  }
}

/** The uses that a holding is a part of, and their names. */
interface Uses {
  readonly accountId: string;
  readonly account: AccountUse;
  readonly tokenId: string;
  readonly token: Use;
}

/** The bytes that one body holds of a budget; disposing it gives all of them back. */
export class Holding implements Disposable {
  readonly #budget: BufferBudget;
  readonly #uses: Uses;
  #bytes = 0;
  /** Ends the body while it arrives. */
  #breakOff: ((failure: Failure) => void) | undefined;
  /** Its places among the arriving bodies of its account and its token. */
  #listed: readonly Listed[] = [];
  /** It may be disposed twice, and ends once. */
  #open = true;

  constructor(budget: BufferBudget, uses: Uses) {
    this.#budget = budget;
    this.#uses = uses;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Takes more bytes. Throws Failure rate_limit_exceeded (429, the caller's share) or server_overloaded (503). */
  take(bytes: number): void {
    this.#budget.takeFor(this, this.#uses, bytes);
    this.#bytes += bytes;
  }

  /**
   * Counts the body among those that are arriving, until `arrived`: meanwhile `breakOff` may be called to make room
   * for others, and then its bytes are given back already. Throws Failure rate_limit_exceeded (429).
   */
  arrives(breakOff: (failure: Failure) => void): void {
    const { account, token } = this.#uses;
    this.#budget.refuseCrowd(this.#uses);
    this.#breakOff = breakOff;
    this.#listed = [account.arriving.add(this), token.arriving.add(this)];
  }

  arrived(): void {
    for (const each of this.#listed) each.remove();
    this.#listed = [];
    this.#breakOff = undefined;
  }

  /** Ends a body that is arriving. */
  end(failure: Failure): void {
    const breakOff = this.#breakOff;
    this[Symbol.dispose]();
    breakOff?.(failure);
  }

  [Symbol.dispose](): void {
    this.arrived();
    this.#budget.giveFor(this.#uses, this.#bytes, this.#open);
    this.#bytes = 0;
    this.#open = false;
  }
}

function shareTaken(whose: "account" | "key", bytes: number): Failure {
  return new Failure(
    "rate_limit_exceeded",
    `The open calls of this ${whose} hold their share of the gateway's memory, ${bytes} bytes; try again shortly.`,
    { retryAfterSeconds: 1 },
  );
}

function full(): Failure {
  return new Failure("server_overloaded", "The gateway is at its memory limit for request bodies; try again shortly.", {
    retryAfterSeconds: 1,
  });
}

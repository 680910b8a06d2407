import { Failure } from "@modelgate/contracts";
import { countBuffered } from "./metrics.ts";
import { OpenList, type Listed } from "./open-list.ts";

/** Account and API key of a call that uses memory. */
export interface Holder {
  readonly accountId: string;
  readonly tokenId: string;
}

/** Maximum shares of a budget for one account and one API key. */
export interface BudgetShares {
  /**
   * Percentage of the budget's bytes. A limit does not apply to the only body of its account or API key, so that the
   * largest allowed body fits into a small budget.
   */
  readonly accountPercent: number;
  readonly tokenPercent: number;
  /** Bodies that may arrive at the same time. */
  readonly accountBodies: number;
  readonly tokenBodies: number;
}

const unshared: BudgetShares = {
  accountPercent: 100,
  tokenPercent: 100,
  accountBodies: Infinity,
  tokenBodies: Infinity,
};

/** Current use of one account or one API key. */
interface Use {
  bytes: number;
  /** Number of its open holdings. */
  holdings: number;
  readonly arriving: OpenList<Holding>;
}

/** Current use of an account, and of each of its API keys. */
interface AccountUse extends Use {
  readonly tokens: Map<string, Use>;
}

/**
 * Limit on the memory or disk that all requests of a process use together. It records the use per account and API key
 * and limits both to their shares. If the budget is full, the account with the most bytes must make room: its newest
 * arriving body is ended first.
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

  /** Bytes in use. */
  get taken(): number {
    return this.#taken;
  }

  /** Takes bytes that count for no account. Throws Failure server_overloaded (503). */
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

  /** Takes bytes for a holding. Throws the same Failures as `Holding.take`. */
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

  /**
   * Throws Failure rate_limit_exceeded (429) if an API key or its account has its maximum number of arriving bodies.
   */
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

  /** Releases a holding's bytes; `isOver` is true if the holding ends. */
  giveFor({ accountId, account, tokenId, token }: Uses, bytes: number, isOver: boolean): void {
    account.bytes -= bytes;
    token.bytes -= bytes;
    this.#count(-bytes);
    if (!isOver) return;
    if (--token.holdings === 0) account.tokens.delete(tokenId);
    if (--account.holdings === 0) this.#accounts.delete(accountId);
  }

  /**
   * Makes room by ending arriving bodies of accounts that use more than the requesting one: the largest account first,
   * its newest body first. Throws Failure server_overloaded (503), without ending any body, if that would not suffice.
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

/** Uses that a holding belongs to, and their names. */
interface Uses {
  readonly accountId: string;
  readonly account: AccountUse;
  readonly tokenId: string;
  readonly token: Use;
}

/** Bytes of a budget that one body uses; disposal releases all of them. */
export class Holding implements Disposable {
  readonly #budget: BufferBudget;
  readonly #uses: Uses;
  #bytes = 0;
  /** Ends the body while it arrives. */
  #breakOff: ((failure: Failure) => void) | undefined;
  /** Entries of the body in the lists of arriving bodies of its account and its API key. */
  #listed: readonly Listed[] = [];
  /** False after the first disposal; a second one does nothing. */
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
   * Counts the body as arriving until `arrived` is called. Meanwhile `breakOff` may be called to make room for others;
   * the bytes of the body are then already released. Throws Failure rate_limit_exceeded (429).
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

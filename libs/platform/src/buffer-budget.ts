import { Failure } from "@modelgate/contracts";
import { countBuffered } from "./metrics.ts";
import { OpenList } from "./open-list.ts";

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

/**
 * A bound on what all requests of a process together hold in memory or on disk. It knows who holds what: one account
 * and one token are bounded by their shares, and when the budget is full, the account that holds most makes room, its
 * newest arriving body first.
 */
export class BufferBudget {
  readonly #limit: number;
  readonly #shares: BudgetShares;
  readonly #accounts = new Map<string, Use>();
  readonly #tokens = new Map<string, Use>();
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
    this.#makeRoom(bytes, 0);
    this.#count(bytes);
  }

  give(bytes: number): void {
    this.#count(-bytes);
  }

  /** Opens a holding for one body of a caller. */
  holdFor({ accountId, tokenId }: Holder): Holding {
    const account = useOf(this.#accounts, accountId);
    const tokenKey = JSON.stringify([accountId, tokenId]);
    const token = useOf(this.#tokens, tokenKey);
    return new Holding(this.#book, { accountId, account, tokenKey, token });
  }

  /** The budget as its holdings use it. */
  readonly #book: Book = {
    opened({ account, token }) {
      account.holdings++;
      token.holdings++;
    },
    take: (holding, uses, bytes) => this.#takeFor(holding, uses, bytes),
    give: ({ account, token }, bytes) => {
      account.bytes -= bytes;
      token.bytes -= bytes;
      this.#count(-bytes);
    },
    arrives: (holding, { account, token }) => {
      this.#refuseCrowd(account, token);
      const both = [account.arriving.add(holding), token.arriving.add(holding)];
      return () => {
        for (const each of both) each.remove();
      };
    },
    ended: ({ accountId, account, tokenKey, token }) => {
      closeOne(this.#accounts, accountId, account);
      closeOne(this.#tokens, tokenKey, token);
    },
  };

  #takeFor(holding: Holding, { account, token }: Uses, bytes: number): void {
    const { accountPercent, tokenPercent } = this.#shares;
    this.#refuseShare("key", token, holding, { bytes, percent: tokenPercent });
    this.#refuseShare("account", account, holding, { bytes, percent: accountPercent });
    this.#makeRoom(bytes, account.bytes);
    account.bytes += bytes;
    token.bytes += bytes;
    this.#count(bytes);
  }

  #refuseShare(
    whose: "account" | "key",
    use: Use,
    holding: Holding,
    { bytes, percent }: { readonly bytes: number; readonly percent: number },
  ): void {
    const share = Math.floor((this.#limit * percent) / 100);
    if (use.bytes + bytes <= share || use.bytes === holding.bytes) return;
    throw new Failure(
      "rate_limit_exceeded",
      `The open calls of this ${whose} hold their share of the gateway's memory, ${share} bytes; try again shortly.`,
      { retryAfterSeconds: 1 },
    );
  }

  #refuseCrowd(account: Use, token: Use): void {
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

  /**
   * Makes room by ending arriving bodies of accounts that hold more than the one that asks, the largest account and
   * its newest body first. Throws Failure server_overloaded (503), with nothing ended, where that cannot be enough.
   */
  #makeRoom(bytes: number, held: number): void {
    let missing = this.#taken + bytes - this.#limit;
    if (missing <= 0) return;
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

/** The uses that a holding is a part of, and their keys. */
interface Uses {
  readonly accountId: string;
  readonly account: Use;
  readonly tokenKey: string;
  readonly token: Use;
}

/** The operations of a budget that its holdings use. */
interface Book {
  opened(uses: Uses): void;
  take(holding: Holding, uses: Uses, bytes: number): void;
  give(uses: Uses, bytes: number): void;
  /** Returns a function to call when the body has arrived. */
  arrives(holding: Holding, uses: Uses): () => void;
  ended(uses: Uses): void;
}

/** The bytes that one body holds of a budget; disposing it gives all of them back. */
export class Holding implements Disposable {
  readonly #book: Book;
  readonly #uses: Uses;
  #bytes = 0;
  /** While the body arrives: what ends that, and what notes its arrival. */
  #arriving: { readonly breakOff: (failure: Failure) => void; readonly arrived: () => void } | undefined;
  /** It may be disposed twice, and ends once. */
  #open = true;

  constructor(book: Book, uses: Uses) {
    this.#book = book;
    this.#uses = uses;
    book.opened(uses);
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Takes more bytes. Throws Failure rate_limit_exceeded (429, the caller's share) or server_overloaded (503). */
  take(bytes: number): void {
    this.#book.take(this, this.#uses, bytes);
    this.#bytes += bytes;
  }

  /**
   * Counts the body among those that are arriving, until `arrived`: meanwhile `breakOff` may be called to make room
   * for others, and then its bytes are given back already. Throws Failure rate_limit_exceeded (429).
   */
  arrives(breakOff: (failure: Failure) => void): void {
    this.#arriving = { breakOff, arrived: this.#book.arrives(this, this.#uses) };
  }

  arrived(): void {
    this.#arriving?.arrived();
    this.#arriving = undefined;
  }

  /** Ends a body that is arriving. */
  end(failure: Failure): void {
    const arriving = this.#arriving;
    this[Symbol.dispose]();
    arriving?.breakOff(failure);
  }

  [Symbol.dispose](): void {
    this.arrived();
    this.#book.give(this.#uses, this.#bytes);
    this.#bytes = 0;
    if (this.#open) this.#book.ended(this.#uses);
    this.#open = false;
  }
}

function useOf(uses: Map<string, Use>, id: string): Use {
  const known = uses.get(id);
  if (known !== undefined) return known;
  const use: Use = { bytes: 0, holdings: 0, arriving: new OpenList() };
  uses.set(id, use);
  return use;
}

function closeOne(uses: Map<string, Use>, id: string, use: Use): void {
  use.holdings--;
  if (use.holdings === 0 && uses.get(id) === use) uses.delete(id);
}

function full(): Failure {
  return new Failure("server_overloaded", "The gateway is at its memory limit for request bodies; try again shortly.", {
    retryAfterSeconds: 1,
  });
}

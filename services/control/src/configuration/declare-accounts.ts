import { findAccount, findToken, makeToken } from "@modelgate/accounts";
import { dollarsToNanos, parseUsd, type Configuration, type TokenConfiguration } from "@modelgate/contracts";
import type { Logger, Redis } from "@modelgate/platform";
import type { Ledger } from "../ledger.ts";

/** Dependencies for declaring accounts. */
export interface DeclareDeps {
  readonly redis: Redis;
  readonly ledger: Pick<Ledger, "createAccount" | "createToken">;
  readonly log: Logger;
}

const actor = "configuration";
/** Maximum ms that `declare` waits. Accounts that do not exist by then are created in the background. */
const waitMs = 20_000;
const retryMs = 500;
const maxConcurrent = 8;

type Accounts = NonNullable<Configuration["accounts"]>;

/** Creates missing accounts and API keys of a configuration. Retries while the ledger is unavailable. */
export class DeclaredAccounts implements AsyncDisposable {
  readonly #deps: DeclareDeps;
  readonly #stop = new AbortController();
  #wanted: Accounts = {};
  #creating: Promise<void> | undefined;

  constructor(deps: DeclareDeps) {
    this.#deps = deps;
  }

  /** Creates the accounts of a configuration. Resolves when they exist, or after the maximum wait. */
  async declare({ accounts = {} }: Configuration): Promise<void> {
    this.#wanted = accounts;
    this.#creating ??= this.#createAll().finally(() => {
      this.#creating = undefined;
    });
    const timeout = Promise.withResolvers<void>();
    const timer = setTimeout(timeout.resolve, waitMs);
    await Promise.race([this.#creating, timeout.promise]);
    clearTimeout(timer);
  }

  async #createAll(): Promise<void> {
    let hasLoggedFailure = false;
    for (let created: Accounts | undefined; created !== this.#wanted && !this.#stop.signal.aborted;) {
      const wanted = this.#wanted;
      try {
        await this.#create(Object.entries(wanted));
        created = wanted;
      } catch (error) {
        if (!hasLoggedFailure)
          this.#deps.log.warn({ err: error }, "accounts of the configuration are waiting for the ledger");
        hasLoggedFailure = true;
        await new Promise((resolve) => setTimeout(resolve, retryMs));
      }
    }
  }

  async #create(accounts: readonly [string, Accounts[string]][]): Promise<void> {
    for (let from = 0; from < accounts.length && !this.#stop.signal.aborted; from += maxConcurrent)
      await Promise.all(
        accounts.slice(from, from + maxConcurrent).map(([id, account]) => this.#createOne(id, account)),
      );
  }

  async #createOne(id: string, { balance, tokens = [] }: Accounts[string]): Promise<void> {
    const { redis, ledger, log } = this.#deps;
    if ((await findAccount(redis, id)) === undefined) {
      const created = await ledger.createAccount({ id, name: id, balance: parseUsd(balance) }, actor);
      if (created) log.info({ account: id }, "account created");
    }
    for (const { key, budget, ...settings } of tokens) {
      const { digest, token } = makeToken(key, { accountId: id, ...settings, budget: budgetOf(budget) });
      if ((await findToken(redis, digest)) !== undefined) continue;
      const { created } = await ledger.createToken({ digest, token }, actor);
      if (created) log.info({ account: id, token: token.id }, "token created");
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#creating;
  }
}

function budgetOf(budget: TokenConfiguration["budget"]) {
  if (budget === undefined) return undefined;
  const nanos = (dollars: number | undefined) =>
    dollars === undefined ? undefined : dollarsToNanos(dollars).toString();
  return { perDay: nanos(budget.dollarsPerDay), perMonth: nanos(budget.dollarsPerMonth) };
}

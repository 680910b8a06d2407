import type { Area as AreaName } from "@modelgate/contracts";
import type { Suite } from "@modelgate/testkit";
import type { Answer, Sending } from "../chaos/exchange.ts";
import type { Inside } from "./inside.ts";
import type { Loops } from "./loops.ts";
import type { Handler, RawHandler, SocketHandler, VendorRequest } from "./vendor.ts";

/** Model of an attack, with one channel to a vendor whose answers the attack determines. */
export interface AttackModel {
  /** Name, unique within the attack. The model and the channel are both named `<attack>-<name>`. */
  readonly name: string;
  readonly kind: string;
  /** Prices in the configuration's format, in US dollars. */
  readonly price: object;
  readonly provider: string;
  /** Path after the vendor's address in the channel's base URL. */
  readonly path: string;
  /** Name of another channel of the attack that serves this model too. The model then has no separate vendor. */
  readonly channelOf?: string;
  /** True if the channel serves the models that its vendor lists, and not this model. */
  readonly listed?: true;
  /** Answers requests of the vendor. If this, `raw` and `socket` are absent, the vendor is the simulator. */
  readonly answers?: Handler;
  /** Answers on the connection with raw bytes. */
  readonly raw?: RawHandler;
  /** Answers WebSockets. */
  readonly socket?: SocketHandler;
  /** API key of the channel, if its provider requires a specific form. */
  readonly key?: string;
  readonly timeoutMs?: number;
}

/** Account with an API key. */
export interface AttackAccount {
  readonly accountId: string;
  readonly key: string;
}

/** Servers, accounts and functions that an attack uses. */
export interface AttackContext {
  readonly edgeUrl: string;
  readonly suite: Suite;
  readonly attacker: AttackAccount;
  /** Another account in the same group. */
  readonly other: AttackAccount;
  /** Server in the operator's network, which no request may reach. */
  readonly inside: Inside;
  readonly loops: Loops;
  /** The SQLite file of the ledger's books. */
  readonly booksFile: string;
  /** Returns the name by which clients call a model of the attack. */
  model(name: string): string;
  /** Returns the requests that a vendor has received. */
  requests(name: string): readonly VendorRequest[];
  /** Sends one HTTP request, with the attacker's key unless it names another. */
  send(sending: Sending): Promise<Answer>;
  sendAll(sendings: Iterable<Sending>): Promise<readonly Answer[]>;
  /**
   * Sends requests one after another, each from a different account, so that one request cannot use up the money of the
   * next.
   */
  sendFromEach(sendings: readonly Sending[]): Promise<{
    readonly answers: readonly Answer[];
    /** Spending of each account, in US dollars. */
    readonly spendings: readonly number[];
  }>;
  /** Sends bytes on a new connection to the edge. Returns the bytes that arrive until it is closed or silent. */
  raw(bytes: string | Buffer): Promise<string>;
  /** Waits until no money of an account is reserved, and returns its spending in US dollars. */
  spent(account: AttackAccount): Promise<number>;
  /** Searches a text for secrets. Not needed for answers of `send` and `raw`, which are searched already. */
  seen(text: string): void;
}

/** Report of an attack. An attack without failed checks was withstood. */
export interface AttackResult {
  /** Description and number of the attempts. */
  readonly tried: string;
  /** Figure that shows the result. */
  readonly figure: string;
  /** Descriptions of the failed checks. */
  readonly failedChecks: readonly string[];
}

/** An attack, with a limited number of requests, time and memory, on this machine only. */
export interface Attack {
  /** Prefix of the names of its models and accounts. */
  readonly id: string;
  /** Description of what the attacker does. */
  readonly name: string;
  /** Area in which another account calls during the attack. */
  readonly area: Exclude<AreaName, "edge">;
  /** Balance of the attacker in US dollars. */
  readonly balance?: string;
  /** Number of further accounts of the attacker. */
  readonly extraAccounts?: number;
  readonly models?: readonly AttackModel[];
  /** Prepares the suite before the attack is measured, for example for a cold start. */
  prepare?(context: AttackContext): Promise<void>;
  run(context: AttackContext): Promise<AttackResult>;
}

/** Returns a model whose channel uses OpenAI's API. */
export function openaiModel(
  name: string,
  kind: string,
  price: object,
  answers?: Handler,
  more: Partial<AttackModel> = {},
): AttackModel {
  const vendor = answers === undefined ? { path: "openai/v1" } : { path: "v1", answers };
  return { name, kind, price, provider: "openai", ...vendor, ...more };
}

/** Returns a model of realtime sessions. */
export function sessionModel(name: string, price: object, socket: SocketHandler): AttackModel {
  return { name, kind: "realtime", price, provider: "openai", path: "v1", socket, timeoutMs: 10_000 };
}

/** Creates the result of an attack; `failedChecks` lists the checks that failed, and false for each other one. */
export function attackResult(
  what: string,
  figure: string,
  failedChecks: readonly (string | false)[] = [],
): AttackResult {
  return { tried: what, figure, failedChecks: failedChecks.filter((each) => each !== false) };
}

/** Counts the statuses of answers, as `12 × 200, 3 × 503`. */
export function statusesOf(answers: readonly Answer[]): string {
  const counts = Map.groupBy(answers, ({ status, end }) => (end === "whole" ? String(status) : end));
  return [...counts].map(([what, all]) => `${all.length} × ${what}`).join(", ");
}

/** Formats US dollars for a table. */
export function dollars(amount: number): string {
  return `$${amount.toFixed(4).replace(/0{1,2}$/, "")}`;
}

/** Creates a list of this many values. */
export function times<T>(count: number, make: (at: number) => T): readonly T[] {
  return Array.from({ length: count }, (_, at) => make(at));
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

import type { Area as AreaName } from "@modelgate/contracts";
import type { Suite } from "@modelgate/testkit";
import type { Answer, Sending } from "../chaos/exchange.ts";
import type { InternalServer } from "./internal-server.ts";
import type { EventLoops } from "./loops.ts";
import type { Handler, RawHandler, SocketHandler, VendorRequest } from "./vendor.ts";

export interface AttackModel {
  /** Name within the attack. The model and the channel are both named `<attack>-<name>`. */
  readonly name: string;
  readonly kind: string;
  /** Prices as in the configuration, in US dollars. */
  readonly price: object;
  readonly provider: string;
  /** Path of the channel's base URL. */
  readonly path: string;
  /** Name of another model of the attack, whose channel then also serves this model. */
  readonly channelOf?: string;
  /** True if the channel serves all models that its vendor lists (`models: "*"`), instead of only this model. */
  readonly listed?: true;
  /** Answers HTTP requests. If this, `raw` and `socket` are absent, the vendor is the simulator. */
  readonly answers?: Handler;
  /** Answers with raw bytes. */
  readonly raw?: RawHandler;
  readonly socket?: SocketHandler;
  /** API key of the channel, if its provider requires a specific format. */
  readonly key?: string;
  readonly timeoutMs?: number;
}

export interface AttackAccount {
  readonly accountId: string;
  readonly key: string;
}

/** Servers, accounts and functions that an attack uses. */
export interface AttackContext {
  readonly edgeUrl: string;
  readonly suite: Suite;
  readonly attacker: AttackAccount;
  readonly other: AttackAccount;
  /** Server in the operator's network that no request may reach. */
  readonly internalServer: InternalServer;
  readonly loops: EventLoops;
  readonly booksFile: string;
  /** Returns the complete name of a model of the attack. */
  model(name: string): string;
  /** Returns the requests that a model's vendor has received. */
  requests(name: string): readonly VendorRequest[];
  send(sending: Sending): Promise<Answer>;
  sendAll(sendings: Iterable<Sending>): Promise<readonly Answer[]>;
  /** Sends requests one after another, each from a different account with enough money. */
  sendFromEach(sendings: readonly Sending[]): Promise<{
    readonly answers: readonly Answer[];
    /** US dollars by account. */
    readonly spendings: readonly number[];
  }>;
  /** Sends bytes on a new connection to the edge, and returns the answer. */
  sendRaw(bytes: string | Buffer): Promise<string>;
  /** Waits for all settlements of an account, and returns its spending in US dollars. */
  readSpending(account: AttackAccount): Promise<number>;
  /** Searches a text for secrets. `send` and `sendRaw` do this for their answers. */
  searchSecrets(text: string): void;
}

/** Result of an attack. The attack succeeded if a check failed. */
export interface AttackResult {
  /** Description and number of the attempts. */
  readonly tried: string;
  /** Measured value that shows the result. */
  readonly figure: string;
  readonly failedChecks: readonly string[];
}

/** Attack with a limited number of requests, time and memory, on this machine only. */
export interface Attack {
  /** Prefix of the names of its models and accounts. */
  readonly id: string;
  /** Description, without a subject: "sends bodies …". */
  readonly name: string;
  /** Area in which another account calls during the attack. */
  readonly area: Exclude<AreaName, "edge">;
  readonly balance?: string;
  /** Number of additional accounts of the attacker. */
  readonly extraAccounts?: number;
  readonly models?: readonly AttackModel[];
  /** Prepares the suite, for example for a cold start, before anything is measured. */
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

/** Creates the result of an attack. `failedChecks` contains false for each passed check. */
export function attackResult(
  tried: string,
  figure: string,
  failedChecks: readonly (string | false)[] = [],
): AttackResult {
  return { tried, figure, failedChecks: failedChecks.filter((each) => each !== false) };
}

/** Counts the statuses of answers, as `12 × 200, 3 × 503`. */
export function statusesOf(answers: readonly Answer[]): string {
  const counts = Map.groupBy(answers, ({ status, end }) => (end === "whole" ? String(status) : end));
  return [...counts].map(([what, all]) => `${all.length} × ${what}`).join(", ");
}

export function formatDollars(amount: number): string {
  return `$${amount.toFixed(4).replace(/0{1,2}$/, "")}`;
}

/** Creates a list from a function that gets the index. */
export function times<T>(count: number, make: (at: number) => T): readonly T[] {
  return Array.from({ length: count }, (_, at) => make(at));
}

import type { Area as AreaName } from "@modelgate/contracts";
import type { Suite } from "@modelgate/testkit";
import type { Answer, Sending } from "../chaos/exchange.ts";
import type { Inside } from "./inside.ts";
import type { Loops } from "./loops.ts";
import type { Handler, RawHandler, SocketHandler, VendorRequest } from "./vendor.ts";

/** A model of an attack, with one channel to a vendor that the attack scripts. */
export interface Way {
  /** Unique within its attack; the model and the channel are both named `<attack>-<name>`. */
  readonly name: string;
  readonly kind: string;
  /** US dollars, as the configuration writes them. */
  readonly price: object;
  readonly provider: string;
  /** What follows the vendor's address in the channel's base URL. */
  readonly path: string;
  /** Another way of the same attack, whose channel serves this model too; then it has no vendor of its own. */
  readonly channelOf?: string;
  /** Whether the channel serves what its vendor lists, and not the model of the way. */
  readonly listed?: true;
  /** How the vendor answers; absent where the vendor is the simulator. */
  readonly answers?: Handler;
  /** How it answers below HTTP: bytes on the connection. */
  readonly raw?: RawHandler;
  /** How it answers a WebSocket. */
  readonly socket?: SocketHandler;
  /** The access key that the channel shows, where its provider wants a form of its own. */
  readonly key?: string;
  readonly timeoutMs?: number;
}

/** Somebody who pays. */
export interface Payer {
  readonly accountId: string;
  readonly key: string;
}

/** What an attack is carried out with. */
export interface Field {
  readonly edgeUrl: string;
  readonly suite: Suite;
  readonly attacker: Payer;
  /** Another tenant of the same group. */
  readonly other: Payer;
  /** A server of the operator's own network, which no request may reach. */
  readonly inside: Inside;
  readonly loops: Loops;
  /** The SQLite file of the ledger's books. */
  readonly booksFile: string;
  /** The model of a way, as a client names it. */
  model(way: string): string;
  /** What the vendor of a way was asked so far. */
  asked(way: string): readonly VendorRequest[];
  /** One request over HTTP, by the attacker where it names no key. */
  send(sending: Sending): Promise<Answer>;
  /** Requests one after the other. */
  sendAll(sendings: Iterable<Sending>): Promise<readonly Answer[]>;
  /** Requests one after the other, each paid by another of the payers: one that has lost its money shows nothing more. */
  payEach(sendings: readonly Sending[]): Promise<{
    readonly answers: readonly Answer[];
    /** What each has spent, in US dollars. */
    readonly spendings: readonly number[];
  }>;
  /** Bytes on a connection of their own to the edge; what came back until it was closed or silent for a while. */
  raw(bytes: string | Buffer): Promise<string>;
  /** What an account has spent, in US dollars, once nothing of it is held. */
  spent(payer: Payer): Promise<number>;
  /** Looks for secrets in a text that came back outside of `send` and `raw`. */
  seen(text: string): void;
}

/** What an attack came to. */
export interface Tried {
  /** How often what was done. */
  readonly tried: string;
  /** The figure that says how it went. */
  readonly figure: string;
  /** What did not hold, in words; empty where all did. */
  readonly broken: readonly string[];
}

/** One way to attack: bounded in count, time and memory, on this machine alone. */
export interface Attack {
  /** The beginning of its models' and accounts' names. */
  readonly id: string;
  /** What the attacker does. */
  readonly name: string;
  /** Where other accounts' calls are watched meanwhile. */
  readonly area: Exclude<AreaName, "edge">;
  /** US dollars of the attacker. */
  readonly balance?: string;
  /** How many more accounts the attacker has. */
  readonly payers?: number;
  readonly ways?: readonly Way[];
  /** Prepares the suite before the attack is watched, such as a cold start. */
  prepare?(field: Field): Promise<void>;
  run(field: Field): Promise<Tried>;
}

/** Writes a way whose channel speaks OpenAI's API, for the most usual vendor. */
export function openaiWay(name: string, kind: string, price: object, answers?: Handler, more: Partial<Way> = {}): Way {
  const vendor = answers === undefined ? { path: "openai/v1" } : { path: "v1", answers };
  return { name, kind, price, provider: "openai", ...vendor, ...more };
}

/** Writes a way of sessions. */
export function sessionWay(name: string, price: object, socket: SocketHandler): Way {
  return { name, kind: "realtime", price, provider: "openai", path: "v1", socket, timeoutMs: 10_000 };
}

/** What an attack says of itself where nothing is broken beyond what the list names. */
export function tried(what: string, figure: string, broken: readonly (string | false)[] = []): Tried {
  return { tried: what, figure, broken: broken.filter((each) => each !== false) };
}

/** Statuses of answers and how often each came, as `12 × 200, 3 × 503`. */
export function statusesOf(answers: readonly Answer[]): string {
  const counts = Map.groupBy(answers, ({ status, end }) => (end === "whole" ? String(status) : end));
  return [...counts].map(([what, all]) => `${all.length} × ${what}`).join(", ");
}

/** US dollars for a table. */
export function dollars(amount: number): string {
  return `$${amount.toFixed(4).replace(/0{1,2}$/, "")}`;
}

/** Makes so many values. */
export function times<T>(count: number, make: (at: number) => T): readonly T[] {
  return Array.from({ length: count }, (_, at) => make(at));
}

/** Waits. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

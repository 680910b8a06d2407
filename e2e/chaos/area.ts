import type { Area as AreaName } from "@modelgate/contracts";
import type { Suite } from "@modelgate/testkit";
import { exchange, type Answer, type Sending } from "./exchange.ts";

/** When a client leaves: before its request is sent, before its answer begins, in the middle of it, or never. */
export type Leaves = "while sending" | "before the answer" | "in the answer" | "never";

/** Channels of a model: two, or the first of them only. */
export type Ways = "two" | "lone";

/** A vendor of an area: a model of that name for each of the ways, and the channels to it. */
export interface Vendor {
  readonly name: string;
  readonly kind: string;
  readonly price: Readonly<Record<string, number>>;
  /** The provider, and where its base address is below an instance of the simulator. */
  readonly provider: string;
  readonly path: string;
  readonly upstreamModel: string;
  /** Absent: a name. */
  readonly key?: string;
}

/** One request, or one conversation, of a client. */
export interface ClientCall {
  readonly edgeUrl: string;
  readonly key: string;
  readonly requestId: string;
  readonly ways: Ways;
  readonly leaves: Leaves;
  /** Number of the call in its area: one kind of request follows another. */
  readonly turn: number;
}

/** Result of a call. */
export interface CallResult {
  /** What its client saw go wrong; nothing where all went well, or where it left. */
  readonly failures: readonly string[];
  readonly left: boolean;
  /** Answers that arrived whole: each must have been charged. */
  readonly whole: number;
  /** Answers that were requested: no more than these may have been charged. */
  readonly requested: number;
}

/** An area under fire: what its clients request, and how its vendors misbehave, in the words of the simulator's README. */
export interface Area {
  readonly name: Exclude<AreaName, "edge">;
  readonly vendors: readonly Vendor[];
  readonly misbehaves: { readonly stalls: object; readonly cuts: object };
  call(call: ClientCall): Promise<CallResult>;
  /**
   * Returns how much work vendors were sent more than once, among requests whose id begins so. `refusing`: the first
   * vendors refused all of it.
   */
  repeated?(suite: Suite, idBeginning: string, refusing: boolean): Promise<number>;
}

/** Returns the model of a vendor that has such ways. */
export function modelOf({ name }: Vendor, ways: Ways): string {
  return `${name}-${ways}`;
}

/** When a client leaves that does not wait for its answer: vendors begin theirs later. */
export const leaveAfterMs = 25;
const leavings: Readonly<Record<Leaves, Partial<Sending>>> = {
  "while sending": { sendsHalf: true, leaveAfterMs },
  "before the answer": { leaveAfterMs },
  "in the answer": { leavesInAnswer: true },
  never: {},
};

/** Sends one request of a call; `leaves` by default as the call says. */
export function send(call: ClientCall, sending: Sending, leaves = call.leaves): Promise<Answer> {
  const headers = { "x-request-id": call.requestId, ...sending.headers };
  return exchange(call.edgeUrl, call.key, { patienceMs: 15_000, ...leavings[leaves], ...sending, headers });
}

/** Returns what went wrong with an answer that its client did not leave. */
export function failureOf({ end, status }: Answer): string | undefined {
  if (end !== "whole") return end;
  return status === 200 ? undefined : String(status);
}

/** Sends the only request of a call; `isWhole` distinguishes a good answer from one that reports an error. */
export async function sendOne(
  call: ClientCall,
  sending: Sending,
  isWhole: (body: string) => boolean,
): Promise<CallResult> {
  const answer = await send(call, sending);
  if (answer.end === "left") return { failures: [], left: true, whole: 0, requested: 1 };
  const failure = failureOf(answer) ?? (isWhole(answer.body) ? undefined : "error in the answer");
  return failure === undefined
    ? { failures: [], left: false, whole: 1, requested: 1 }
    : { failures: [failure], left: false, whole: 0, requested: 1 };
}

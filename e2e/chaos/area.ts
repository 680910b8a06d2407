import type { Area as AreaName } from "@modelgate/contracts";
import type { Suite } from "@modelgate/testkit";
import { exchange, type Answer, type Sending } from "./exchange.ts";

/** Time at which a client disconnects. */
export type DisconnectTime = "while sending" | "before the answer" | "in the answer" | "never";

/** Channels of a model: two, or only the first one. */
export type ChannelCount = "two" | "lone";

/** Vendor of an area. It serves a model for each number of channels. */
export interface Vendor {
  readonly name: string;
  readonly kind: string;
  readonly price: Readonly<Record<string, number>>;
  /** Provider; `path` is below an instance of the simulator. */
  readonly provider: string;
  readonly path: string;
  readonly upstreamModel: string;
  /** Key of the channel, if it needs a specific format. */
  readonly key?: string;
}

/** One request or session of a client. */
export interface ClientCall {
  readonly edgeUrl: string;
  readonly key: string;
  readonly requestId: string;
  readonly channelCount: ChannelCount;
  readonly disconnects: DisconnectTime;
  /** Number of the call in its area. It selects the kind of request, so that kinds alternate. */
  readonly turn: number;
}

/** Result of a call as its client saw it. */
export interface CallResult {
  /** Empty if the client disconnected. */
  readonly failures: readonly string[];
  readonly disconnected: boolean;
  /** Number of complete answers. Each must be charged. */
  readonly whole: number;
  /** Number of requested answers, the maximum that may be charged. */
  readonly requested: number;
}

/** Calls of an area's clients, and faults of its vendors as behaviours of the simulator. */
export interface Area {
  readonly name: Exclude<AreaName, "edge">;
  readonly vendors: readonly Vendor[];
  readonly faultBehaviours: { readonly stalls: object; readonly cuts: object };
  call(call: ClientCall): Promise<CallResult>;
  /**
   * Returns how often a request with this prefix of its id started another task. `refusing` is true if the `main`
   * channel of each vendor refused all requests: only the `spare` channels are counted.
   */
  countRepeated?(suite: Suite, idPrefix: string, refusing: boolean): Promise<number>;
}

/** Returns the name of a vendor's model with one or two channels. */
export function modelOf({ name }: Vendor, channelCount: ChannelCount): string {
  return `${name}-${channelCount}`;
}

/** Time in ms after which a client disconnects. Vendors answer later. */
export const disconnectAfterMs = 25;
const disconnectOptions: Readonly<Record<DisconnectTime, Partial<Sending>>> = {
  "while sending": { sendsHalf: true, disconnectAfterMs },
  "before the answer": { disconnectAfterMs },
  "in the answer": { disconnectsInAnswer: true },
  never: {},
};

/** Sends one request of a call. */
export function send(call: ClientCall, sending: Sending, disconnects = call.disconnects): Promise<Answer> {
  const headers = { "x-request-id": call.requestId, ...sending.headers };
  return exchange(call.edgeUrl, call.key, {
    patienceMs: 15_000,
    ...disconnectOptions[disconnects],
    ...sending,
    headers,
  });
}

/** Returns the failure of an answer, or undefined. */
export function failureOf({ end, status }: Answer): string | undefined {
  if (end !== "whole") return end;
  return status === 200 ? undefined : String(status);
}

/** Sends the only request of a call. `isWhole` checks the body. */
export async function sendOne(
  call: ClientCall,
  sending: Sending,
  isWhole: (body: string) => boolean,
): Promise<CallResult> {
  const answer = await send(call, sending);
  if (answer.end === "disconnected") return { failures: [], disconnected: true, whole: 0, requested: 1 };
  const failure = failureOf(answer) ?? (isWhole(answer.body) ? undefined : "error in the answer");
  return failure === undefined
    ? { failures: [], disconnected: false, whole: 1, requested: 1 }
    : { failures: [failure], disconnected: false, whole: 0, requested: 1 };
}

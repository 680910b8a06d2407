import { signOperator } from "@modelgate/contracts/operator-credential";
import type { Suite } from "@modelgate/testkit";

/** Channel as the operator's API shows it. */
export interface ShownChannel {
  readonly state: string;
  readonly reason?: string;
  readonly until?: string;
  readonly consecutiveCooldowns?: number;
  readonly usableKeys: string;
  readonly cappedCalls: number;
  readonly seats: { readonly inUse: number; readonly max: number } | null;
  readonly affectedModels: readonly { readonly model: string; readonly state: string; readonly reason?: string }[];
  readonly keys: readonly { readonly id: string; readonly state: string; readonly reason?: string }[];
  readonly accountCooldowns: readonly {
    readonly account: string;
    readonly scope: string;
    readonly state: string;
    readonly vendorMessage?: string;
    readonly until?: string;
    readonly consecutiveCooldowns?: number;
  }[];
}

/** Returns a channel. Unlike `gatectl channel show`, it starts no process. */
export function shownChannel(suite: Suite, id: string): Promise<ShownChannel> {
  return askOperator(suite, "GET", `/channels/${id}`);
}

export function switchedChannel(suite: Suite, id: string, verb: "disable" | "enable", body: object = {}) {
  return askOperator<ShownChannel>(suite, "POST", `/channels/${id}/${verb}`, body);
}

export async function askOperator<Data>(suite: Suite, method: string, path: string, body?: object): Promise<Data> {
  const credential = signOperator(suite.secret, Math.floor(Date.now() / 1_000) + 60);
  const response = await fetch(suite.controlUrl + path, {
    method,
    headers: { authorization: `Bearer ${credential}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const answer: { readonly data: Data } = JSON.parse(await response.text());
  return answer.data;
}

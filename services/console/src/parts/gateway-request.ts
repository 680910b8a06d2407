import { memberOf } from "../api/member-of.ts";

/** A model of the gateway at an address, and the key for its calls. */
export interface GatewayModel {
  readonly address: string;
  readonly model: string;
  /** Returns the key of a call. `isRefused` is true if the gateway has refused the last one. */
  readonly key: (isRefused: boolean) => Promise<string>;
}

export type GatewayAccess = Pick<GatewayModel, "address" | "key">;

/** Sends a request to the gateway, and repeats it with a new key if the key is refused. Throws the gateway's error. */
export async function requestGateway(
  { address, key }: GatewayAccess,
  path: string,
  init: Omit<RequestInit, "headers"> & { readonly headers?: Readonly<Record<string, string>> } = {},
): Promise<Response> {
  const send = async (isRefused: boolean): Promise<Response> => {
    const headers = { ...init.headers, authorization: `Bearer ${await key(isRefused)}` };
    return fetch(`${address}/v1/${path}`, { ...init, headers });
  };
  const first = await send(false);
  const answer = first.status === 401 ? await send(true) : first;
  if (answer.ok) return answer;
  throw new Error(errorIn(await answer.json().catch(() => undefined)) ?? `status ${answer.status}`);
}

/** Sends JSON with the model to the gateway. Throws the gateway's error. */
export function postToGateway(
  gateway: GatewayModel,
  path: string,
  body: object,
  signal?: AbortSignal,
): Promise<Response> {
  return requestGateway(gateway, path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: gateway.model, ...body }),
    signal: signal ?? null,
  });
}

/** Returns the message in an error body. */
export function errorIn(body: unknown): string | undefined {
  const message = memberOf(memberOf(body, "error"), "message");
  return typeof message === "string" ? message : undefined;
}

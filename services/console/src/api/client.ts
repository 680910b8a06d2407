import { memberOf } from "./member-of.ts";

/** What control refused, in its own words; `status` 401 means not signed in. */
export class ApiError extends Error {
  readonly status: number;
  readonly param: string | undefined;
  constructor(status: number, message: string, param: string | undefined) {
    super(message);
    this.status = status;
    this.param = param;
  }
}

/** Query parameters; undefined ones are left out. */
export type Query = Readonly<Record<string, string | undefined>>;

/** A path with its query. */
export function withQuery(path: string, query: Query): string {
  const entries = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  return entries.length === 0 ? path : `${path}?${new URLSearchParams(entries).toString()}`;
}

/** Reads from control's API. Throws ApiError. */
export function get<T>(path: string, query: Query = {}, signal?: AbortSignal): Promise<T> {
  return call<T>(withQuery(path, query), signal === undefined ? {} : { signal });
}

/** Changes something through control's API. Throws ApiError. */
export function post<T>(path: string, body: object = {}): Promise<T> {
  const headers = { "content-type": "application/json" };
  return call<T>(path, { method: "POST", headers, body: JSON.stringify(body) });
}

async function call<T>(path: string, init: RequestInit): Promise<T> {
  const answer = await fetch(path, { credentials: "same-origin", ...init }).catch((cause: unknown) => {
    if (cause instanceof DOMException && cause.name === "AbortError") throw cause;
    throw new ApiError(0, "The console's server does not answer.", undefined);
  });
  const body: unknown = await answer.json().catch(() => undefined);
  // The one place where an answer of control takes its type: both sides are built from one tree.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  if (answer.ok) return memberOf(body, "data") as T;
  const error = memberOf(body, "error");
  const [message, param] = [memberOf(error, "message"), memberOf(error, "param")];
  throw new ApiError(
    answer.status,
    typeof message === "string" ? message : `The server answered ${answer.status}.`,
    typeof param === "string" ? param : undefined,
  );
}

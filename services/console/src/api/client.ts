import { memberOf } from "./member-of.ts";
import { refusalText } from "../texts/refusals.ts";
import type { Operations } from "./types.ts";

/** Error for a request that control refuses. Status 401 means that the session has ended or is missing. */
export class ApiError extends Error {
  readonly status: number;
  readonly param: string | undefined;
  constructor(status: number, message: string, param: string | undefined) {
    super(message);
    this.status = status;
    this.param = param;
  }
}

type Method = "GET" | "POST";
type RouteOf<Verb extends Method, Route> = Route extends `${Verb} ${infer Path}` ? Path : never;

type PathOf<Verb extends Method> = RouteOf<Verb, keyof Operations>;
type OperationOf<Verb extends Method, Path extends string> = `${Verb} ${Path}` extends keyof Operations
  ? Operations[`${Verb} ${Path}`]
  : never;
type ParamsOf<Verb extends Method, Path extends string> = OperationOf<Verb, Path>["params"];
/** Parameters, query or body of an operation that has none. */
type Nothing = Readonly<Record<string, never>>;

type Read<Path extends PathOf<"GET">> = { readonly query?: OperationOf<"GET", Path>["query"] } & Params<"GET", Path>;
type Change<Path extends PathOf<"POST">> = Params<"POST", Path> & Body<OperationOf<"POST", Path>["body"]>;
type Params<Verb extends Method, Path extends string> =
  ParamsOf<Verb, Path> extends Nothing ? object : { readonly params: ParamsOf<Verb, Path> };
type Body<Sent> = object extends Sent
  ? { readonly body?: Sent }
  : Sent extends Nothing
    ? { readonly body?: Sent }
    : { readonly body: Sent };

type AnswerOf<Verb extends Method, Path extends string> = OperationOf<Verb, Path>["answer"];

/** Returns the address of a GET request with its parameters. */
export function addressOf<Path extends PathOf<"GET">>(path: Path, request: Read<Path>): string {
  const { query = {}, params = {} }: FilledOperation = request;
  const entries = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  const filled = withParams(path, params);
  return entries.length === 0 ? filled : `${filled}?${new URLSearchParams(entries).toString()}`;
}

/** Reads from control's API. Throws ApiError. */
export function get<Path extends PathOf<"GET">>(
  path: Path,
  ...[sent, signal]: object extends Read<Path>
    ? [sent?: Read<Path>, signal?: AbortSignal]
    : [sent: Read<Path>, signal?: AbortSignal]
): Promise<AnswerOf<"GET", Path>> {
  const filled: Read<Path> | undefined = sent;
  const address = filled === undefined ? path : addressOf(path, filled);
  return call(address, signal === undefined ? {} : { signal });
}

/** Makes a change through control's API. Throws ApiError. */
export function post<Path extends PathOf<"POST">>(
  path: Path,
  ...[sent]: object extends Change<Path> ? [sent?: Change<Path>] : [sent: Change<Path>]
): Promise<AnswerOf<"POST", Path>> {
  const { params = {}, body = {} }: FilledOperation = sent ?? {};
  const headers = { "content-type": "application/json" };
  return call(withParams(path, params), { method: "POST", headers, body: JSON.stringify(body) });
}

interface FilledOperation {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly body?: unknown;
}

function withParams(path: string, params: Readonly<Record<string, string>>): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ""));
}

async function call<T>(path: string, init: RequestInit): Promise<T> {
  const answer = await fetch(path, { credentials: "same-origin", ...init }).catch((cause: unknown) => {
    if (cause instanceof DOMException && cause.name === "AbortError") throw cause;
    throw new ApiError(0, "The console's server does not answer.", undefined);
  });
  const body: unknown = await answer.json().catch(() => undefined);
  // The only place where an answer of control gets its type: both sides are generated from the same source.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  if (answer.ok) return memberOf(body, "data") as T;
  const error = memberOf(body, "error");
  const [message, param] = [memberOf(error, "message"), memberOf(error, "param")];
  throw new ApiError(
    answer.status,
    typeof message === "string"
      ? refusalText(memberOf(error, "code"), message)
      : `The server answered ${answer.status}.`,
    typeof param === "string" ? param : undefined,
  );
}

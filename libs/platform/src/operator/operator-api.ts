import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { Failure } from "@modelgate/contracts";
import { actorHeader, isOperator } from "@modelgate/contracts/operator-credential";
import { answerFailure, answerJson } from "../answer.ts";
import { BufferBudget } from "../buffer-budget.ts";
import type { Logger } from "../log.ts";
import { readBody } from "../read-body.ts";
import { idSource } from "../tracing.ts";
import type { Secrets } from "../secrets.ts";
import { failureOf } from "../store-failure.ts";

/**
 * Roles of an operator: a viewer only reads, an operator also manages accounts, API keys and channel states, an admin
 * also changes the configuration, operators and sessions.
 */
export const operatorRoles = ["viewer", "operator", "admin"] as const;
export type OperatorRole = (typeof operatorRoles)[number];

/** Caller of the operator's API. */
export interface Operator {
  readonly name: string;
  readonly role: OperatorRole;
  /** The only account that a member sees and manages; absent: all accounts. */
  readonly account?: string | undefined;
  /** Email verified by an OpenID provider, for display. */
  readonly email?: string | undefined;
}

/**
 * Authenticates a caller. Throws Failure invalid_api_key for an unknown one, permission_denied for an insufficient
 * role.
 */
export type Authorise = (request: IncomingMessage) => Operator | Promise<Operator>;

/** A call of the operator's API. */
export interface OperatorCall {
  readonly operator: Operator;
  readonly headers: IncomingMessage["headers"];
  /** Remote address of the connection. */
  readonly address: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly body: unknown;
  /** Name that the audit log records: the operator, or the person that a caller with the secret acts for. */
  readonly actor: string;
}

/** Routes of the operator's API: `GET /accounts/{id}` and the function that answers it. */
export type OperatorRoutes = Readonly<Record<string, (call: OperatorCall) => Promise<unknown>>>;

const bodyBounds = {
  maxBytes: 1024 * 1024,
  silenceMs: 10_000,
  totalMs: 30_000,
  graceMs: 10_000,
  floorBytesPerSecond: 1_024,
  budget: new BufferBudget(16 * 1024 * 1024),
};
/** Holder of all bodies: they are read only for authenticated callers, who share the limits of one account. */
const reader = { accountId: "operator", tokenId: "operator" };
const newId = idSource("op");

/**
 * Caller that was authenticated by the secret. It is compared by identity, because an operator may have the same name.
 */
const secretOwner: Operator = { name: "secret", role: "admin" };

/** Authorises calls whose credential was derived from MODELGATE_SECRET, with the role of an admin. */
export function bySecret(secrets: Secrets): Authorise {
  return ({ headers: { authorization = "" } }) => {
    const credential = /^Bearer (\S+)$/.exec(authorization)?.[1] ?? "";
    if (isOperator(secrets, credential, Math.floor(Date.now() / 1_000))) return secretOwner;
    throw new Failure("invalid_api_key", "This is the operator's API; its credential is made with MODELGATE_SECRET.");
  };
}

/**
 * Creates the listener of an operator's API, of control or inside: JSON in both directions; every call is authorised.
 */
export function operatorHandler(routes: OperatorRoutes, authorise: Authorise, log: Logger): RequestListener {
  const find = finderOf(routes);

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const id = newId();
    try {
      const operator = await authorise(request);
      const [path = "", ...query] = (request.url ?? "/").split("?");
      const { run, params } = find(request.method ?? "", path);
      const body = await readJson(request);
      const { headers, socket } = request;
      const [actor, address] = [actorOf(request, operator), socket.remoteAddress ?? ""];
      const search = new URLSearchParams(query.join("?"));
      const data = await run({ operator, actor, headers, address, params, query: search, body });
      if (data instanceof WithHeaders) return answerJson(response, 200, { data: data.data }, data.headers);
      if (!(data instanceof Streamed)) return answerJson(response, 200, { data });
      response.writeHead(200, { "content-type": data.contentType });
      await pipeline(Readable.from(data.pieces), response);
    } catch (error) {
      const failure = failureOf(error);
      if (failure.code === "internal_error") log.error({ err: failure.cause ?? failure }, "operator's call failed");
      answerFailure(response, "common", failure, id);
    }
  }
  return (request, response) => void answer(request, response);
}

interface FoundRoute {
  readonly run: OperatorRoutes[string];
  readonly params: OperatorCall["params"];
}

/**
 * Creates a function that finds the route of a method and a path, and the values of its parameters. It throws Failure
 * unknown_url.
 */
function finderOf(routes: OperatorRoutes): (method: string, path: string) => FoundRoute {
  const table = Object.entries(routes).map(([written, run]) => {
    const [method = "", path = ""] = written.split(" ");
    return { method, shape: new RegExp(`^${path.replaceAll(/\{(\w+)\}/g, "(?<$1>[^/]+)")}$`), run };
  });
  return (method, path) => {
    for (const { shape, run, ...row } of table) {
      const match = row.method === method ? shape.exec(path) : null;
      if (match !== null) return { run, params: decoded(match.groups ?? {}) };
    }
    throw new Failure("unknown_url");
  };
}

function decoded(params: Readonly<Record<string, string>>): OperatorCall["params"] {
  try {
    return Object.fromEntries(Object.entries(params).map(([name, value]) => [name, decodeURIComponent(value)]));
  } catch (cause) {
    throw new Failure("unknown_url", "The path is not correctly percent-encoded.", { cause });
  }
}

/** Maximum characters of an actor's name. */
const maxOfActor = 100;

function actorOf({ headers }: IncomingMessage, operator: Operator): string {
  const { name } = operator;
  const written = headers[actorHeader];
  if (operator !== secretOwner || typeof written !== "string" || written === "") return name;
  try {
    return decodeURIComponent(written).slice(0, maxOfActor);
  } catch {
    return name;
  }
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  if (request.method !== "POST") return {};
  using body = await readBody(request, bodyBounds, reader);
  try {
    return body.bytes.length === 0 ? {} : JSON.parse(body.bytes.toString());
  } catch {
    throw new Failure("invalid_json");
  }
}

/** An answer that is written in pieces, at its reader's pace. */
export class Streamed {
  readonly contentType: string;
  readonly pieces: AsyncIterable<string | Uint8Array>;
  constructor(contentType: string, pieces: AsyncIterable<string | Uint8Array>) {
    this.contentType = contentType;
    this.pieces = pieces;
  }
}

/** An answer with additional headers. */
export class WithHeaders {
  readonly data: unknown;
  readonly headers: Readonly<Record<string, string>>;
  constructor(data: unknown, headers: Readonly<Record<string, string>>) {
    this.data = data;
    this.headers = headers;
  }
}

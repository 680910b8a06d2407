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
import { failureFrom } from "../store-failure.ts";

/**
 * Roles of an operator. A viewer only reads. An operator also manages accounts, API keys and channel states. An admin
 * also changes the configuration, operators and sessions.
 */
export const operatorRoles = ["viewer", "operator", "admin"] as const;
export type OperatorRole = (typeof operatorRoles)[number];

/** A team that a person belongs to. */
export interface TeamAccess {
  readonly id: string;
  /** Account that pays for the team's calls. */
  readonly account: string;
  readonly isAdmin: boolean;
}

/** Accounts and teams of an organisation that a person may access. */
export interface OrganisationAccess {
  readonly organisation: string;
  readonly accounts: readonly string[];
  /** Absent if the person administers the whole organisation. */
  readonly teams?: readonly TeamAccess[];
}

/** Authenticated caller of the operator's API. */
export interface Operator {
  readonly name: string;
  readonly role: OperatorRole;
  /** Account, or `organisation:` with the id of an organisation, to which access is limited. */
  readonly account?: string | undefined;
  /** Access of a member of an organisation. */
  readonly access?: OrganisationAccess | undefined;
  /** Verified by an OpenID provider; only displayed. */
  readonly email?: string | undefined;
}

/**
 * Authenticates a caller. Throws Failure invalid_api_key, or permission_denied if the caller's role is insufficient.
 */
export type Authorise = (request: IncomingMessage) => Operator | Promise<Operator>;

export interface OperatorCall {
  readonly operator: Operator;
  readonly headers: IncomingMessage["headers"];
  /** IP address of the caller; "" if unknown. */
  readonly address: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly body: unknown;
  /** Name for the audit log: the operator's, or that of the person for whom a caller with the secret acts. */
  readonly actor: string;
}

/** Handlers by method and path, for example `GET /accounts/{id}`. */
export type OperatorRoutes = Readonly<Record<string, (call: OperatorCall) => Promise<unknown>>>;

const bodyBounds = {
  maxBytes: 1024 * 1024,
  silenceMs: 10_000,
  totalMs: 30_000,
  graceMs: 10_000,
  floorBytesPerSecond: 1_024,
  budget: new BufferBudget(16 * 1024 * 1024),
};
/** Visitors only send small sign-ins. Their memory is separate, so that they cannot use up that of operators. */
const visitorBounds = { ...bodyBounds, maxBytes: 8 * 1024, budget: new BufferBudget(1024 * 1024) };
const newId = idSource("op");

/** Compared by identity, because an operator may have the same name. */
const secretCaller: Operator = { name: "secret", role: "admin" };

/** Caller who has not signed in. Compared by identity. */
export const visitor: Operator = { name: "", role: "viewer" };

/** Creates a check that accepts credentials derived from MODELGATE_SECRET, with the role of an admin. */
export function authoriseBySecret(secrets: Secrets): Authorise {
  return ({ headers: { authorization = "" } }) => {
    const credential = /^Bearer (\S+)$/.exec(authorization)?.[1] ?? "";
    if (isOperator(secrets, credential, Math.floor(Date.now() / 1_000))) return secretCaller;
    throw new Failure(
      "invalid_api_key",
      "The credential is missing or wrong: send an automation key (Authorization: Bearer mgo_…). For gatectl and services: MODELGATE_SECRET must be the gateway's.",
    );
  };
}

/** Creates the request listener of an operator's API. Every call is authorised. */
export function operatorHandler(routes: OperatorRoutes, authorise: Authorise, log: Logger): RequestListener {
  const find = routeFinder(routes);

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const id = newId();
    try {
      const operator = await authorise(request);
      const [path = "", ...query] = (request.url ?? "/").split("?");
      const { run, params } = find(request.method ?? "", path);
      const body = await readJson(request, operator);
      const { headers, socket } = request;
      const [actor, address] = [actorOf(request, operator), socket.remoteAddress ?? ""];
      const search = new URLSearchParams(query.join("?"));
      const data = await run({ operator, actor, headers, address, params, query: search, body });
      if (data instanceof AnswerWithHeaders) return answerJson(response, 200, { data: data.data }, data.headers);
      if (!(data instanceof StreamedAnswer)) return answerJson(response, 200, { data });
      response.writeHead(200, { "content-type": data.contentType });
      await pipeline(Readable.from(data.pieces), response);
    } catch (error) {
      const failure = failureFrom(error);
      if (failure.code === "internal_error")
        log.error({ err: failure.cause ?? failure }, "an operator's request failed");
      answerFailure(response, "common", failure, id);
    }
  }
  return (request, response) => void answer(request, response);
}

interface FoundRoute {
  readonly run: OperatorRoutes[string];
  readonly params: OperatorCall["params"];
}

/** Creates a function that finds the route of a request and parses its parameters. It throws Failure unknown_url. */
function routeFinder(routes: OperatorRoutes): (method: string, path: string) => FoundRoute {
  const table = Object.entries(routes).map(([pattern, run]) => {
    const [method = "", path = ""] = pattern.split(" ");
    return { method, shape: new RegExp(`^${path.replaceAll(/\{(\w+)\}/g, "(?<$1>[^/]+)")}$`), run };
  });
  return (method, path) => {
    for (const { shape, run, ...row } of table) {
      const match = row.method === method ? shape.exec(path) : null;
      if (match !== null) return { run, params: decodeParams(match.groups ?? {}) };
    }
    throw new Failure("unknown_url");
  };
}

function decodeParams(params: Readonly<Record<string, string>>): OperatorCall["params"] {
  try {
    return Object.fromEntries(Object.entries(params).map(([name, value]) => [name, decodeURIComponent(value)]));
  } catch (cause) {
    throw new Failure("unknown_url", "The path is not correctly percent-encoded.", { cause });
  }
}

const maxActorCharacters = 100;

function actorOf({ headers }: IncomingMessage, operator: Operator): string {
  const { name } = operator;
  const actorName = headers[actorHeader];
  if (operator !== secretCaller || typeof actorName !== "string" || actorName === "") return name;
  try {
    return decodeURIComponent(actorName).slice(0, maxActorCharacters);
  } catch {
    return name;
  }
}

async function readJson(request: IncomingMessage, operator: Operator): Promise<unknown> {
  if (request.method !== "POST") return {};
  const isVisitor = operator === visitor;
  // If visitors' memory is full, bodies of the addresses that use most of it end first. All operators are one account.
  const accountId = isVisitor ? (request.socket.remoteAddress ?? "") : "operator";
  using body = await readBody(request, isVisitor ? visitorBounds : bodyBounds, { accountId, tokenId: accountId });
  try {
    return body.bytes.length === 0 ? {} : JSON.parse(body.bytes.toString());
  } catch {
    throw new Failure("invalid_json");
  }
}

/** An answer that is sent in pieces, at the client's pace. */
export class StreamedAnswer {
  readonly contentType: string;
  readonly pieces: AsyncIterable<string | Uint8Array>;
  constructor(contentType: string, pieces: AsyncIterable<string | Uint8Array>) {
    this.contentType = contentType;
    this.pieces = pieces;
  }
}

/** A JSON answer with additional headers. */
export class AnswerWithHeaders {
  readonly data: unknown;
  readonly headers: Readonly<Record<string, string>>;
  constructor(data: unknown, headers: Readonly<Record<string, string>>) {
    this.data = data;
    this.headers = headers;
  }
}

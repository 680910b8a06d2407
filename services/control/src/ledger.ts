import type { CreditReply, Token } from "@modelgate/accounts";
import { Failure, isFailureCode, type AuditAction, type CreditEvent, type Nanos } from "@modelgate/contracts";
import { actorHeader, signOperator } from "@modelgate/contracts/operator-credential";
import { field } from "./field.ts";

/** Client of the ledger, which reads and writes the books. */
export interface Ledger {
  /** Returns the response. Throws the ledger's Failure, or server_overloaded if there is no answer. */
  get(pathAndQuery: string): Promise<Response>;
  /** Returns the data of an answer, unchecked. */
  read<T>(pathAndQuery: string): Promise<T>;
  /** Makes a change. The audit log records the actor. */
  write<T>(path: string, body: LedgerChange, actor: string): Promise<T>;
  /** Creates an account. Returns false if the id exists. */
  createAccount(account: { id: string; name: string; balance: Nanos }, actor: string): Promise<boolean>;
  /** Changes a balance once per operation id. */
  credit(event: CreditEvent, actor: string): Promise<CreditReply>;
  /**
   * Creates an API key, or returns the existing one. For a playground, replaces the person's key of the same team,
   * member and group. Throws Failure if the account has `max` keys.
   */
  createToken(
    request: { digest: string; token: Token; max?: number },
    actor: string,
  ): Promise<{ readonly token: Token; readonly created: boolean }>;
  /** Changes fields of an API key. Null removes a field. Throws Failure if the key does not exist. */
  changeToken(id: string, change: TokenChange, act: { actor: string; action: AuditAction }): Promise<Token>;
  /** Replaces the key of a token. The old key works for `graceSeconds`. Throws Failure if the token does not exist. */
  rotateToken(
    id: string,
    request: { digest: string; hint: string; graceSeconds: number },
    actor: string,
  ): Promise<Token>;
  /** Deletes a token. Throws Failure if it does not exist. */
  deleteToken(id: string, actor: string): Promise<Token>;
}

/** Body of a change. An action is for the audit log. */
interface LedgerChange {
  readonly action?: AuditAction;
  readonly [member: string]: unknown;
}

/** Fields of an API key that can be changed. */
export interface TokenChange {
  readonly name?: string | null;
  readonly group?: string;
  readonly models?: readonly string[] | null;
  readonly disabled?: boolean;
  readonly expiresAt?: string | null;
  readonly allowedAddresses?: readonly string[] | null;
  readonly budget?: Token["budget"] | null;
  readonly rotateAfterDays?: number | null;
  readonly ofMember?: true | null;
  readonly within?: Token["within"] | null;
}

interface LedgerRequest {
  readonly method?: "POST";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const credentialSeconds = 60;
/** Maximum wait for the start of an answer, in ms. A verification may wait for receipts. */
const answersWithinMs = 300_000;

/** Creates a client of the ledger at an address. */
export function ledgerAt(url: string, secret: string): Ledger {
  async function ask(path: string, init: LedgerRequest = {}): Promise<Response> {
    const credential = signOperator(secret, Math.floor(Date.now() / 1_000) + credentialSeconds);
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(), answersWithinMs);
    const headers = { ...init.headers, authorization: `Bearer ${credential}` };
    let answer: Response;
    try {
      answer = await fetch(new URL(path, url), { ...init, headers, signal: deadline.signal });
    } catch (cause) {
      throw new Failure(
        "server_overloaded",
        "The ledger, which manages the books, is not responding; try again shortly.",
        {
          cause,
        },
      );
    } finally {
      clearTimeout(timer); // a long export may continue once it has started
    }
    if (answer.ok) return answer;
    throw refusalOf(await answer.json().catch(() => undefined), answer.status);
  }

  async function post<T>(path: string, body: object, actor: string): Promise<T> {
    const answer = await ask(path, {
      method: "POST",
      headers: { "content-type": "application/json", [actorHeader]: encodeURIComponent(actor) },
      body: JSON.stringify(body),
    });
    return dataOf(answer);
  }

  return {
    get: (pathAndQuery) => ask(pathAndQuery),
    read: async (pathAndQuery) => dataOf(await ask(pathAndQuery)),
    write: post,
    async createAccount({ id, name, balance }, actor) {
      const sent = { id, name, balance: balance.toString() };
      return (await post<{ readonly created: boolean }>("/accounts", sent, actor)).created;
    },
    async credit(event, actor) {
      return (await post<{ readonly reply: CreditReply }>("/credits", event, actor)).reply;
    },
    createToken: (request, actor) => post("/tokens", request, actor),
    changeToken: (id, change, { actor, action }) =>
      post(`/tokens/${encodeURIComponent(id)}`, { change, action }, actor),
    rotateToken: (id, request, actor) => post(`/tokens/${encodeURIComponent(id)}/rotate`, request, actor),
    deleteToken: (id, actor) => post(`/tokens/${encodeURIComponent(id)}/delete`, {}, actor),
  };
}

async function dataOf<T>(answer: Response): Promise<T> {
  // oxlint-disable-next-line typescript/no-unsafe-assignment
  const { data }: { readonly data: T } = JSON.parse(await answer.text());
  return data;
}

function refusalOf(body: unknown, status: number): Failure {
  const error = field(body, "error");
  const [code, message, param] = ["code", "message", "param"].map((name) => field(error, name));
  if (!isFailureCode(code) || typeof message !== "string")
    return new Failure("internal_error", undefined, { cause: new Error(`the ledger answered ${status}`) });
  return new Failure(code, message, { status, ...(typeof param === "string" ? { param } : {}) });
}

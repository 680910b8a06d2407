import { Failure, failures, type FailureCode } from "@modelgate/contracts";
import { signOperator, Streamed, type OperatorRoutes } from "@modelgate/platform";
import { field } from "../field.ts";

/** What the ledger answers from the books. */
const paths = ["/usage", "/usage/events", "/usage/export", "/ledger/verification"] as const;

const credentialSeconds = 60;
/** Longest wait for the beginning of the ledger's answer: receipts that are on their way are waited for. */
const answersWithinMs = 300_000;

/** Reads of the books: asked of the ledger, which is the only one to open them, and handed on as it answers. */
export function bookRoutes(ledgerUrl: string, secret: string): OperatorRoutes {
  return Object.fromEntries(
    paths.map((path) => [
      `GET ${path}`,
      async ({ query }: { readonly query: URLSearchParams }) => {
        const answer = await ask(new URL(`${path}?${query.toString()}`, ledgerUrl), secret);
        const type = answer.headers.get("content-type") ?? "";
        if (!type.startsWith("application/json")) return new Streamed(type, piecesOf(answer));
        return field(await answer.json(), "data");
      },
    ]),
  );
}

/** The ledger's answer. Throws what it refused as the same Failure, and server_overloaded where it does not answer. */
async function ask(url: URL, secret: string): Promise<Response> {
  const credential = signOperator(secret, Math.floor(Date.now() / 1_000) + credentialSeconds);
  const patience = new AbortController();
  const timer = setTimeout(() => patience.abort(), answersWithinMs);
  let answer: Response;
  try {
    answer = await fetch(url, { headers: { authorization: `Bearer ${credential}` }, signal: patience.signal });
  } catch (cause) {
    throw new Failure("server_overloaded", "The ledger, which keeps the books, does not answer; try again shortly.", {
      cause,
    });
  } finally {
    clearTimeout(timer); // a long export may take its time once it has begun
  }
  if (answer.ok) return answer;
  throw refusalOf(await answer.json().catch(() => undefined), answer.status);
}

function refusalOf(body: unknown, status: number): Failure {
  const error = field(body, "error");
  const [code, message, param] = ["code", "message", "param"].map((name) => field(error, name));
  if (!isCode(code) || typeof message !== "string")
    return new Failure("internal_error", undefined, { cause: new Error(`the ledger answered ${status}`) });
  return new Failure(code, message, { status, ...(typeof param === "string" ? { param } : {}) });
}

function isCode(code: unknown): code is FailureCode {
  return typeof code === "string" && Object.hasOwn(failures, code);
}

async function* piecesOf({ body }: Response): AsyncGenerator<Uint8Array> {
  if (body !== null) yield* body;
}

import { readFile } from "node:fs/promises";
import { userInfo } from "node:os";
import { join } from "node:path";
import { withoutUndefined } from "@modelgate/contracts";
import { actorHeader, signOperator } from "@modelgate/contracts/operator-credential";
import { readVariables, type VariableReader } from "@modelgate/platform";
import { field } from "../field.ts";

/** Query parameters. Undefined ones are not sent. */
export type Query = Readonly<Record<string, string | undefined>>;

/** Client of control's operator API. Calls throw CommandFailed. */
export interface Server {
  get(path: string, query?: Query): Promise<unknown>;
  post(path: string, body?: object): Promise<unknown>;
  address(): Promise<string>;
  /** Returns the bytes of an answer that is not JSON. */
  stream(path: string, query: Query): Promise<AsyncIterable<Uint8Array>>;
}

const credentialSeconds = 60;
/** Maximum wait for an answer in ms. Reading the books of a year takes long. */
const maxRequestMs = 600_000;

const variables = (read: VariableReader) => ({
  url: read.optionalUrl(
    "CONTROL_URL",
    "Address of control. If unset, gatectl uses the address and secret that `npm start` stored in its data folder.",
  ),
  secret: read.optionalText("MODELGATE_SECRET", "The secret that control runs with."),
  folder: read.text("MODELGATE_DATA", ".data", "The data folder of `npm start`."),
});

/**
 * Returns a client that finds the server at its first call, by environment variables or the data folder of `npm start`.
 */
export function findServer(env: Readonly<Record<string, string | undefined>>): Server {
  let address: Promise<{ readonly url: string; readonly secret: string }> | undefined;
  const send = async (method: "GET" | "POST", path: string, body?: object): Promise<Response> => {
    const { url, secret } = await (address ??= findAddress(env));
    const credential = signOperator(secret, Math.floor(Date.now() / 1_000) + credentialSeconds);
    let response: Response;
    try {
      response = await fetch(
        new URL(path, url),
        withoutUndefined({
          method,
          headers: {
            authorization: `Bearer ${credential}`,
            "content-type": "application/json",
            [actorHeader]: encodeURIComponent(personName()),
          },
          signal: AbortSignal.timeout(maxRequestMs),
          body: body === undefined ? undefined : JSON.stringify(body),
        }),
      );
    } catch (error) {
      throw new CommandFailed(`No server answers at ${url}: ${reasonOf(error)}. Is modelgate running?`);
    }
    if (response.ok) return response;
    const error = field(await jsonOf(response), "error");
    const [message, code, param] = ["message", "code", "param"].map((name) => textOf(field(error, name)));
    throw new CommandFailed(message ?? `The server answered ${response.status}.`, { code, param });
  };
  const call = async (method: "GET" | "POST", path: string, body?: object): Promise<unknown> =>
    field(await jsonOf(await send(method, path, body)), "data");
  return {
    get: (path, query = {}) => call("GET", withQuery(path, query)),
    async stream(path, query) {
      const { body } = await send("GET", withQuery(path, query));
      if (body === null) throw new CommandFailed("The server answered nothing.");
      return body;
    },
    post: (path, body = {}) => call("POST", path, body),
    address: async () => (await (address ??= findAddress(env))).url,
  };
}

/** Returns why a request failed. The error of `fetch` itself only says "fetch failed". */
function reasonOf(error: unknown): string {
  const reason = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return reason instanceof Error ? reason.message.trim() || reason.name : String(reason);
}

/** Returns the user's name or number, for the audit log. */
function personName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? "gatectl");
  }
}

function withQuery(path: string, query: Query): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, value);
  return search.size === 0 ? path : `${path}?${search.toString()}`;
}

async function findAddress(
  env: Readonly<Record<string, string | undefined>>,
): Promise<{ readonly url: string; readonly secret: string }> {
  const { url: controlUrl, secret: sharedSecret, folder } = readVariables(variables, env);
  if (controlUrl !== undefined && sharedSecret !== undefined) return { url: controlUrl, secret: sharedSecret };
  if (controlUrl !== undefined)
    throw new CommandFailed("CONTROL_URL is set and MODELGATE_SECRET is not: set both, or neither for `npm start`'s.");
  try {
    const run: unknown = JSON.parse(await readFile(join(folder, "run.json"), "utf8"));
    const [url, secret] = [field(run, "controlUrl"), field(run, "secret")];
    if (typeof url === "string" && typeof secret === "string") return { url, secret };
  } catch {
    // Reported below.
  }
  throw new CommandFailed(
    "No running modelgate found: start it with `npm start`, or set CONTROL_URL and MODELGATE_SECRET.",
  );
}

/** Returns the JSON of an answer; undefined if it is not JSON. */
async function jsonOf(response: Response): Promise<unknown> {
  try {
    return await response.json();
  } catch {
    return undefined;
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** Failure of a command, with a message for people. The exit status is 1. */
export class CommandFailed extends Error {
  override readonly name = "CommandFailed";
  /** Code and parameter of the server's refusal. */
  readonly details: { readonly code?: string | undefined; readonly param?: string | undefined };

  constructor(message: string, details: CommandFailed["details"] = {}) {
    super(message);
    this.details = details;
  }
}

/** True for a lost answer and for an error of the server, which may be late. */
export function mayHaveSucceeded(error: unknown): error is CommandFailed {
  if (!(error instanceof CommandFailed)) return false;
  const { code } = error.details;
  return code === undefined || code === "server_overloaded" || code === "internal_error";
}

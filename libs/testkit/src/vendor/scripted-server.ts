import type { IncomingHttpHeaders, IncomingMessage, Server, ServerResponse } from "node:http";
import type { TlsOptions } from "node:tls";
import { startHttpServer, type TestServer } from "../servers.ts";

export interface ScriptedRequest {
  readonly method: string;
  readonly url: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/**
 * Answer of a scripted server. Without a content type in `headers`, a body is JSON, or an event stream if it begins
 * like one.
 */
export interface ScriptedAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object | string;
}

/** Returns the answer to a request; undefined if the script itself writes, breaks or delays the response. */
export type Script = (
  request: ScriptedRequest,
  response: ServerResponse,
) => ScriptedAnswer | undefined | Promise<ScriptedAnswer | undefined>;

/** HTTP server, such as a vendor, whose answers a test determines. */
export interface ScriptedServer extends TestServer<Server> {
  /** All requests, the newest last. A test may empty the list. */
  readonly requests: ScriptedRequest[];
  /** Number of requests without a complete answer. */
  readonly open: number;
}

/**
 * Starts a scripted server. A table contains answers by the end of the request's path. The longest end that matches is
 * used; other paths are answered with 404. With `tls` the server uses HTTPS.
 */
export async function startScriptedServer(
  script: Script | Readonly<Record<string, ScriptedAnswer | Script>>,
  tls?: TlsOptions,
): Promise<ScriptedServer> {
  const run = typeof script === "function" ? script : scriptOf(script);
  const requests: ScriptedRequest[] = [];
  const open = new Set<ServerResponse>();
  async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) if (Buffer.isBuffer(chunk)) chunks.push(chunk);
    const { method = "", url = "", headers } = incoming;
    const { pathname: path } = new URL(url, "http://vendor");
    const request = { method, url, path, headers, body: Buffer.concat(chunks).toString() };
    requests.push(request);
    const scripted = await run(request, response);
    if (scripted !== undefined) send(response, scripted);
  }
  const server = await startHttpServer((request, response) => {
    open.add(response);
    response.once("close", () => open.delete(response));
    answer(request, response).catch(() => response.destroy());
  }, tls);
  return {
    ...server,
    requests,
    get open() {
      return open.size;
    },
  };
}

const notFound: ScriptedAnswer = { status: 404, body: { error: { message: "There is no such path." } } };

function scriptOf(table: Readonly<Record<string, ScriptedAnswer | Script>>): Script {
  const endings = Object.entries(table).toSorted(([one], [other]) => other.length - one.length);
  return (request, response) => {
    const answer = endings.find(([ending]) => request.path.endsWith(ending))?.[1] ?? notFound;
    return typeof answer === "function" ? answer(request, response) : answer;
  };
}

function send(response: ServerResponse, { status = 200, headers, body = "" }: ScriptedAnswer): void {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const type = /^(?:data|event):/.test(text) ? "text/event-stream" : "application/json";
  response.writeHead(status, { "content-type": type, ...headers }).end(text);
}

import { IncomingMessage, ServerResponse, type IncomingHttpHeaders } from "node:http";
import { Socket } from "node:net";
import type { Token } from "@modelgate/accounts";
import { contextOf, setUpgrade, type RequestContext, type Step } from "../../src/request-context.ts";
import { assignRequestId } from "../../src/steps/request-id.ts";

/** A usable record of an API key. */
export const token: Token = {
  id: "token-1",
  accountId: "account-1",
  group: "all",
  name: "a token",
  disabled: false,
  createdAt: "2026-01-01T00:00:00.000Z",
  hint: "sk-a…z",
};

interface CallOptions {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly isUpgrade?: boolean;
}

/** Request after the edge's first step (`assignRequestId`), and its response. */
export interface Call {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly context: RequestContext;
  readonly answer: () => { readonly status: number; readonly body: string };
}

/** Creates a request without a server and without a connected socket. */
export function callOf({
  method = "POST",
  path = "/v1/chat/completions",
  headers = {},
  isUpgrade,
}: CallOptions = {}): Call {
  const socket = new Socket();
  const request = new IncomingMessage(socket);
  request.method = method;
  request.url = path;
  request.headers = { ...headers } satisfies IncomingHttpHeaders;
  request.rawHeaders = Object.entries(headers).flat();
  request.push(null);
  request.complete = true;
  const response = new ServerResponse(request);
  let body = "";
  const end = response.end.bind(response);
  response.end = (chunk?: unknown) => {
    if (typeof chunk === "string" || Buffer.isBuffer(chunk)) body += chunk.toString();
    return end(chunk);
  };
  if (isUpgrade) setUpgrade(request, { socket, head: Buffer.alloc(0) });
  void assignRequestId(request, response, () => undefined);
  return { request, response, context: contextOf(request), answer: () => ({ status: response.statusCode, body }) };
}

/** Runs steps in order. Returns true if the last one called `next`. Rejects with the error of a step. */
export async function run({ request, response }: Call, ...steps: readonly Step[]): Promise<boolean> {
  for (const step of steps) {
    let wentOn = false;
    // oxlint-disable-next-line no-await-in-loop -- steps follow each other
    await step(request, response, (error) => {
      if (error !== undefined) throw error;
      wentOn = true;
    });
    if (!wentOn) return false;
  }
  return true;
}

import { IncomingMessage, ServerResponse, type IncomingHttpHeaders } from "node:http";
import { Socket } from "node:net";
import type { Token } from "@modelgate/accounts";
import { contextOf, setUpgrade, type RequestContext, type Step } from "../../src/request-context.ts";
import { requestId } from "../../src/steps/request-id.ts";

/** A token that may be used. */
export const token: Token = {
  id: "token-1",
  accountId: "account-1",
  group: "all",
  name: "a token",
  disabled: false,
  createdAt: "2026-01-01T00:00:00.000Z",
  hint: "sk-a…z",
};

/** A request as its test describes it. */
interface CallOptions {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether it asks for a WebSocket. */
  readonly isUpgrade?: boolean;
}

/** A request that has an id, for the steps after the first, and its answer so far. */
export interface Call {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly context: RequestContext;
  /** The answer that was written. */
  readonly answer: () => { readonly status: number; readonly body: string };
}

/** Makes a request by hand: no server, no socket that is connected. */
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
  void requestId(request, response, () => undefined);
  return { request, response, context: contextOf(request), answer: () => ({ status: response.statusCode, body }) };
}

/** Runs steps one after the other; returns whether the last one went on to the next. Rejects with what a step throws. */
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

import type { ServerResponse } from "node:http";
import { failureHeaders, renderFailure, type ErrorFormat, type Failure } from "@modelgate/contracts";

/** Writes a JSON answer whole. A string is taken as JSON text. */
export function answerJson(
  response: ServerResponse,
  status: number,
  body: string | object,
  more: Readonly<Record<string, string>> = {},
): void {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  response.writeHead(status, {
    "content-type": "application/json; charset=utf-8",
    "content-length": String(Buffer.byteLength(text)),
    ...more,
  });
  response.end(text);
}

/** Writes a failure in its format; once a head is out there is nothing left but to cut the connection. */
export function answerFailure(
  response: ServerResponse,
  format: ErrorFormat,
  failure: Failure,
  requestId: string,
): void {
  if (response.headersSent) return void response.destroy();
  answerJson(response, failure.status, renderFailure(format, failure, requestId), failureHeaders(failure));
}

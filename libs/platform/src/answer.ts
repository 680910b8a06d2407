import { STATUS_CODES, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { failureHeaders, headers, renderFailure, type ErrorFormat, type Failure } from "@modelgate/contracts";

/** Writes a complete JSON answer. A string or Buffer must already be JSON. */
export function answerJson(
  response: ServerResponse,
  status: number,
  body: string | Buffer | object,
  extraHeaders: Readonly<Record<string, string>> = {},
): void {
  const text = typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  response.writeHead(status, {
    "content-type": "application/json; charset=utf-8",
    "content-length": String(Buffer.byteLength(text)),
    ...extraHeaders,
  });
  response.end(text);
}

/** Writes a failure in the client's error format. If the head was already sent, closes the connection. */
export function answerFailure(
  response: ServerResponse,
  format: ErrorFormat,
  failure: Failure,
  requestId: string,
): void {
  if (response.headersSent) return void response.destroy();
  answerJson(response, failure.status, renderFailure(format, failure, requestId), failureHeaders(failure));
}

/** Answers a refused upgrade with a plain HTTP error, and closes the connection. */
export function refuseUpgrade(socket: Duplex, format: ErrorFormat, failure: Failure, requestId: string): void {
  const body = renderFailure(format, failure, requestId);
  endWithJson(socket, failure.status, body, { [headers.requestId]: requestId, ...failureHeaders(failure) });
}

/** Writes a complete JSON answer on a connection without a `ServerResponse`, and closes it. */
export function endWithJson(
  socket: Duplex,
  status: number,
  body: object,
  extraHeaders: Readonly<Record<string, string>>,
): void {
  const text = JSON.stringify(body);
  const head = {
    ...extraHeaders,
    "content-type": "application/json; charset=utf-8",
    "content-length": String(Buffer.byteLength(text)),
    connection: "close",
  };
  const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}`);
  const statusLine = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? "Refused"}`;
  socket.end(`${statusLine}\r\n${lines.join("\r\n")}\r\n\r\n${text}`);
}

import { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { headers } from "@modelgate/contracts";
import type { Logger } from "./log.ts";
import { idSource } from "./tracing.ts";

const newId = idSource("req");

interface Answer {
  readonly status: number;
  readonly reason: string;
  readonly code: string;
  readonly message: string;
}

const answers: Readonly<Record<string, Answer>> = {
  HPE_HEADER_OVERFLOW: {
    status: 431,
    reason: "Request Header Fields Too Large",
    code: "request_too_large",
    message: "The request's headers are too large.",
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: 408,
    reason: "Request Timeout",
    code: "request_timeout",
    message: "The request's head did not arrive in time.",
  },
};

const otherAnswer: Answer = {
  status: 400,
  reason: "Bad Request",
  code: "invalid_request",
  message: "This is not a well-formed HTTP request.",
};

/** Answers and logs a request that the HTTP parser refuses. No other code sees such a request. */
export function answerMalformed(error: NodeJS.ErrnoException, socket: Duplex, log: Logger | undefined): void {
  if (error.code === "ECONNRESET" || !socket.writable || isUnused(socket)) return void socket.destroy();
  const { status, reason, code, message } = answers[error.code ?? ""] ?? otherAnswer;
  const requestId = newId();
  log?.info({ requestId, status, error: error.code }, "malformed request");
  const body = JSON.stringify({ error: { message, type: "invalid_request_error", param: null, code } });
  const head = [
    `HTTP/1.1 ${status} ${reason}`,
    "content-type: application/json",
    `content-length: ${Buffer.byteLength(body)}`,
    `${headers.requestId}: ${requestId}`,
    "connection: close",
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
}

/** Returns true for a connection on which no byte arrived, such as a browser's connection for later requests. */
function isUnused(socket: Duplex): boolean {
  return socket instanceof Socket && socket.bytesRead === 0;
}

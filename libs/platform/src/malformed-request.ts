import { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { headers } from "@modelgate/contracts";
import { endWithJson } from "./answer.ts";
import type { Logger } from "./log.ts";
import { idSource } from "./tracing.ts";

const newId = idSource("req");

interface Answer {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

const answers: Readonly<Record<string, Answer>> = {
  HPE_HEADER_OVERFLOW: {
    status: 431,
    code: "request_too_large",
    message: "The request's headers are too large.",
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: 408,
    code: "request_timeout",
    message: "The request's head did not arrive in time.",
  },
};

const otherAnswer: Answer = {
  status: 400,
  code: "invalid_request",
  message: "This is not a well-formed HTTP request.",
};

/** Answers and logs a request that the HTTP parser refuses. No other code sees such a request. */
export function answerMalformed(error: NodeJS.ErrnoException, socket: Duplex, log: Logger | undefined): void {
  if (error.code === "ECONNRESET" || !socket.writable || isUnused(socket)) return void socket.destroy();
  const { status, code, message } = answers[error.code ?? ""] ?? otherAnswer;
  const requestId = newId();
  log?.info({ requestId, status, error: error.code }, "malformed request");
  const body = { error: { message, type: "invalid_request_error", param: null, code } };
  endWithJson(socket, status, body, { [headers.requestId]: requestId });
}

/** Returns true for a connection on which no byte arrived, such as a browser's connection for later requests. */
function isUnused(socket: Duplex): boolean {
  return socket instanceof Socket && socket.bytesRead === 0;
}

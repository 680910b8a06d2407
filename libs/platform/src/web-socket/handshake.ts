import type { IncomingMessage } from "node:http";
import { Failure } from "@modelgate/contracts";

const version = "13";
/** A nonce of 16 bytes, in base64. */
const nonce = /^[+/0-9A-Za-z]{22}==$/;
/** Subprotocols are HTTP tokens. */
const protocolList = /^[\w!#$%&'*+.^`|~-]+(\s*,\s*[\w!#$%&'*+.^`|~-]+)*$/;

/** Checks an opening handshake; the subprotocols that it offers. Throws Failure (400) for what is no WebSocket. */
export function checkHandshake({ headers }: Pick<IncomingMessage, "headers">): readonly string[] {
  if (headers.upgrade?.toLowerCase() !== "websocket") throw new Failure("websocket_required");
  if (!nonce.test(headers["sec-websocket-key"] ?? "")) throw invalidHeader("sec-websocket-key", "a nonce");
  if (headers["sec-websocket-version"] !== version) throw invalidHeader("sec-websocket-version", version);
  const offered = headers["sec-websocket-protocol"];
  if (offered !== undefined && !protocolList.test(offered))
    throw invalidHeader("sec-websocket-protocol", "a list of names");
  return offered?.split(",").map((name) => name.trim()) ?? [];
}

function invalidHeader(param: string, wanted: string): Failure {
  return new Failure("invalid_value", `The header ${param} must be ${wanted}.`, { param });
}

import type { IncomingHttpHeaders } from "node:http";
import { Refusal } from "../checks/refusal.ts";
import { headerOf, type Vendor, type VendorCall } from "../vendor.ts";

/** Answer to an alert. */
export interface ReceiverAnswer {
  readonly status: number;
  readonly body: object | string;
}

export interface ReceivedMessage {
  /** Last part of the path. */
  readonly token: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: unknown;
  /** Clock of the receiver, in Unix seconds. */
  readonly seconds: number;
}

/** Properties in which receivers differ. */
export interface ReceiverTraits {
  readonly prefix: string;
  /** Path after the prefix. */
  readonly path: RegExp;
  readonly maxBytes: number;
  /** Answers a message. Throws a Refusal if the real receiver would refuse it. */
  accept(message: ReceivedMessage): ReceiverAnswer;
  renderError(refusal: Refusal): ReceiverAnswer;
}

/**
 * Creates a receiver of alerts. It supports few behaviours: `status`, `errorMessage`, `closeBeforeHead` and
 * `clockOffMs`.
 */
export function createReceiver(traits: ReceiverTraits): Vendor {
  return {
    prefix: traits.prefix,
    answer(call) {
      const { response, behaviour } = call;
      if (behaviour?.closeBeforeHead === true) response.socket?.resetAndDestroy();
      else {
        const { status, body } = answerTo(traits, call);
        const [type, text] =
          typeof body === "string" ? ["text/plain", body] : ["application/json", JSON.stringify(body)];
        response.writeHead(status, { "content-type": type }).end(text);
      }
      return Promise.resolve();
    },
  };
}

function answerTo(
  { path, maxBytes, accept, renderError }: ReceiverTraits,
  { method, path: requested, headers, body: bytes, behaviour = {} }: VendorCall,
): ReceiverAnswer {
  try {
    const { status, errorMessage = `simulated ${status}`, clockOffMs = 0 } = behaviour;
    if (status !== undefined) throw new Refusal(status, errorMessage);
    if (method !== "POST" || !path.test(requested)) throw new Refusal(404, "not found");
    if (bytes.length > maxBytes) throw new Refusal(413, "the message is too large");
    if (!headerOf(headers, "content-type").startsWith("application/json")) throw new Refusal(415, "send JSON");
    const text = bytes.toString();
    const token = requested.slice(requested.lastIndexOf("/") + 1);
    return accept({ token, headers, text, body: jsonValue(text), seconds: (Date.now() + clockOffMs) / 1_000 });
  } catch (error) {
    if (error instanceof Refusal) return renderError(error);
    throw error;
  }
}

function jsonValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the secret of a webhook if its token begins with `signed-`, otherwise undefined. */
export function secretOf(token: string): string | undefined {
  return token.startsWith("signed-") ? `${token}-secret` : undefined;
}

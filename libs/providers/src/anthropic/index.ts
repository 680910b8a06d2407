import { Failure } from "@modelgate/contracts";
import { spliceMembers, withoutMembers } from "@modelgate/wires/json";
import { readErrorBody } from "../error-body.ts";
import { keyRefused, meaningOfStatus, noEndpoint, noModel } from "../meanings.ts";
import type { Provider, VendorFailure } from "../provider.ts";
import { requestsAt } from "../request.ts";
import type { AnswerCall } from "../call.ts";

/** Version requested where the client names none. */
const version = "2023-06-01";

/** Anthropic, and every vendor that speaks the messages wire under another base URL. */
export const anthropic: Provider = {
  name: "anthropic",
  title: "Anthropic",
  baseUrl: "https://api.anthropic.com",
  keyVariable: "ANTHROPIC_API_KEY",
  pricesAs: "anthropic",
  modelsAt: "/v1/models",
  wires: ["messages", "count-messages"],
  request: requestsAt(
    ({ baseUrl, wire }) =>
      new URL(`${baseUrl.replace(/\/+$/, "")}/v1/messages${wire === "count-messages" ? "/count_tokens" : ""}`),
    ({ key }) => ({ "x-api-key": key, "anthropic-version": version }),
  ),
  failureOf,
};

/** Matches messages about an account without credit or one that was closed; Anthropic answers them with 400. */
const accountWords = /\bcredit balance\b|\borganization has been disabled\b/i;

/**
 * Classifies an error of the messages wire, `{type: "error", error: {type, message}}`; 529 means overloaded. A
 * permission_error (403) is about the key, or about a file or model that the request names: its message decides.
 */
export function failureOf(status: number, body: string): VendorFailure {
  const error = readErrorBody(body);
  if (error.type === "authentication_error" || error.type === "billing_error") return keyRefused(error);
  if (status === 400 && accountWords.test(error.message ?? "")) return keyRefused(error);
  if (status === 404) return /\bmodel\b/i.test(error.message ?? "") ? noModel : noEndpoint;
  return meaningOfStatus(status, error);
}

/**
 * Returns the body for a cloud that serves Claude by the messages wire: the model moves to the address, the version
 * into the body.
 */
export function claudeBody(
  { body }: Pick<AnswerCall, "body">,
  members: Readonly<Record<string, string>>,
  left: readonly string[],
): Buffer {
  return spliceMembers(withoutMembers(wholeBody(body), left), members);
}

/** Returns a body that can be signed and changed. Throws Failure upstream_error for a stream, which cannot be. */
export function wholeBody(body: AnswerCall["body"]): Buffer {
  if (Buffer.isBuffer(body)) return body;
  throw new Failure("upstream_error", "The vendor of this model does not accept uploads.");
}

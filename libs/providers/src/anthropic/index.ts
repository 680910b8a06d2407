import { Failure } from "@modelgate/contracts";
import { spliceMembers, withoutMembers } from "@modelgate/formats/json";
import { readErrorBody } from "../error-body.ts";
import { keyRefused, failureOfStatus, missingEndpointFailure, unknownModelFailure } from "../vendor-failures.ts";
import type { Provider, VendorFailure } from "../provider.ts";
import { requestBuilder } from "../request.ts";
import type { AnswerCall } from "../call.ts";

/** Version of the messages wire, unless the client names one. */
const defaultVersion = "2023-06-01";

/** Anthropic, and other vendors with the messages wire. */
export const anthropic: Provider = {
  name: "anthropic",
  title: "Anthropic",
  baseUrl: "https://api.anthropic.com",
  keyVariable: "ANTHROPIC_API_KEY",
  pricesAs: "anthropic",
  isAnthropic: true,
  modelsAt: "/v1/models",
  wires: ["messages", "count-messages"],
  request: requestBuilder(
    ({ baseUrl, wire }) =>
      new URL(`${baseUrl.replace(/\/+$/, "")}/v1/messages${wire === "count-messages" ? "/count_tokens" : ""}`),
    ({ key }) => ({ "x-api-key": key, "anthropic-version": defaultVersion }),
  ),
  failureOf,
};

/** Messages about an account without credit, or a closed account. Anthropic sends them with status 400. */
const accountMessages = /\bcredit balance\b|\borganization has been disabled\b/i;

/** Codes of a 429 for an account that has reached its spending limit. */
const spendLimits: ReadonlySet<unknown> = new Set(["contract_spend_limit_reached", "enforced_spend_limit_reached"]);

/** Classifies an error of the messages wire. */
export function failureOf(status: number, body: string): VendorFailure {
  const error = readErrorBody(body);
  if (error.type === "authentication_error" || error.type === "billing_error") return keyRefused(error);
  const limit = error.details.map((details) => details["error_code"]).find((code) => spendLimits.has(code));
  if (typeof limit === "string") return keyRefused({ ...error, code: limit });
  if (status === 400 && accountMessages.test(error.message ?? "")) return keyRefused(error);
  if (status === 404) return /\bmodel\b/i.test(error.message ?? "") ? unknownModelFailure : missingEndpointFailure;
  return failureOfStatus(status, error);
}

/** Member by which Anthropic's own reports group requests, and its beta. Clouds refuse both. */
const [tagsMember, tagsBeta] = ["tags", /^request-tags-/];

/** Returns the names of the betas in a header that clouds accept; undefined if there are none. */
export function cloudBetas(header = ""): readonly string[] | undefined {
  const names = header.split(",").map((name) => name.trim());
  const accepted = names.filter((name) => name !== "" && !tagsBeta.test(name));
  return accepted.length > 0 ? accepted : undefined;
}

/**
 * Returns the body for a cloud that serves Claude: with `members`, and without tags and `removed`, which the cloud
 * expects outside of the body.
 */
export function claudeBody(
  { body }: Pick<AnswerCall, "body">,
  members: Readonly<Record<string, string>>,
  removed: readonly string[],
): Buffer {
  return spliceMembers(withoutMembers(bufferedBody(body), [...removed, tagsMember]), members);
}

/** Returns a body that is in memory. Throws Failure upstream_error for a stream. */
export function bufferedBody(body: AnswerCall["body"]): Buffer {
  if (Buffer.isBuffer(body)) return body;
  throw new Failure("upstream_error", "The vendor of this model does not accept uploads.");
}

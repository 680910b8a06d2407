import { readErrorBody } from "../error-body.ts";
import { keyRefused, meaningOfStatus, noModel, overloaded } from "../meanings.ts";
import { failureOf as usualFailure } from "../openai/failures.ts";
import type { VendorFailure } from "../provider.ts";

/**
 * Codes of the vendor's own, beside those that its statuses say (https://www.volcengine.com/docs/82379/1299023): the account
 * cannot pay, or has not opened the model; what a policy forbids is a 400 with its own code.
 */
const keyCodes: ReadonlySet<string> = new Set(["AuthenticationError", "AccountOverdueError", "InvalidSubscription"]);
const modelCodes =
  /^(?:ModelNotOpen|InvalidEndpointOrModel|InvalidEndpoint|UnsupportedModel|OperationDenied\.ServiceNotOpen)/;

/** What an error of this vendor means: `{error: {code, message, param, type}}`. */
export function failureOf(status: number, body: string): VendorFailure {
  const error = readErrorBody(body);
  const { code = "" } = error;
  if (keyCodes.has(code)) return keyRefused(error);
  if (modelCodes.test(code)) return noModel;
  if (code === "ServerOverloaded") return overloaded;
  return status === 404 ? usualFailure(status, body) : meaningOfStatus(status, error);
}

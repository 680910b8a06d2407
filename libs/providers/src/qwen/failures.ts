import { readErrorBody } from "../error-body.ts";
import {
  requestForbidden,
  inputRefused,
  keyRateLimitFailure,
  keyRefused,
  failureOfStatus,
  missingEndpointFailure,
  unknownModelFailure,
} from "../vendor-failures.ts";
import type { VendorFailure } from "../provider.ts";

/** Codes for an unknown key, an account in arrears, or a workspace without permission. */
const keyCodes: ReadonlySet<string> = new Set(["InvalidApiKey", "Arrearage", "Workspace.AccessDenied"]);
/** Codes for a model that the account does not have, or whose quota is used up. */
const modelCodes: ReadonlySet<string> = new Set([
  "ModelNotFound",
  "Model.AccessDenied",
  "AccessDenied.Unpurchased",
  "AllocationQuota.FreeTierOnly",
]);

/** Classifies an error of Qwen. Its codes are more precise than its statuses. */
export function failureOf(status: number, body: string): VendorFailure {
  const error = readErrorBody(body);
  const code = error.code ?? "";
  if (code.startsWith("Throttling")) return keyRateLimitFailure;
  if (keyCodes.has(code)) return keyRefused(error);
  if (isWrongEndpoint(code, error.message ?? "")) return missingEndpointFailure;
  if (modelCodes.has(code)) return unknownModelFailure;
  // Access may also be denied to something that a request names, such as a file.
  if (code.endsWith("AccessDenied")) return requestForbidden(error);
  if (code.startsWith("DataInspectionFailed")) return inputRefused(error);
  return status === 404 ? missingEndpointFailure : failureOfStatus(status, error);
}

/** Returns true if the model is served only as a task, or only synchronously, and the request chose the other way. */
function isWrongEndpoint(code: string, message: string): boolean {
  if (code === "InvalidParameter") return /\burl error\b/i.test(message);
  return code === "AccessDenied" && /\b(?:a?synchronous)\b/i.test(message);
}

import { readErrorBody } from "../error-body.ts";
import { forbidden, inputRefused, keyLimited, keyRefused, meaningOfStatus, noEndpoint, noModel } from "../meanings.ts";
import type { VendorFailure } from "../provider.ts";

/** Codes that say that the key is unknown, that its account is in arrears, or that its workspace has no rights. */
const keyCodes: ReadonlySet<string> = new Set(["InvalidApiKey", "Arrearage", "Workspace.AccessDenied"]);
/** Codes that say that the account has no such model, or has used up what it has of it. */
const modelCodes: ReadonlySet<string> = new Set([
  "ModelNotFound",
  "Model.AccessDenied",
  "AccessDenied.Unpurchased",
  "AllocationQuota.FreeTierOnly",
]);

/** Classifies an error of this vendor: `{code, message, request_id}`; its codes are finer than its statuses. */
export function failureOf(status: number, body: string): VendorFailure {
  const error = readErrorBody(body);
  const code = error.code ?? "";
  if (code.startsWith("Throttling")) return keyLimited;
  if (keyCodes.has(code)) return keyRefused(error);
  if (isWrongEndpoint(code, error.message ?? "")) return noEndpoint;
  if (modelCodes.has(code)) return noModel;
  // What a request names may be denied as well: a file, an application, a model of another workspace.
  if (code.endsWith("AccessDenied")) return forbidden(error);
  if (code.startsWith("DataInspectionFailed")) return inputRefused(error);
  return status === 404 ? noEndpoint : meaningOfStatus(status, error);
}

/** A model that is served elsewhere, at once or as a task, is refused with one of these. */
function isWrongEndpoint(code: string, message: string): boolean {
  if (code === "InvalidParameter") return /\burl error\b/i.test(message);
  return code === "AccessDenied" && /\b(?:a?synchronous)\b/i.test(message);
}

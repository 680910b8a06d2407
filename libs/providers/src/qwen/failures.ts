import { readErrorBody } from "../error-body.ts";
import { inputRefused, keyInvalid, keyLimited, keyRefused, meaningOfStatus, noEndpoint, noModel } from "../meanings.ts";
import type { VendorFailure } from "../provider.ts";

/** What an error of this vendor means: `{code, message, request_id}`, its codes being finer than its statuses. */
export function failureOf(status: number, body: string): VendorFailure {
  const error = readErrorBody(body);
  const code = error.code ?? "";
  if (code.startsWith("Throttling")) return keyLimited;
  if (code === "InvalidApiKey") return keyInvalid;
  if (code === "Arrearage") return keyRefused;
  if (isWrongEndpoint(code, error.message ?? "")) return noEndpoint;
  if (code === "ModelNotFound" || code === "Model.AccessDenied") return noModel;
  if (code.startsWith("DataInspectionFailed")) return inputRefused(error);
  return status === 404 ? noEndpoint : meaningOfStatus(status, error);
}

/** A model that is served elsewhere, at once or as a task, is refused with one of these. */
function isWrongEndpoint(code: string, message: string): boolean {
  if (code === "InvalidParameter") return /\burl error\b/i.test(message);
  return code === "AccessDenied" && /\b(?:a?synchronous)\b/i.test(message);
}

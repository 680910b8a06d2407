import { bracketPath, type Refusal } from "../checks/refusal.ts";
import { freshId } from "../core/ids.ts";
import type { AnswerHeaders, VendorCall } from "../vendor.ts";

const errorTypes: Readonly<Record<number, string>> = {
  400: "ValidationException",
  403: "AccessDeniedException",
  404: "ResourceNotFoundException",
  408: "ModelTimeoutException",
  424: "ModelErrorException",
  429: "ThrottlingException",
  500: "InternalServerException",
  503: "ServiceUnavailableException",
};

export const headers = (): AnswerHeaders => ({ "x-amzn-requestid": freshId("") });

/** Renders an error body. The type of the error is in a header. */
export function renderError({ status, message, code, path }: Refusal, _: AnswerHeaders, call: VendorCall): object {
  call.response.setHeader("x-amzn-errortype", code ?? errorTypes[status] ?? "InternalServerException");
  return { message: path.length > 0 ? `${bracketPath(path)}: ${message}` : message };
}

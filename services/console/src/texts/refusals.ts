import type { Refusal } from "../api/types.ts";
import { language, translate, type TextKey } from "./translate.ts";

type Code = NonNullable<Refusal["error"]["code"]>;

/** Texts of control's error codes. A missing text is a type error. */
const meanings: Readonly<Record<Code, TextKey>> = {
  invalid_value: "This value is not accepted.",
  missing_required_parameter: "A value is missing.",
  invalid_json: "The body is not JSON.",
  invalid_api_key: "The sign-in is wrong or has expired.",
  permission_denied: "You are not allowed to do this.",
  unknown_url: "Not found.",
  method_not_allowed: "This method is not supported here.",
  request_too_large: "This is too large.",
  unsupported_media_type: "This format is not accepted.",
  rate_limit_exceeded: "Too many attempts. Try again later.",
  request_timeout: "The request took too long.",
  insufficient_quota: "The balance or a budget does not cover this.",
  no_available_channel: "No channel is available.",
  upstream_timeout: "The vendor did not answer in time.",
  server_overloaded: "A component of the gateway is unavailable. Try again shortly.",
  internal_error: "Something went wrong in the gateway.",
};

/** Returns control's English message; in another language, also the meaning of the error code. */
export function refusalText(code: unknown, message: string): string {
  if (language() === "en" || !isCode(code)) return message;
  return translate("{meaning} (in English: {detail})", { meaning: translate(meanings[code]), detail: message });
}

function isCode(code: unknown): code is Code {
  return typeof code === "string" && Object.hasOwn(meanings, code);
}

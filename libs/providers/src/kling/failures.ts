import { readErrorBody, type ErrorBody } from "../error-body.ts";
import {
  broken,
  inputRefused,
  keyInvalid,
  keyLimited,
  keyRefused,
  meaningOfStatus,
  noEndpoint,
  noModel,
  timedOut,
} from "../meanings.ts";
import type { VendorFailure } from "../provider.ts";

/** The vendor's codes: `{code, message, request_id}`, whatever the status. */
const meanings: Readonly<Record<number, VendorFailure>> = {
  1000: keyInvalid,
  1001: keyInvalid,
  1002: keyInvalid,
  // The token is too young or too old: a clock is wrong, the key is not.
  1003: keyRefused,
  1004: keyRefused,
  1100: keyRefused,
  1101: keyRefused,
  1102: keyRefused,
  1103: keyRefused,
  1202: noEndpoint,
  1203: noModel,
  1302: keyLimited,
  1303: keyLimited,
  1304: keyRefused,
  5000: broken,
  5001: broken,
  5002: timedOut,
};
/** A wrong parameter, a policy, unsafe content. */
const aboutInput: readonly number[] = [1200, 1201, 1300, 1301];

/** What an error of this vendor means. */
export function failureOf(status: number, body: string): VendorFailure {
  const error = readErrorBody(body);
  const code = codeIn(body);
  if (code !== undefined && aboutInput.includes(code)) return inputRefused(withCode(error, code));
  return (code === undefined ? undefined : meanings[code]) ?? meaningOfStatus(status, error);
}

function withCode(error: ErrorBody, code: number): ErrorBody {
  return { ...error, code: String(code) };
}

function codeIn(body: string): number | undefined {
  const code = /"code"\s*:\s*"?(\d{4})\b/.exec(body)?.[1];
  return code === undefined ? undefined : Number(code);
}

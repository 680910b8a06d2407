import type { Provider, VendorFailure } from "../provider.ts";
import { requestBuilder } from "../request.ts";
import { authorizationHeaders, startVideo, pollVideo, taskOf } from "./video.ts";
import { readErrorBody, type ErrorBody } from "../error-body.ts";
import {
  vendorFailed,
  inputRefused,
  keyRateLimitFailure,
  keyRefused,
  failureOfStatus,
  missingEndpointFailure,
  unknownModelFailure,
  vendorTimeoutFailure,
} from "../vendor-failures.ts";

/** Codes of refused keys, accounts and IP addresses. 1003 and 1004 mean that the clocks differ. */
const keyCodes: readonly number[] = [1000, 1001, 1002, 1003, 1004, 1100, 1101, 1102, 1304];
const failuresByCode: Readonly<Record<number, VendorFailure>> = {
  // The key may be allowed to use other endpoints or models.
  1103: unknownModelFailure,
  1202: missingEndpointFailure,
  1203: unknownModelFailure,
  1302: keyRateLimitFailure,
  1303: keyRateLimitFailure,
  5000: vendorFailed,
  5001: vendorFailed,
  5002: vendorTimeoutFailure,
};
/** Codes for a wrong parameter, a violated policy, or unsafe content. */
const inputCodes: readonly number[] = [1200, 1201, 1300, 1301];

/** Classifies an error of Kling by the code in its body, or by its status if there is no code. */
export function failureOf(status: number, body: string): VendorFailure {
  const error = readErrorBody(body);
  const code = codeIn(body);
  if (code === undefined) return failureOfStatus(status, error);
  if (inputCodes.includes(code)) return inputRefused(withCode(error, code));
  if (keyCodes.includes(code)) return keyRefused(withCode(error, code));
  return failuresByCode[code] ?? failureOfStatus(status, error);
}

function withCode(error: ErrorBody, code: number): ErrorBody {
  return { ...error, code: String(code) };
}

function codeIn(body: string): number | undefined {
  const code = /"code"\s*:\s*"?(\d{4})\b/.exec(body)?.[1];
  return code === undefined ? undefined : Number(code);
}

const buildRequest = requestBuilder(({ baseUrl }) => new URL(baseUrl), authorizationHeaders);

/** Kling. A key is "accessKey|secretKey". */
export const kling: Provider = {
  name: "kling",
  title: "Kling",
  baseUrl: "https://api.klingai.com",
  keyVariable: "KLING_API_KEY",
  wires: ["kling-video"],
  request: (call) => (call.act === "poll" ? pollVideo(call) : buildRequest(call)),
  start: startVideo,
  taskOf,
  failureOf,
};

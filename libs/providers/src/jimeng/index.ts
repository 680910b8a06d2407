import type { Provider, VendorFailure } from "../provider.ts";
import { requestBuilder } from "../request.ts";
import { pollVideo, startVideo, taskOf } from "./video.ts";
import { sign } from "./sign.ts";
import { readErrorBody } from "../error-body.ts";
import { vendorFailed, inputRefused, keyRateLimitFailure, keyRefused, failureOfStatus } from "../vendor-failures.ts";

const [refusedKeyCodes, limitCodes, internalErrorCodes]: readonly (readonly number[])[] = [
  [50_400, 50_401, 50_402, 50_403],
  [50_429, 50_430],
  [50_500, 50_501],
];

/** Volcengine's codes of a refused access key. */
const keyCodes =
  /"Code"\s*:\s*"(InvalidAccessKey|InvalidCredential|SignatureDoesNotMatch|InvalidTimestamp|InvalidSecretToken|InvalidAuthorization|MissingAuthenticationToken|AccessDenied|AccountOverdue|ServiceNotOpen)"/;

function signatureFailure(status: number, body: string): VendorFailure {
  const error = readErrorBody(body);
  if (status === 429) return keyRateLimitFailure;
  const code = keyCodes.exec(body)?.[1];
  return code === undefined ? failureOfStatus(status, error) : keyRefused({ ...error, code });
}

/** Classifies an error of Jimeng, or of Volcengine's check of signatures. */
export function failureOf(status: number, body: string): VendorFailure {
  if (/"ResponseMetadata"/.test(body) && status < 500) return signatureFailure(status, body);
  const error = readErrorBody(body);
  const code = Number(/"code"\s*:\s*(\d{5})\b/.exec(body)?.[1] ?? Number.NaN);
  if (refusedKeyCodes?.includes(code)) return keyRefused({ ...error, code: String(code) });
  if (limitCodes?.includes(code)) return keyRateLimitFailure;
  if (internalErrorCodes?.includes(code)) return vendorFailed;
  // These codes mean that a review refused a text or an image.
  if (code >= 50_410 && code < 50_600) return inputRefused({ ...error, code: String(code) });
  return failureOfStatus(status, error);
}

const buildRequest = requestBuilder(
  ({ baseUrl }) => new URL(baseUrl),
  () => ({}),
);

/** Jimeng. A key is "accessKey|secretKey". */
export const jimeng: Provider = {
  name: "jimeng",
  title: "Jimeng",
  baseUrl: "https://visual.volcengineapi.com",
  keyVariable: "JIMENG_API_KEY",
  wires: ["jimeng-video"],
  keyForm: { pattern: /^[^|]+\|[^|]+$/, description: "accessKey|secretKey" },
  request: (call) => (call.act === "poll" ? pollVideo(call) : buildRequest(call)),
  sign,
  start: startVideo,
  taskOf,
  failureOf,
};

import type { Provider, VendorFailure } from "../provider.ts";
import { requestsAt } from "../request.ts";
import { pollVideo, startVideo, taskOf } from "./video.ts";
import { readErrorBody } from "../error-body.ts";
import { broken, inputRefused, keyLimited, keyRefused, meaningOfStatus } from "../meanings.ts";

/** Codes of refused keys (no right, no balance), of limits (rate, concurrency) and of the vendor's internal errors. */
const [refusals, limits, troubles]: readonly (readonly number[])[] = [
  [50_400, 50_401, 50_402, 50_403],
  [50_429, 50_430],
  [50_500, 50_501],
];

/**
 * Codes of the envelope that blame the access key: unknown, wrong signature, expired, without permission, or in
 * arrears.
 */
const keyCodes =
  /"Code"\s*:\s*"(InvalidAccessKey|InvalidCredential|SignatureDoesNotMatch|InvalidTimestamp|InvalidSecretToken|InvalidAuthorization|MissingAuthenticationToken|AccessDenied|AccountOverdue|ServiceNotOpen)"/;

function ofSignature(status: number, body: string): VendorFailure {
  const error = readErrorBody(body);
  if (status === 429) return keyLimited;
  const code = keyCodes.exec(body)?.[1];
  return code === undefined ? meaningOfStatus(status, error) : keyRefused({ ...error, code });
}

/** Classifies an error of this vendor: `{code, message}`, or Volcengine's envelope where it is about the signature. */
export function failureOf(status: number, body: string): VendorFailure {
  if (/"ResponseMetadata"/.test(body) && status < 500) return ofSignature(status, body);
  const error = readErrorBody(body);
  const code = Number(/"code"\s*:\s*(\d{5})\b/.exec(body)?.[1] ?? Number.NaN);
  if (refusals?.includes(code)) return keyRefused({ ...error, code: String(code) });
  if (limits?.includes(code)) return keyLimited;
  if (troubles?.includes(code)) return broken;
  // 504xx and 505xx are reviews of text and images, in input and output.
  if (code >= 50_410 && code < 50_600) return inputRefused({ ...error, code: String(code) });
  return meaningOfStatus(status, error);
}

/** Makes the requests that need no signature; only video requests are signed, by functions in `video.ts`. */
const answers = requestsAt(
  ({ baseUrl }) => new URL(baseUrl),
  () => ({}),
);

/** Jimeng, under `https://visual.volcengineapi.com`; a key is "accessKey|secretKey". */
export const jimeng: Provider = {
  name: "jimeng",
  title: "Jimeng",
  baseUrl: "https://visual.volcengineapi.com",
  keyVariable: "JIMENG_API_KEY",
  wires: ["jimeng-video"],
  keyForm: { pattern: /^[^|]+\|[^|]+$/, words: "accessKey|secretKey" },
  request: (call) => (call.act === "poll" ? pollVideo(call) : answers(call)),
  start: startVideo,
  taskOf,
  failureOf,
};

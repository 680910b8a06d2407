import type { Provider, VendorFailure } from "../provider.ts";
import { requestsAt } from "../request.ts";
import { headers, startVideo, pollVideo, taskOf } from "./video.ts";
import { readErrorBody, type ErrorBody } from "../error-body.ts";
import {
  broken,
  inputRefused,
  keyLimited,
  keyRefused,
  meaningOfStatus,
  noEndpoint,
  noModel,
  timedOut,
} from "../meanings.ts";

/**
 * Codes for an unknown key, an account that cannot pay or is closed, and an IP allowlist without the gateway. 1003 and
 * 1004 mean clock skew: the token is not valid yet, or has expired.
 */
const aboutKey: readonly number[] = [1000, 1001, 1002, 1003, 1004, 1100, 1101, 1102, 1304];
/** Meanings of the vendor's other codes: `{code, message, request_id}`, with any status. */
const meanings: Readonly<Record<number, VendorFailure>> = {
  // The key has no right to this endpoint or model, but may have a right to others.
  1103: noModel,
  1202: noEndpoint,
  1203: noModel,
  1302: keyLimited,
  1303: keyLimited,
  5000: broken,
  5001: broken,
  5002: timedOut,
};
/** Codes for a wrong parameter, a policy, or unsafe content. */
const aboutInput: readonly number[] = [1200, 1201, 1300, 1301];

/** Classifies an error of this vendor. */
export function failureOf(status: number, body: string): VendorFailure {
  const error = readErrorBody(body);
  const code = codeIn(body);
  if (code === undefined) return meaningOfStatus(status, error);
  if (aboutInput.includes(code)) return inputRefused(withCode(error, code));
  if (aboutKey.includes(code)) return keyRefused(withCode(error, code));
  return meanings[code] ?? meaningOfStatus(status, error);
}

function withCode(error: ErrorBody, code: number): ErrorBody {
  return { ...error, code: String(code) };
}

function codeIn(body: string): number | undefined {
  const code = /"code"\s*:\s*"?(\d{4})\b/.exec(body)?.[1];
  return code === undefined ? undefined : Number(code);
}

const answers = requestsAt(({ baseUrl }) => new URL(baseUrl), headers);

/** Kling, under `https://api.klingai.com` and its regional hosts; a key is "accessKey|secretKey". */
export const kling: Provider = {
  name: "kling",
  title: "Kling",
  baseUrl: "https://api.klingai.com",
  keyVariable: "KLING_API_KEY",
  wires: ["kling-video"],
  request: (call) => (call.act === "poll" ? pollVideo(call) : answers(call)),
  start: startVideo,
  taskOf,
  failureOf,
};

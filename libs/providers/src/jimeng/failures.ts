import { readErrorBody } from "../error-body.ts";
import { broken, inputRefused, keyInvalid, keyLimited, keyRefused, meaningOfStatus } from "../meanings.ts";
import type { VendorFailure } from "../provider.ts";

/** The key may not use the service, or cannot pay; too fast, too many at once; the vendor's own trouble. */
const [refusals, limits, troubles]: readonly (readonly number[])[] = [
  [50_400, 50_401, 50_402, 50_403],
  [50_429, 50_430],
  [50_500, 50_501],
];

/** Codes that say that the access key is not known, or its secret another one. */
const invalidKey = /"Code"\s*:\s*"(?:InvalidAccessKey|SignatureDoesNotMatch)"/;

function ofSignature(status: number, body: string): VendorFailure {
  if (status === 429) return keyLimited;
  return invalidKey.test(body) ? keyInvalid : keyRefused;
}

/** What an error of this vendor means: `{code, message}`, or Volcengine's envelope where it is about the signature. */
export function failureOf(status: number, body: string): VendorFailure {
  if (/"ResponseMetadata"/.test(body) && status < 500) return ofSignature(status, body);
  const error = readErrorBody(body);
  const code = Number(/"code"\s*:\s*(\d{5})\b/.exec(body)?.[1] ?? Number.NaN);
  if (refusals?.includes(code)) return keyRefused;
  if (limits?.includes(code)) return keyLimited;
  if (troubles?.includes(code)) return broken;
  // Reviews of text and pictures, in and out: 504xx and 505xx.
  if (code >= 50_410 && code < 50_600) return inputRefused({ ...error, code: String(code) });
  return meaningOfStatus(status, error);
}

import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { Refusal } from "../checks/refusal.ts";
import { bearerOf, headerOf, isBadKey, type VendorCall } from "../vendor.ts";

const ownRegion = "us-east-1";
/** Maximum difference, in ms, between the time of a request and now. */
const maxSkewMs = 5 * 60_000;

const refusal = (message: string, code: string): Refusal => new Refusal(403, message, { code });

/**
 * Returns the caller's Bedrock API key, or the access key of its signature (SigV4). The secret of access key `X` is
 * `X-secret`. Throws a Refusal if there is no valid key or signature.
 */
export function authenticate(call: VendorCall): string {
  const authorization = headerOf(call.headers, "authorization");
  if (authorization === "") throw refusal("Missing Authentication Token", "MissingAuthenticationTokenException");
  if (!authorization.startsWith("AWS4-HMAC-SHA256 ")) {
    const key = bearerOf(call.headers);
    if (key === "" || isBadKey(key))
      throw refusal("Authentication failed: Please make sure your API Key is valid.", "AccessDeniedException");
    return key;
  }
  const field = (name: string): string => new RegExp(`${name}=([^,\\s]+)`).exec(authorization)?.[1] ?? "";
  const [accessKey = "", date = "", region = "", service = ""] = field("Credential").split("/");
  if (region !== ownRegion || service !== "bedrock")
    throw refusal("Credential should be scoped to a valid region.", "InvalidSignatureException");
  if (headerOf(call.headers, "x-amz-security-token").startsWith("expired"))
    throw refusal("The security token included in the request is expired", "ExpiredTokenException");
  if (accessKey.startsWith("AKIABAD"))
    throw refusal("The security token included in the request is invalid.", "UnrecognizedClientException");
  requireTime(headerOf(call.headers, "x-amz-date"), Date.now() + (call.behaviour?.clockOffMs ?? 0));
  const names = field("SignedHeaders").split(";");
  const missing = ["host", "x-amz-date"].filter((name) => !names.includes(name));
  if (missing.length > 0)
    throw refusal(`'${missing.join(", ")}' must be a 'SignedHeader'.`, "InvalidSignatureException");
  const expected = signatureOf(call, { names, date, region, service, secret: `${accessKey}-secret` });
  const signature = field("Signature");
  if (signature.length !== expected.length || !timingSafeEqual(Buffer.from(signature), Buffer.from(expected)))
    throw refusal(
      "The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method.",
      "InvalidSignatureException",
    );
  return accessKey;
}

function requireTime(stamp: string, now: number): void {
  const signedAt = Date.parse(stamp.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z"));
  if (Math.abs(now - signedAt) <= maxSkewMs) return;
  const least = stampOf(now - maxSkewMs);
  const message =
    signedAt < now
      ? `Signature expired: ${stamp} is now earlier than ${least} (${stampOf(now)} - 5 min.)`
      : `Signature not yet current: ${stamp} is still later than ${stampOf(now + maxSkewMs)} (${stampOf(now)} + 5 min.)`;
  throw refusal(message, "InvalidSignatureException");
}

const stampOf = (ms: number): string => new Date(ms).toISOString().replaceAll(/[-:]|\.\d+/g, "");

const sha256 = (data: Buffer | string): string => createHash("sha256").update(data).digest("hex");
const hmac = (key: Buffer | string, data: string): Buffer => createHmac("sha256", key).update(data).digest();

/** Computes a signature (SigV4). */
function signatureOf(
  { method, headers, body, query, response }: VendorCall,
  how: {
    readonly names: readonly string[];
    readonly date: string;
    readonly region: string;
    readonly service: string;
    readonly secret: string;
  },
): string {
  const [path = "/"] = (response.req.url ?? "/").split("?");
  const pairs = Array.from(query, ([name, value]) => `${percentEncode(name)}=${percentEncode(value)}`).toSorted();
  const canonical = [
    method,
    percentEncode(path).replaceAll("%2F", "/"),
    pairs.join("&"),
    ...how.names.map((name) => `${name}:${headerOf(headers, name).trim().replaceAll(/\s+/g, " ")}`),
    "",
    how.names.join(";"),
    sha256(body),
  ].join("\n");
  const scope = `${how.date}/${how.region}/${how.service}/aws4_request`;
  const toSign = ["AWS4-HMAC-SHA256", headerOf(headers, "x-amz-date"), scope, sha256(canonical)].join("\n");
  const key = [how.date, how.region, how.service, "aws4_request"].reduce<Buffer | string>(hmac, `AWS4${how.secret}`);
  return hmac(Buffer.from(key), toSign).toString("hex");
}

/** Encodes all characters except the unreserved ones of RFC 3986. */
function percentEncode(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

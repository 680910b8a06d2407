import { createHash, createHmac } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import type { SigningCall } from "../call.ts";
import type { VendorRequest } from "../request.ts";

export interface RequestToSign {
  readonly url: URL;
  readonly method: string;
  /** SHA-256 of the body in hex. */
  readonly bodyHash: string;
  readonly accessKey: string;
  readonly secretKey: string;
  readonly nowMs: number;
}

const [region, service, contentType] = ["cn-north-1", "cv", "application/json"];

/** Returns the headers that sign a request with the key "accessKey|secretKey". */
export async function sign(
  { url, method, body }: VendorRequest,
  { key, nowMs }: SigningCall,
): Promise<Readonly<Record<string, string>>> {
  const [accessKey = "", secretKey = ""] = key.split("|");
  const bodyHash = await sha256InSteps(Buffer.isBuffer(body) ? body : Buffer.alloc(0));
  return volcengineHeaders({ url, method, bodyHash, accessKey, secretKey, nowMs });
}

/** Number of bytes that are hashed in one step of less than a millisecond. */
const hashStepBytes = 256 * 1024;

async function sha256InSteps(body: Buffer): Promise<string> {
  const hash = createHash("sha256");
  for (let position = 0; position < body.length; position += hashStepBytes) {
    if (position > 0) await setImmediate();
    hash.update(body.subarray(position, position + hashStepBytes));
  }
  return hash.digest("hex");
}

/** Returns the headers of a signed request (Volcengine's signature version 4). */
export function volcengineHeaders(request: RequestToSign): Readonly<Record<string, string>> {
  const { url, bodyHash, accessKey, secretKey, nowMs } = request;
  const time = new Date(nowMs).toISOString().replaceAll(/[-:]|\.\d{3}/g, "");
  const signed: Readonly<Record<string, string>> = {
    "content-type": contentType,
    host: url.host,
    "x-content-sha256": bodyHash,
    "x-date": time,
  };
  const names = Object.keys(signed).join(";");
  const scope = `${time.slice(0, 8)}/${region}/${service}/request`;
  const text = ["HMAC-SHA256", time, scope, sha256(canonicalRequest(request, signed, names, bodyHash))].join("\n");
  const key = [region, service, "request"].reduce<Buffer>(hmac, hmac(secretKey, time.slice(0, 8)));
  return {
    "content-type": contentType,
    "x-content-sha256": bodyHash,
    "x-date": time,
    authorization: `HMAC-SHA256 Credential=${accessKey}/${scope}, SignedHeaders=${names}, Signature=${hmac(key, text).toString("hex")}`,
  };
}

function canonicalRequest(
  { url, method }: RequestToSign,
  signed: Readonly<Record<string, string>>,
  names: string,
  bodyHash: string,
): string {
  const query = [...url.searchParams]
    .map(([name, value]) => `${percentEncoded(name)}=${percentEncoded(value)}`)
    .sort()
    .join("&");
  const lines = Object.entries(signed).map(([name, value]) => `${name}:${value}`);
  return [method, url.pathname, query, ...lines, "", names, bodyHash].join("\n");
}

/** encodeURIComponent does not encode all characters of RFC 3986. */
function percentEncoded(text: string): string {
  return encodeURIComponent(text).replaceAll(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}

function sha256(data: string | Buffer): string {
  return createHash("sha256").update(data).digest("hex");
}

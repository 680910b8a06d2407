import { Failure } from "@modelgate/contracts";
import { stringifyInTurns } from "@modelgate/formats/json";
import { createHmac } from "node:crypto";
import type { PollCall, StartCall, VendorCall } from "../call.ts";
import { requestTo, type VendorRequest } from "../request.ts";

/** Builds the request that starts a task. Polls use the same path. */
export function* startVideo(call: StartCall): Generator<undefined, VendorRequest> {
  if (call.remixOf !== undefined)
    throw new Failure("unsupported_parameter", "The vendor of this model cannot remix videos.");
  const withType = { ...authorizationHeaders(call), "content-type": "application/json" };
  return requestTo(tasksAt(call, kindOf(call.fromImage)), call, withType, yield* stringifyInTurns(call.body));
}

export function pollVideo(call: PollCall): VendorRequest {
  return requestTo(tasksAt(call, ...call.task.split("/").map(encodeURIComponent)), call, authorizationHeaders(call));
}

export function taskOf(id: string, { fromImage }: Pick<StartCall, "fromImage">): string {
  return `${kindOf(fromImage)}/${id}`;
}

/** Returns the authorization header. A key "accessKey|secretKey" becomes a token; any other key is sent unchanged. */
export function authorizationHeaders({
  key,
  nowMs,
}: Pick<VendorCall, "key" | "nowMs">): Readonly<Record<string, string>> {
  const [accessKey = "", secretKey] = key.split("|");
  const token = secretKey === undefined ? key : klingToken(accessKey, secretKey, Math.floor(nowMs / 1_000));
  return { authorization: `Bearer ${token}` };
}

/** A key that starts with `sk-` belongs to another gateway, whose path has a prefix. */
function tasksAt({ baseUrl, key }: Pick<VendorCall, "baseUrl" | "key">, ...segments: readonly string[]): URL {
  const prefix = isGatewayKey(key) ? "/kling/v1/videos" : "/v1/videos";
  return new URL([baseUrl.replace(/\/+$/, "") + prefix, ...segments].join("/"));
}

function isGatewayKey(key: string): boolean {
  return !key.includes("|") && key.startsWith("sk-");
}

function kindOf(fromImage: boolean): string {
  return fromImage ? "image2video" : "text2video";
}

/** Lifetime of a token, and tolerated difference from the vendor's clock, in seconds. */
const [lifetimeSeconds, clockSkewSeconds] = [1_800, 5];

/** Creates the vendor's token, a JWT (HS256). */
export function klingToken(accessKey: string, secretKey: string, nowSeconds: number): string {
  const head = encodedJson({ alg: "HS256", typ: "JWT" });
  const claims = encodedJson({ iss: accessKey, exp: nowSeconds + lifetimeSeconds, nbf: nowSeconds - clockSkewSeconds });
  const signature = createHmac("sha256", secretKey).update(`${head}.${claims}`).digest("base64url");
  return `${head}.${claims}.${signature}`;
}

function encodedJson(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

import { Failure } from "@modelgate/contracts";
import { stringifyInTurns } from "@modelgate/wires/json";
import { createHmac } from "node:crypto";
import type { PollCall, StartCall, VendorCall } from "../call.ts";
import { requestTo, type VendorRequest } from "../request.ts";

/** Starts a task. Text to video and image to video have two paths, and each is polled at its own. */
export function* startVideo(call: StartCall): Generator<undefined, VendorRequest> {
  if (call.remixOf !== undefined)
    throw new Failure("unsupported_parameter", "The vendor of this model cannot remix videos.");
  const withType = { ...headers(call), "content-type": "application/json" };
  return requestTo(tasksAt(call, kindOf(call.fromImage)), call, withType, yield* stringifyInTurns(call.body));
}

export function pollVideo(call: PollCall): VendorRequest {
  return requestTo(tasksAt(call, ...call.task.split("/").map(encodeURIComponent)), call, headers(call));
}

export function taskOf(id: string, { fromImage }: Pick<StartCall, "fromImage">): string {
  return `${kindOf(fromImage)}/${id}`;
}

/** The header of a call: a token made of "accessKey|secretKey", or the key as it is. */
export function headers({ key, nowMs }: Pick<VendorCall, "key" | "nowMs">): Readonly<Record<string, string>> {
  const [accessKey = "", secretKey] = key.split("|");
  const token = secretKey === undefined ? key : klingToken(accessKey, secretKey, Math.floor(nowMs / 1_000));
  return { authorization: `Bearer ${token}` };
}

/**
 * Returns the address of tasks. A key in the form of another gateway belongs to that gateway, which has them under a
 * prefix.
 */
function tasksAt({ baseUrl, key }: Pick<VendorCall, "baseUrl" | "key">, ...more: readonly string[]): URL {
  const prefix = isGatewayKey(key) ? "/kling/v1/videos" : "/v1/videos";
  return new URL([baseUrl.replace(/\/+$/, "") + prefix, ...more].join("/"));
}

function isGatewayKey(key: string): boolean {
  return !key.includes("|") && key.startsWith("sk-");
}

function kindOf(fromImage: boolean): string {
  return fromImage ? "image2video" : "text2video";
}

/** Lifetime of a token, and tolerated lag of the vendor's clock, in seconds. */
const [countsFor, clockMargin] = [1_800, 5];

/** The vendor's token of a moment: a JWT by HS256 over the access key, signed with the secret key. */
export function klingToken(accessKey: string, secretKey: string, nowSeconds: number): string {
  const head = encoded({ alg: "HS256", typ: "JWT" });
  const claims = encoded({ iss: accessKey, exp: nowSeconds + countsFor, nbf: nowSeconds - clockMargin });
  const signature = createHmac("sha256", secretKey).update(`${head}.${claims}`).digest("base64url");
  return `${head}.${claims}.${signature}`;
}

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

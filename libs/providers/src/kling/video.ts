import { Failure } from "@modelgate/contracts";
import type { VideoAccess, VideoCall } from "../video/access.ts";
import { klingToken } from "./sign.ts";

/** Where tasks are; a key of another gateway's own form stands for that gateway, which has them under a prefix. */
function tasksAt({ baseUrl, key }: VideoCall, ...more: readonly string[]): URL {
  const prefix = isGatewayKey(key) ? "/kling/v1/videos" : "/v1/videos";
  return new URL([baseUrl.replace(/\/+$/, "") + prefix, ...more].join("/"));
}

function isGatewayKey(key: string): boolean {
  return !key.includes("|") && key.startsWith("sk-");
}

/** The header of a call: a token made of "accessKey|secretKey", or the key as it is. */
export function klingHeaders({ key, nowMs }: Pick<VideoCall, "key" | "nowMs">): Readonly<Record<string, string>> {
  const [accessKey = "", secretKey] = key.split("|");
  const token = secretKey === undefined ? key : klingToken(accessKey, secretKey, Math.floor(nowMs / 1_000));
  return { authorization: `Bearer ${token}` };
}

/** Kling's video tasks: made from text and made from a picture stand at two paths, and are looked at there. */
export const klingVideo: VideoAccess = {
  start(call) {
    if (call.remixOf !== undefined)
      throw new Failure("unsupported_parameter", "The vendor of this model cannot remix videos.");
    return {
      url: tasksAt(call, kindOf(call.fromImage)),
      method: "POST",
      headers: { ...klingHeaders(call), "content-type": "application/json" },
      body: Buffer.from(JSON.stringify(call.body)),
    };
  },
  operationOf: (id, { fromImage }) => `${kindOf(fromImage)}/${id}`,
  look: (call) => ({
    url: tasksAt(call, ...call.operation.split("/").map(encodeURIComponent)),
    method: "GET",
    headers: klingHeaders(call),
  }),
  content: () => undefined,
};

function kindOf(fromImage: boolean): string {
  return fromImage ? "image2video" : "text2video";
}

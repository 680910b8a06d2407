import { Failure } from "@modelgate/contracts";
import type { VideoAccess, VideoCall, VideoStart } from "../video/access.ts";
import { renderForm } from "../video/form.ts";

/** Where a wire's tasks are, under the base URL. */
function tasksAt({ baseUrl, wire }: VideoCall, ...more: readonly string[]): URL {
  const path = wire === "video-generations" ? "/video/generations" : "/videos";
  return new URL([baseUrl.replace(/\/+$/, "") + path, ...more.map(encodeURIComponent)].join("/"));
}

function auth({ key }: VideoCall): Readonly<Record<string, string>> {
  return { authorization: `Bearer ${key}` };
}

/** Video tasks of OpenAI and its likes: `/videos`, or `/video/generations` where a channel's wires say so. */
export const openaiVideo: VideoAccess = {
  start(call) {
    if (call.remixOf !== undefined) return remix(call, call.remixOf);
    // A form is what every vendor of this wire takes; a picture's address can only be said in JSON.
    const asForm = call.wire === "videos" && call.body["input_reference"] === undefined;
    const said = asForm ? renderForm(call.body, call.file) : json(call.body);
    return {
      url: tasksAt(call),
      method: "POST",
      headers: { ...auth(call), "content-type": said.contentType },
      body: said.body,
    };
  },
  operationOf: (id) => id,
  look: (call) => ({ url: tasksAt(call, call.operation), method: "GET", headers: auth(call) }),
  content(call) {
    if (call.wire === "video-generations") return undefined;
    const url = tasksAt(call, call.operation, "content");
    if (call.variant !== "video") url.searchParams.set("variant", call.variant);
    return { url, method: "GET", headers: auth(call) };
  },
};

function remix(call: VideoStart, operation: string) {
  if (call.wire === "video-generations")
    throw new Failure("unsupported_parameter", "The vendor of this model cannot remix videos.");
  const said = json({ prompt: call.body["prompt"] });
  return {
    url: tasksAt(call, operation, "remix"),
    method: "POST" as const,
    headers: { ...auth(call), "content-type": said.contentType },
    body: said.body,
  };
}

function json(body: object): { readonly contentType: string; readonly body: Buffer } {
  return { contentType: "application/json", body: Buffer.from(JSON.stringify(body)) };
}

import { Failure } from "@modelgate/contracts";
import { stringifyInTurns } from "@modelgate/wires/json";
import type { DownloadCall, PollCall, StartCall, VendorCall } from "../call.ts";
import { bearer, requestTo, type VendorRequest } from "../request.ts";
import { renderForm } from "../video/form.ts";

/**
 * Makes the request for a video task of OpenAI's format: `/videos`, or `/video/generations` where a channel's wires
 * name it.
 */
export function videoRequest(call: PollCall | DownloadCall): VendorRequest {
  if (call.act === "poll") return requestTo(tasksAt(call, call.task), call, bearer(call));
  const url = tasksAt(call, call.task, "content");
  if (call.variant !== "video") url.searchParams.set("variant", call.variant);
  return requestTo(url, call, bearer(call));
}

/** Starts a task, in steps, since the body may contain a picture of megabytes. */
export function* startVideo(call: StartCall): Generator<undefined, VendorRequest> {
  if (call.remixOf !== undefined) return yield* remix(call, call.remixOf);
  // All vendors of this wire accept a form, but only JSON can hold a picture's address.
  const asForm = call.wire === "videos" && call.body["input_reference"] === undefined;
  return posted(tasksAt(call), call, yield* asForm ? renderForm(call.body, call.file) : json(call.body));
}

function* remix(call: StartCall, task: string): Generator<undefined, VendorRequest> {
  if (call.wire === "video-generations")
    throw new Failure("unsupported_parameter", "The vendor of this model cannot remix videos.");
  return posted(tasksAt(call, task, "remix"), call, yield* json({ prompt: call.body["prompt"] }));
}

/** Returns the address of a wire's tasks, under the base URL. */
function tasksAt({ baseUrl, wire }: Pick<VendorCall, "baseUrl" | "wire">, ...more: readonly string[]): URL {
  const path = wire === "video-generations" ? "/video/generations" : "/videos";
  return new URL([baseUrl.replace(/\/+$/, "") + path, ...more.map(encodeURIComponent)].join("/"));
}

interface VideoContent {
  readonly contentType: string;
  readonly body: Buffer;
}

function posted(url: URL, call: StartCall, { contentType, body }: VideoContent): VendorRequest {
  return requestTo(url, call, { ...bearer(call), "content-type": contentType }, body);
}

function* json(body: object): Generator<undefined, VideoContent> {
  return { contentType: "application/json", body: yield* stringifyInTurns(body) };
}

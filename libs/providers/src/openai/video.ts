import { Failure } from "@modelgate/contracts";
import { stringifyInTurns } from "@modelgate/formats/json";
import type { DownloadCall, PollCall, StartCall, VendorCall } from "../call.ts";
import { bearerHeader, requestTo, type VendorRequest } from "../request.ts";
import { renderForm } from "../video/form.ts";

/** Builds the request that polls or downloads a video task in OpenAI's format. */
export function videoRequest(call: PollCall | DownloadCall): VendorRequest {
  if (call.act === "poll") return requestTo(tasksAt(call, call.task), call, bearerHeader(call));
  const url = tasksAt(call, call.task, "content");
  if (call.variant !== "video") url.searchParams.set("variant", call.variant);
  return requestTo(url, call, bearerHeader(call));
}

/** Builds the request that starts a task, in steps, because the body may contain megabytes of image data. */
export function* startVideo(call: StartCall): Generator<undefined, VendorRequest> {
  if (call.remixOf !== undefined) return yield* remix(call, call.remixOf);
  // All vendors of `videos` accept a form, but an image's address can only be sent as JSON.
  const isForm = call.wire === "videos" && call.body["input_reference"] === undefined;
  return postRequest(tasksAt(call), call, yield* isForm ? renderForm(call.body, call.file) : jsonContent(call.body));
}

function* remix(call: StartCall, task: string): Generator<undefined, VendorRequest> {
  if (call.wire === "video-generations")
    throw new Failure("unsupported_parameter", "The vendor of this model cannot remix videos.");
  return postRequest(tasksAt(call, task, "remix"), call, yield* jsonContent({ prompt: call.body["prompt"] }));
}

function tasksAt({ baseUrl, wire }: Pick<VendorCall, "baseUrl" | "wire">, ...segments: readonly string[]): URL {
  const path = wire === "video-generations" ? "/video/generations" : "/videos";
  return new URL([baseUrl.replace(/\/+$/, "") + path, ...segments.map(encodeURIComponent)].join("/"));
}

interface VideoContent {
  readonly contentType: string;
  readonly body: Buffer;
}

function postRequest(url: URL, call: StartCall, { contentType, body }: VideoContent): VendorRequest {
  return requestTo(url, call, { ...bearerHeader(call), "content-type": contentType }, body);
}

function* jsonContent(body: object): Generator<undefined, VideoContent> {
  return { contentType: "application/json", body: yield* stringifyInTurns(body) };
}

import type { ServerResponse } from "node:http";
import { Failure } from "@modelgate/contracts";
import { idsOf, type EndpointHandler, type ServiceCall } from "@modelgate/platform";
import type { BodySink, UpstreamAnswer } from "@modelgate/channels";
import { openVideoContent } from "../content/source.ts";
import type { Deps } from "../deps.ts";
import { findTaskOfCaller } from "../show-task.ts";

const variants = ["video", "thumbnail", "spritesheet"];

/** GET /v1/videos/{task_id}/content: sends the video of a completed task. */
export function videoContent(deps: Deps): EndpointHandler {
  return async (call) => {
    const { task } = await findTaskOfCaller(deps, call, call.params["task_id"]);
    const variant = call.query.get("variant") ?? "video";
    if (!variants.includes(variant))
      throw new Failure("invalid_value", `variant must be one of ${variants.join(", ")}.`, { param: "variant" });
    if (task.state !== "completed") throw new Failure("video_not_ready");
    await using source = await openVideoContent(deps, task, { variant, request: call.request, signal: call.ending });
    await passContent(call, source.answer, variant);
  };
}

/** Headers of a file host's answer that are forwarded to the client. */
const forwardedHeaders = ["content-length", "content-range", "accept-ranges", "etag", "last-modified"];

/**
 * Passes a file to the client as fast as the client reads. A file that is cut off must not look complete, so the
 * connection is then closed.
 */
export function passContent(call: ServiceCall, answer: UpstreamAnswer, variant: string) {
  const { response, log } = call;
  const { promise, resolve } = Promise.withResolvers<void>();
  response.writeHead(answer.status, headOf(answer, variant));
  const finish = (): void => {
    response.off("drain", onDrain).off("close", onClose);
    resolve();
  };
  const onDrain = (): void => answer.resume();
  const onClose = (): void => {
    answer.abort();
    finish();
  };
  const sink: BodySink = {
    data(chunk) {
      if (!response.write(chunk)) answer.pause();
    },
    end() {
      response.end();
      finish();
    },
    fail(error) {
      if (!response.destroyed) log.warn({ ...idsOf(call), err: error }, "a video was cut off");
      response.destroy();
      finish();
    },
  };
  response.on("drain", onDrain).on("close", onClose);
  if (response.destroyed) onClose();
  else answer.pipe(sink);
  return promise;
}

function headOf({ headers }: UpstreamAnswer, variant: string): Parameters<ServerResponse["writeHead"]>[1] {
  const forwarded = forwardedHeaders.flatMap((name) => {
    const value = headers[name];
    return typeof value === "string" ? [[name, value] as const] : [];
  });
  const type = headers["content-type"];
  return {
    ...Object.fromEntries(forwarded),
    "content-type":
      variant === "video" ? videoType(type) : typeof type === "string" ? type : "application/octet-stream",
    "content-disposition": "inline",
    "cache-control": "private",
  };
}

/** Returns the vendor's media type if it is a type of video. File hosts often report a general type. */
function videoType(type: string | string[] | undefined): string {
  return typeof type === "string" && /^video\/[\w.+-]+$/i.test(type) ? type : "video/mp4";
}

import { Failure } from "@modelgate/contracts";
import type { EndpointHandler } from "@modelgate/platform";
import { passContent } from "../content/pass-content.ts";
import { contentSource } from "../content/source.ts";
import type { Deps } from "../deps.ts";
import { ownTask } from "../find-task.ts";

const variants = ["video", "thumbnail", "spritesheet"];

/** GET /v1/videos/{task_id}/content (interface endpoint 17): a finished task's bytes, streamed through, ranges and all. */
export function videoContent(deps: Deps): EndpointHandler {
  return async (call) => {
    const { task } = await ownTask(deps, call, call.params["task_id"]);
    const variant = call.query.get("variant") ?? "video";
    if (!variants.includes(variant))
      throw new Failure("invalid_value", `variant must be one of ${variants.join(", ")}.`, { param: "variant" });
    if (task.state !== "completed") throw new Failure("video_not_ready");
    const gone = new AbortController();
    call.response.once("close", () => gone.abort());
    await using source = await contentSource(deps, task, { variant, request: call.request, signal: gone.signal });
    await passContent(call, source.answer, variant);
  };
}

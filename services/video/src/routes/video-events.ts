import { once } from "node:events";
import { setTimeout } from "node:timers/promises";
import type { ServerResponse } from "node:http";
import type { TaskRecord } from "@modelgate/accounts";
import type { EndpointHandler } from "@modelgate/platform";
import { videoCodecs } from "@modelgate/wires";
import type { Deps } from "../deps.ts";
import { ownTask } from "../find-task.ts";
import { isEnded } from "../poll/advance.ts";
import { contextOf, shownTask } from "../show-task.ts";

/**
 * GET /v1/videos/{task_id}/events: the task as it is, then again whenever its state or progress is another one, until
 * it has ended. Redis only; a silence has signs of life in it.
 */
export function videoEvents(deps: Deps): EndpointHandler {
  return async (call) => {
    const { response, params } = call;
    const gone = new AbortController();
    response.once("close", () => gone.abort());
    let { task } = await ownTask(deps, call, params["task_id"]);
    const context = contextOf(deps, call, task.id);
    const frameOf = (seen: TaskRecord): string =>
      `event: video.${seen.state}\ndata: ${JSON.stringify(videoCodecs.videos.renderTask(shownTask(seen), context))}\n\n`;
    response.writeHead(200, {
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-cache",
      "x-accel-buffering": "no",
    });
    await write(response, frameOf(task));
    let toldAt = deps.now();
    while (!isEnded(task.state) && (await paused(deps.limits.followMs, gone.signal))) {
      const next = await ownTask(deps, call, task.id).catch(() => undefined);
      const isNew = next !== undefined && (next.task.state !== task.state || next.task.progress !== task.progress);
      if (isNew || deps.now() - toldAt >= deps.relay.limits.heartbeatMs) {
        task = next?.task ?? task;
        toldAt = deps.now();
        await write(response, isNew ? frameOf(task) : ": still here\n\n");
      }
    }
    response.end();
  };
}

/** Waits for a slow reader: no more than one frame waits for it. */
async function write(response: ServerResponse, text: string): Promise<void> {
  if (response.destroyed || response.write(text)) return;
  await Promise.race([once(response, "drain"), once(response, "close")]);
}

/** False where the client has left meanwhile. */
async function paused(ms: number, signal: AbortSignal): Promise<boolean> {
  try {
    await setTimeout(ms, undefined, { signal });
    return true;
  } catch {
    return false;
  }
}

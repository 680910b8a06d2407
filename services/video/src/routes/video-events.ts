import { once } from "node:events";
import { setTimeout } from "node:timers/promises";
import type { ServerResponse } from "node:http";
import type { TaskRecord } from "@modelgate/accounts";
import { Failure } from "@modelgate/contracts";
import { endedBy, type EndpointHandler, type ServiceCall } from "@modelgate/platform";
import { wires } from "@modelgate/wires/video";
import type { Deps } from "../deps.ts";
import { ownTask, shownTask } from "../show-task.ts";
import { isEnded } from "../poll/advance.ts";

/**
 * GET /v1/videos/{task_id}/events: sends the task, then again after each change of its state or progress, until it has
 * ended or is deleted. Reads Redis only. Comments keep the connection open in between.
 */
export function videoEvents(deps: Deps): EndpointHandler {
  return async (call) => {
    const { response, params, ending } = call;
    let { task } = await ownTask(deps, call, params["task_id"]);
    const frameOf = (seen: TaskRecord): string =>
      `event: video.${seen.state}\ndata: ${JSON.stringify(wires.videos.client.render(shownTask(seen)))}\n\n`;
    response.writeHead(200, {
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-cache",
      "x-accel-buffering": "no",
    });
    await write(response, frameOf(task), ending);
    let sentAt = deps.now();
    while (!isEnded(task.state) && (await paused(deps.limits.followMs, ending))) {
      const next = await readAgain(deps, call, task);
      if (next === undefined) break;
      const isNew = next.state !== task.state || next.progress !== task.progress;
      if (isNew || deps.now() - sentAt >= deps.relay.limits.heartbeatMs) {
        task = next;
        sentAt = deps.now();
        await write(response, isNew ? frameOf(task) : ": still here\n\n", ending);
      }
    }
    const failure = endedBy(ending);
    if (failure !== undefined) throw failure; // cut: the client's stream is incomplete
    response.end();
  };
}

/** Returns the current task, or the last known one while Redis is unavailable; undefined for a deleted task. */
async function readAgain(deps: Deps, call: ServiceCall, task: TaskRecord): Promise<TaskRecord | undefined> {
  try {
    return (await ownTask(deps, call, task.id)).task;
  } catch (error) {
    return error instanceof Failure && error.code === "task_not_found" ? undefined : task;
  }
}

/** Writes a frame and waits for a slow reader: at most one frame is buffered. */
async function write(response: ServerResponse, text: string, ending: AbortSignal): Promise<void> {
  if (response.destroyed || response.write(text)) return;
  await once(response, "drain", { signal: ending }).catch(() => undefined);
}

/** Waits. Returns false where the call ended during the pause. */
async function paused(ms: number, signal: AbortSignal): Promise<boolean> {
  try {
    await setTimeout(ms, undefined, { signal });
    return true;
  } catch {
    return false;
  }
}

import { once } from "node:events";
import { setTimeout } from "node:timers/promises";
import type { ServerResponse } from "node:http";
import type { TaskRecord } from "@modelgate/accounts";
import { Failure, failureFrames } from "@modelgate/contracts";
import { gatewayFailureOf, type EndpointHandler, type ServiceCall } from "@modelgate/platform";
import { wires } from "@modelgate/wires/video";
import type { Deps } from "../deps.ts";
import { findTaskOfCaller, taskForClient } from "../show-task.ts";
import { isEnded } from "../poll/advance.ts";

/** GET /v1/videos/{task_id}/events: sends the task now and after each change, until it has ended. */
export function videoEvents(deps: Deps): EndpointHandler {
  return async (call) => {
    const { response, params, ending } = call;
    let { task } = await findTaskOfCaller(deps, call, params["task_id"]);
    const frameOf = (seen: TaskRecord): string =>
      `event: video.${seen.state}\ndata: ${JSON.stringify(wires.videos.client.render(taskForClient(seen)))}\n\n`;
    response.writeHead(200, {
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-cache",
      "x-accel-buffering": "no",
    });
    await write(response, frameOf(task), ending);
    let sentAt = deps.now();
    while (!isEnded(task.state) && (await waitUnlessEnded(deps.limits.followMs, ending))) {
      const next = await rereadTask(deps, call, task);
      if (next === undefined) break;
      const isNew = next.state !== task.state || next.progress !== task.progress;
      if (isNew || deps.now() - sentAt >= deps.relay.limits.heartbeatMs) {
        task = next;
        sentAt = deps.now();
        await write(response, isNew ? frameOf(task) : ": keep-alive\n\n", ending);
      }
    }
    const failure = gatewayFailureOf(ending);
    if (failure !== undefined) call.facts.refusal = failure;
    response.end(failure && failureFrames.images(failure, call.requestId));
  };
}

/**
 * Returns the current state of a task; the previous one if Redis is unavailable; undefined if the task was removed.
 */
async function rereadTask(deps: Deps, call: ServiceCall, task: TaskRecord): Promise<TaskRecord | undefined> {
  try {
    return (await findTaskOfCaller(deps, call, task.id)).task;
  } catch (error) {
    return error instanceof Failure && error.code === "task_not_found" ? undefined : task;
  }
}

/** Writes a frame. Waits until a slow client has read it. */
async function write(response: ServerResponse, text: string, ending: AbortSignal): Promise<void> {
  if (response.destroyed || response.write(text)) return;
  await once(response, "drain", { signal: ending }).catch(() => undefined);
}

/** Waits for a time. Returns false if the call ended meanwhile. */
async function waitUnlessEnded(ms: number, signal: AbortSignal): Promise<boolean> {
  try {
    await setTimeout(ms, undefined, { signal });
    return true;
  } catch {
    return false;
  }
}

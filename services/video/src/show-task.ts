import { findTask, readUnlessLost, type TaskRecord, type StoredTask } from "@modelgate/accounts";
import { endpoints, Failure, type Caller } from "@modelgate/contracts";
import { orUnavailable, type ServiceCall } from "@modelgate/platform";
import { isRecord } from "@modelgate/formats/json";
import type { RequestedVideo, TaskContext, VideoResult, VideoTask } from "@modelgate/wires/video";
import type { Deps } from "./deps.ts";

/** Returns the fields of a task that its client receives. */
export function taskForClient(task: TaskRecord): VideoTask {
  const { id, model, state, progress, createdAt, endedAt, error } = task;
  return {
    id,
    model,
    state,
    progress,
    createdAt,
    endedAt,
    expiresAt: resultOf(task)?.expiresAt,
    requested: requestedVideo(task),
    error,
  };
}

/** Returns the values that the client requested, which answers repeat. */
export function requestedVideo({ requested }: TaskRecord): RequestedVideo {
  return { seconds: 0, fromImage: false, ...requested };
}

/**
 * Returns the URL of a completed task's video and the time until which the vendor keeps the video; undefined for other
 * tasks.
 */
export function resultOf({ result }: TaskRecord): VideoResult | undefined {
  if (result === undefined) return undefined;
  const parsed: unknown = JSON.parse(result);
  const { url, expiresAt, keptMs } = isRecord(parsed) ? parsed : {};
  return {
    url: typeof url === "string" ? url : undefined,
    expiresAt: typeof expiresAt === "number" ? expiresAt : undefined,
    keptMs: typeof keptMs === "number" ? keptMs : undefined,
  };
}

/** Returns values that an answer contains in addition to the task. */
export function taskContext(
  { publicUrl }: Pick<Deps, "publicUrl">,
  { request, requestId }: Pick<ServiceCall, "request" | "requestId">,
  taskId: string,
): TaskContext {
  const base = publicUrl?.replace(/\/+$/, "") ?? `${schemeOf(request)}://${validHost(request.headers.host)}`;
  return { requestId, contentUrl: base + endpoints.getVideoContent.path.replace("{task_id}", taskId) };
}

/**
 * Returns the scheme in the header x-forwarded-proto. The edge removes this header if there is no proxy in front of it.
 */
function schemeOf({ headers }: ServiceCall["request"]): "http" | "https" {
  return /^https\b/i.test(String(headers["x-forwarded-proto"])) ? "https" : "http";
}

/** Returns the host in the client's request, or "localhost" if it is invalid. */
function validHost(host: string | undefined): string {
  return host !== undefined && /^[\w.:[\]-]{1,255}$/.test(host) ? host : "localhost";
}

/** Returns true if a caller may see a task: a key of a team sees only tasks of the team's keys. */
export function isOfTeam({ draft }: TaskRecord, { team }: Pick<Caller, "team">): boolean {
  return team === undefined || draft.team === team;
}

/** Pattern of the gateway's task ids. Other ids are not looked up in Redis. */
const idShape = /^[\w-]{1,100}$/;

/** Returns a task of the caller. Throws Failure task_not_found (404) or server_overloaded (503). */
export async function findTaskOfCaller(
  { relay }: Deps,
  { caller }: ServiceCall,
  id: string | undefined,
): Promise<StoredTask> {
  const { redis } = relay;
  const read = (taskId: string) => (): Promise<StoredTask | undefined> => findTask(redis, caller.accountId, taskId);
  const stored =
    id !== undefined && idShape.test(id)
      ? await orUnavailable(readUnlessLost(redis, read(id), (task) => task === undefined))
      : undefined;
  if (stored === undefined || !isOfTeam(stored.task, caller)) throw new Failure("task_not_found");
  return stored;
}

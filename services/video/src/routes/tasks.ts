import { listTasks, removeTask, type TaskPage, type TaskQuery, type TaskRecord } from "@modelgate/accounts";
import { Failure, type Caller, type ClientVideoWire } from "@modelgate/contracts";
import { answerJson, type EndpointHandler, type Redis } from "@modelgate/platform";
import { wires } from "@modelgate/wires/video";
import type { Deps } from "../deps.ts";
import { isOfTeam, taskForClient, taskContext, findTaskOfCaller } from "../show-task.ts";
import { isEnded } from "../poll/advance.ts";

const [defaultLimit, maxLimit] = [20, 100];

/** Maximum tasks of an account that are read to find those of a team. */
const maxSearched = 10_000;

/** Lists the tasks of the caller's account; for a key of a team, those of the team's keys. */
async function tasksOfCaller(redis: Redis, caller: Caller, query: TaskQuery): Promise<TaskPage> {
  if (caller.team === undefined) return listTasks(redis, caller.accountId, query);
  const teamTasks: TaskRecord[] = [];
  let { after } = query;
  for (let searched = 0; searched < maxSearched && teamTasks.length <= query.limit; searched += maxLimit) {
    const page = await listTasks(redis, caller.accountId, { ...query, after, limit: maxLimit });
    teamTasks.push(...page.tasks.filter((task) => isOfTeam(task, caller)));
    after = page.tasks.at(-1)?.id;
    if (!page.hasMore || after === undefined) break;
  }
  return { tasks: teamTasks.slice(0, query.limit), hasMore: teamTasks.length > query.limit };
}

/** GET /v1/videos: lists the caller's tasks, by default with the newest first. */
export function listVideos(deps: Deps): EndpointHandler {
  return async (call) => {
    const { query, caller, response } = call;
    const { tasks, hasMore } = await tasksOfCaller(deps.relay.redis, caller, {
      after: query.get("after") ?? undefined,
      limit: parseLimit(query.get("limit")),
      order: parseOrder(query.get("order")),
    });
    const data = tasks.map((task) => wires.videos.client.render(taskForClient(task)));
    const [first, last] = [tasks.at(0)?.id ?? null, tasks.at(-1)?.id ?? null];
    answerJson(response, 200, { object: "list", data, first_id: first, last_id: last, has_more: hasMore });
  };
}

function parseLimit(text: string | null): number {
  const limit = text === null ? defaultLimit : Number(text);
  if (Number.isInteger(limit) && limit >= 1 && limit <= maxLimit) return limit;
  throw new Failure("invalid_value", `limit must be a whole number from 1 to ${maxLimit}.`, { param: "limit" });
}

function parseOrder(text: string | null): "asc" | "desc" {
  if (text === null || text === "desc") return "desc";
  if (text === "asc") return "asc";
  throw new Failure("invalid_value", "order must be asc or desc.", { param: "order" });
}

/** Answers with a task's state in the endpoint's wire, whichever endpoint created the task. */
export function getTask(deps: Deps, clientWire: ClientVideoWire): EndpointHandler {
  return async (call) => {
    const { task } = await findTaskOfCaller(deps, call, call.params["task_id"]);
    answerJson(
      call.response,
      200,
      wires[clientWire].client.render(taskForClient(task), taskContext(deps, call, task.id)),
    );
  };
}

/** DELETE /v1/videos/{task_id}: removes a task that has ended. Money is still held for a running task. */
export function deleteVideo(deps: Deps): EndpointHandler {
  return async (call) => {
    const stored = await findTaskOfCaller(deps, call, call.params["task_id"]);
    if (!isEnded(stored.task.state)) throw new Failure("task_not_finished");
    const entries = await removeTask(deps.relay.redis, stored, { nowMs: deps.now(), keepMs: deps.limits.keepMs });
    deps.outbox.push(...(entries ?? []));
    answerJson(call.response, 200, { id: stored.task.id, object: "video.deleted", deleted: true });
  };
}

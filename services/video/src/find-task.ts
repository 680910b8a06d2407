import { findTask, unlessLost, type StoredTask } from "@modelgate/accounts";
import { Failure } from "@modelgate/contracts";
import { orUnavailable, type ServiceCall } from "@modelgate/platform";
import type { Deps } from "./deps.ts";

/** What an id of ours can look like; anything else never reaches Redis. */
const idShape = /^[\w-]{1,100}$/;

/**
 * The caller's own task. Throws Failure task_not_found (404) for an unknown one and for another account's alike,
 * server_overloaded (503) while what Redis has lost is put back.
 */
export async function ownTask({ relay }: Deps, { caller }: ServiceCall, id: string | undefined): Promise<StoredTask> {
  const { redis } = relay;
  const look = (taskId: string) => (): Promise<StoredTask | undefined> => findTask(redis, caller.accountId, taskId);
  const found =
    id !== undefined && idShape.test(id)
      ? await orUnavailable(unlessLost(redis, look(id), (task) => task === undefined))
      : undefined;
  if (found === undefined) throw new Failure("task_not_found");
  return found;
}

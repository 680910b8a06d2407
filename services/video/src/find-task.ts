import { findTask, type StoredTask } from "@modelgate/accounts";
import { Failure } from "@modelgate/contracts";
import type { ServiceCall } from "@modelgate/platform";
import type { Deps } from "./deps.ts";

/** What an id of ours can look like; anything else never reaches Redis. */
const idShape = /^[\w-]{1,100}$/;

/** The caller's own task. Throws Failure task_not_found (404) for an unknown one and for another account's alike. */
export async function ownTask({ relay }: Deps, { caller }: ServiceCall, id: string | undefined): Promise<StoredTask> {
  const found = id !== undefined && idShape.test(id) ? await findTask(relay.redis, caller.accountId, id) : undefined;
  if (found === undefined) throw new Failure("task_not_found");
  return found;
}

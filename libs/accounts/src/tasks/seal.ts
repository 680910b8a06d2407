import { openSealer, type Secrets } from "@modelgate/platform";
import type { TaskName } from "./claim.ts";
import { readTask, type TaskRecord } from "./record.ts";

/** Seals records of tasks for their events: what clients wrote is in them. */
export interface TaskSeal {
  seal(task: TaskRecord): string;
  /** Throws where it was sealed with a secret that is not accepted, for another task, or was changed; UnknownShape. */
  open(sealed: string, name: TaskName): TaskRecord;
}

/** Seals and opens with the secrets of the deployment. */
export function openTaskSeal(secrets: Secrets): TaskSeal {
  const sealer = openSealer(secrets, "modelgate tasks");
  const contextOf = ({ accountId, id }: TaskName): string => `${accountId}/${id}`;
  return {
    seal: (task) => sealer.seal(JSON.stringify(task), contextOf(task)),
    open: (sealed, name) => readTask(sealer.open(sealed, contextOf(name))),
  };
}

import { Failure } from "@modelgate/contracts";
import type { ResponsesDeps } from "../deps.ts";
import type { RecordMemory } from "../record-reader.ts";
import type { StoredResponse } from "../stored-response.ts";
import type { BackgroundRef } from "./background-store.ts";
import type { EventFormat } from "./event-format.ts";
import { hasEnded, sequenceOf } from "./events.ts";

/**
 * Returns the current state of a stored object. If the process that generates the object has died, stores the object as
 * failed.
 */
export async function currentResponse(
  deps: Pick<ResponsesDeps, EventFormat["wire"] | "backgroundStore">,
  format: EventFormat,
  backgroundRef: BackgroundRef,
  memory: RecordMemory,
): Promise<StoredResponse | undefined> {
  const { backgroundStore: store, [format.wire]: objects } = deps;
  const { accountId, id } = backgroundRef;
  const stored = await objects.find(accountId, id, memory);
  if (stored === undefined || hasEnded(stored.response)) return stored;
  if (await store.hasLease(backgroundRef)) {
    const isWorkedOn = (await store.countEvents(backgroundRef)) > format.queuedEvents(stored.response).length;
    return isWorkedOn ? { ...stored, response: { ...stored.response, status: "in_progress" } } : stored;
  }
  // Its process may have taken the lease again.
  if (!(await store.markFailed(backgroundRef))) return stored;
  // The response may have ended after it was read and before its lease was checked.
  const latest = await objects.find(accountId, id, memory);
  if (latest === undefined || hasEnded(latest.response)) return latest;
  const died = new Failure("server_overloaded", "The process that ran this response ended; try again.");
  const failed = { ...latest, response: format.failedObject(latest.response, died) };
  await objects.save(accountId, id, failed, Infinity);
  const [last = ""] = await store.events(backgroundRef, -1, 1);
  await store.addEvents(backgroundRef, [
    format.renderNumbered(format.finalEvent(failed.response), sequenceOf(last) + 1),
  ]);
  return failed;
}

import { Failure } from "@modelgate/contracts";
import type { ResponsesDeps } from "../deps.ts";
import type { RecordMemory } from "../record-reader.ts";
import type { StoredResponse } from "../stored-response.ts";
import { eventsOfQueued } from "./background-run.ts";
import type { BackgroundId } from "./background-store.ts";
import { failedResponse, finalEvent, isOver, sequenceOf } from "./events.ts";

/**
 * Returns the current state of a stored response. A response whose process died while it made it has failed: the first
 * reader after the lease has expired detects and stores that.
 */
export async function currentResponse(
  { responses, backgroundStore: store }: Pick<ResponsesDeps, "responses" | "backgroundStore">,
  at: BackgroundId,
  memory: RecordMemory,
): Promise<StoredResponse | undefined> {
  const { accountId, id } = at;
  const stored = await responses.find(accountId, id, memory);
  if (stored === undefined || !isInBackground(stored)) return stored;
  if (await store.isHeld(at)) {
    const isWorkedOn = (await store.countEvents(at)) > eventsOfQueued(stored.response).length;
    return isWorkedOn ? { ...stored, response: { ...stored.response, status: "in_progress" } } : stored;
  }
  // It may have ended between the two reads.
  const again = await responses.find(accountId, id, memory);
  if (again === undefined || !isInBackground(again)) return again;
  const died = new Failure("server_overloaded", "The gateway's process that made this response ended; try again.");
  const failed = { ...again, response: failedResponse(again.response, died) };
  await responses.save(accountId, id, failed, Infinity);
  const [last = ""] = await store.events(at, -1, 1);
  await store.addEvents(at, [finalEvent(failed.response, sequenceOf(last) + 1)]);
  return failed;
}

function isInBackground({ response }: StoredResponse): boolean {
  return response["background"] === true && !isOver(response);
}

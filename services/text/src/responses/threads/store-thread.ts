import { idsOf, type ServiceCall } from "@modelgate/platform";
import type { ResponsesDeps } from "../deps.ts";
import type { StoredThread } from "./thread-store.ts";

/** A thread, with the id of its latest message. */
export interface LatestTurn {
  readonly id: string;
  readonly thread: StoredThread;
  /** Id of the message before the latest one; undefined for a new thread. */
  readonly previousId: string | undefined;
}

/** Stores a thread under the id of its latest message only. Never rejects: clients can send the conversation again. */
export async function storeThread(
  { threads, relay }: Pick<ResponsesDeps, "relay" | "threads">,
  call: Pick<ServiceCall, "caller" | "requestId" | "span">,
  { id, thread, previousId }: LatestTurn,
): Promise<void> {
  const { accountId } = call.caller;
  try {
    const verdict = await threads.save(accountId, id, thread, Infinity);
    if (verdict !== "stored")
      return relay.log.warn({ ...idsOf(call), message: id, kept: verdict }, "a thread was not stored");
    if (previousId !== undefined) await threads.remove(accountId, previousId);
  } catch (error) {
    relay.log.warn({ ...idsOf(call), err: error }, "a thread was not stored");
  }
}

import { idsOf, type ServiceCall } from "@modelgate/platform";
import type { ResponsesDeps } from "../deps.ts";
import type { StoredThread } from "./thread-store.ts";

/** A thread with its newest message. */
export interface NewestTurn {
  readonly id: string;
  readonly kept: StoredThread;
  /** Id of the message that this one continues; undefined for the first message. */
  readonly previousId: string | undefined;
}

/**
 * Stores a thread under its newest message and removes the entry under the previous one. Never rejects: clients can
 * resend the thread.
 */
export async function keepThread(
  { threads, relay }: Pick<ResponsesDeps, "relay" | "threads">,
  call: Pick<ServiceCall, "caller" | "requestId" | "span">,
  { id, kept, previousId }: NewestTurn,
): Promise<void> {
  const { accountId } = call.caller;
  try {
    const verdict = await threads.save(accountId, id, kept, Infinity);
    if (verdict !== "kept")
      return relay.log.warn({ ...idsOf(call), message: id, kept: verdict }, "a thread was not kept");
    if (previousId !== undefined) await threads.remove(accountId, previousId);
  } catch (error) {
    relay.log.warn({ ...idsOf(call), err: error }, "a thread was not kept");
  }
}

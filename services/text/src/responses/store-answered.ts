import { idsOf } from "@modelgate/platform";
import type { Call } from "@modelgate/relay";
import type { ResponsesDeps } from "./deps.ts";
import type { StoredResponse } from "./stored-response.ts";

/** A response in the form in which it can be stored. */
export interface AnsweredResponse {
  readonly id: string;
  readonly stored: StoredResponse;
}

interface StoringDeps {
  readonly relay: Pick<ResponsesDeps["relay"], "log">;
  readonly responses: Pick<ResponsesDeps["responses"], "save">;
}

interface StoreAnsweredOptions {
  /** Bytes of the request and of its answer. */
  readonly bodyBytes: number;
  readonly answerBytes: number;
  /** True if the response itself is stored. */
  readonly isStored: boolean;
  /** Adds the turn to its conversation, if it has one. */
  readonly addTurn: ((stored: StoredResponse) => Promise<void>) | undefined;
}

/** Maximum bytes of request and answer that are stored without a step in a thread, and without turns of other calls. */
const maxQuickBytes = 64 * 1024;

/**
 * Stores a response, and adds it to its conversation. Returns the promise for which the client's last byte waits,
 * because the client may continue at once; undefined for a small response, which Redis gets before any later request.
 */
export function storeAnswered(
  { relay, responses: store }: StoringDeps,
  call: Pick<Call, "caller" | "requestId" | "span">,
  answered: Promise<AnsweredResponse | undefined>,
  { bodyBytes, answerBytes, isStored, addTurn }: StoreAnsweredOptions,
): Promise<void> | undefined {
  const { accountId } = call.caller;
  const logged = (work: (response: AnsweredResponse) => Promise<void>): Promise<void> =>
    answered
      .then((response) => (response === undefined ? undefined : work(response)))
      .catch((error: unknown) => relay.log.warn({ ...idsOf(call), err: error }, "a response was not stored"));
  const storing = isStored
    ? logged(async ({ id, stored }) => {
        const verdict = await store.save(accountId, id, stored, bodyBytes);
        if (verdict !== "stored")
          relay.log.warn({ ...idsOf(call), response: id, kept: verdict }, "a response was not stored");
      })
    : undefined;
  if (addTurn !== undefined) return logged(({ stored }) => addTurn(stored));
  return bodyBytes + answerBytes > maxQuickBytes ? storing : undefined;
}

import { admit, refusalOf } from "@modelgate/accounts";
import { endpointLabel, endpointOf, type Caller } from "@modelgate/contracts";
import { startSpan, type ServiceCall, type UpgradeCall } from "@modelgate/platform";
import { currentCaller, type Call, type RelayDeps } from "@modelgate/relay";

/** The call that opened a connection, as far as it is kept. */
export interface OpeningCall extends Pick<UpgradeCall, "caller" | "requestId" | "span"> {
  readonly strict: boolean;
}

/** A connection's own seat counts for its responses: this one is never taken. */
const noLeaseMs = 1;

/**
 * Returns the caller of a connection's next response, with what the key and its group allow now. Admits the response,
 * unless the edge did when the connection was opened. Throws Failure where that is refused.
 */
export async function callerOfNext(
  deps: RelayDeps,
  { caller: opening }: OpeningCall,
  isAdmitted: boolean,
): Promise<Caller> {
  const { redis, catalog } = deps;
  const caller = await currentCaller(deps, opening);
  if (isAdmitted) return caller;
  const { accountId, tokenId, limitsId = tokenId, group, requestId } = caller;
  const { requestsPerMinute, tokensPerMinute } = catalog.current().group(group)?.limits ?? {};
  const limits = { requestsPerMinute, tokensPerMinute };
  const request = { accountId, limitsId, permitId: requestId, limits, metered: true, leaseMs: noLeaseMs };
  const refusal = refusalOf(await admit(redis, request), limits, caller);
  if (refusal !== undefined) throw refusal;
  return caller;
}

/** The call that a connection's request is: of POST /v1/responses, with an id of its own. */
export function callOf(
  { log }: RelayDeps,
  { caller, requestId: opening, span, strict }: OpeningCall,
  { answer, ending, facts }: Pick<ServiceCall, "answer" | "ending" | "facts">,
  count: number,
): Call {
  const requestId = count === 1 ? opening : `${opening}-${count}`;
  return {
    answer,
    ending,
    caller: { ...caller, requestId },
    id: "responses",
    endpoint: endpointOf("responses"),
    requestId,
    log,
    span: startSpan({ name: endpointLabel("responses"), kind: "server", parent: span.traceparent }),
    strict,
    facts,
  };
}

import { admit, limitFailure } from "@modelgate/accounts";
import { endpointLabel, endpointOf, type Caller } from "@modelgate/contracts";
import { startSpan, type ServiceCall, type UpgradeCall } from "@modelgate/platform";
import { refreshCaller, type Call, type RelayDeps } from "@modelgate/relay";

/** Data of the call that opened a connection. */
export interface OpeningCall extends Pick<UpgradeCall, "caller" | "requestId" | "span"> {
  readonly refusesUnsupported: boolean;
}

/** Lease of the seat of one response, in ms. It ends at once, because the connection already has a seat. */
const endedSeatLeaseMs = 1;

/**
 * Returns the caller of a connection's next response, with current permissions. Throws Failure if the response is
 * refused.
 */
export async function callerOfNext(
  deps: RelayDeps,
  { caller: opening, requestId }: OpeningCall,
  isAdmitted: boolean,
): Promise<Caller> {
  const { redis, catalog } = deps;
  const caller = await refreshCaller(deps, opening);
  if (isAdmitted) return caller;
  const { accountId, tokenId, limitsId = tokenId, budgets, group } = caller;
  const { requestsPerMinute, requestsPerDay, tokensPerMinute } = catalog.current().group(group)?.limits ?? {};
  const limits = { requestsPerMinute, requestsPerDay, tokensPerMinute };
  const call = { accountId, tokenId, limitsId, seatId: requestId, budgets, limits };
  const refusal = limitFailure(await admit(redis, { ...call, needsBalance: true, leaseMs: endedSeatLeaseMs }), call);
  if (refusal !== undefined) throw refusal;
  return caller;
}

/**
 * Returns a request of a connection as a call of POST /v1/responses. Each call after the first has a new request id.
 */
export function callOf(
  { log }: RelayDeps,
  { caller, requestId: opening, span, refusesUnsupported }: OpeningCall,
  { answer, ending, facts }: Pick<ServiceCall, "answer" | "ending" | "facts">,
  count: number,
): Call {
  const requestId = count === 1 ? opening : `${opening}-${count}`;
  return {
    answer,
    ending,
    caller,
    id: "responses",
    endpoint: endpointOf("responses"),
    requestId,
    log,
    span: startSpan({ name: endpointLabel("responses"), kind: "server", parent: span.traceparent }),
    refusesUnsupported,
    facts,
  };
}

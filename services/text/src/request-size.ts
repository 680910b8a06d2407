import type { Candidate } from "@modelgate/catalog";
import { isAgent, textWireNames } from "@modelgate/contracts";
import { inTurns, inTurnsIfLong, once } from "@modelgate/platform";
import { isLargeJson, type CallFees, type RequestSize } from "@modelgate/relay";
import { findMembersInTurns, includesAny, includesAnyAtOnce } from "@modelgate/wires/json";
import { memberOf, textWire, wiresServing, type TextParams } from "@modelgate/wires/text";
import type { Deps } from "./deps.ts";
import type { TextExchangeMaker } from "./exchanges/text.ts";
import type { TurnParams } from "./read-text.ts";

/** A text request that is planned for one model. */
export interface SizedRequest {
  readonly params: TurnParams;
  readonly exchanges: TextExchangeMaker;
  readonly fees: CallFees;
  /** Channels that serve the model to the caller. */
  readonly candidates: readonly Candidate[];
}

/** Returns the size of a text request, which limits its cost. */
export async function requestSize(deps: Deps, request: SizedRequest): Promise<RequestSize> {
  const { params, exchanges, fees, candidates } = request;
  const { body } = exchanges.call;
  const { media, choices } = params;
  const readsUnseenInput = params.readsUnseenInput || hasAgent(candidates) || namesStoredData(body);
  return {
    textBytes: textBytesOf(body, media),
    mediaTokens: media.tokens,
    choices,
    readsUnseenInput: readsUnseenInput instanceof Promise ? await readsUnseenInput : readsUnseenInput,
    fees: media.more === undefined ? fees.held : { ...fees.held, inputTokens: fees.held.inputTokens + media.more },
    maxOutputTokens: params.thinks === true ? await limitWithReasoning(deps, request) : limitOf(params),
  };
}

/** Returns the bytes of a body that the model reads as text. */
export function textBytesOf(body: Buffer, { characters }: TextParams["media"]): number {
  return Math.max(0, body.length - characters);
}

/** Results of `hasAgent`, one for each list of candidates of a configuration. */
const agentLists = new WeakMap<readonly Candidate[], boolean>();

/**
 * Returns whether an agent may answer a call. An agent reads pages and files that the request does not contain. It
 * cannot be cancelled before its vendor has reported its id, so its answer is awaited after the client has left.
 */
export function hasAgent(candidates: readonly Candidate[]): boolean {
  let has = agentLists.get(candidates);
  if (has === undefined) {
    has = candidates.some(({ upstreamModel }) => isAgent(upstreamModel));
    agentLists.set(candidates, has);
  }
  return has;
}

/** Names of fields that refer to data in a vendor's store. */
const storeReferences = ["file_id", "item_reference"].map((text) => Buffer.from(text));

/** Returns whether a body contains such a name anywhere, even in a text. The call may then use more input tokens. */
function namesStoredData(body: Buffer): boolean | Promise<boolean> {
  if (isLargeJson(body)) return inTurns(includesAny(body, ...storeReferences));
  return includesAnyAtOnce(body, storeReferences);
}

/** Highest output limit, over all vendors, to which a client's lower limit may be raised. */
const minBound = once(() => Math.max(...textWireNames.map((wire) => textWire(wire).vendor?.minBound ?? 0)));

/** Returns the client's output limit, raised to the minimum of vendors; undefined if the client sets none. */
function limitOf({ maxOutputTokens, choices }: TurnParams): number | undefined {
  return maxOutputTokens === undefined ? undefined : Math.max(maxOutputTokens, minBound() * choices);
}

/**
 * Returns the output limit of a call that enables reasoning; undefined if there is none. If the client sets none, some
 * wires require one that includes reasoning. It is then the default limit plus the reasoning budget, and money is held
 * for it if the call may be sent in such a wire.
 */
async function limitWithReasoning(
  { relay }: Deps,
  { params, candidates, exchanges }: SizedRequest,
): Promise<number | undefined> {
  if (params.maxOutputTokens !== undefined) return limitOf(params);
  const { wire, defaultMaxTokens } = exchanges.call;
  for (const candidate of candidates) {
    const vendorWire = relay.channels.supportedWires.choose(candidate, wiresServing(wire));
    const upstream = vendorWire === undefined || vendorWire === wire ? undefined : textWire(vendorWire);
    if (upstream?.vendor?.raisedBound === undefined) continue;
    try {
      const { body } = await exchanges.make(upstream, candidate.upstreamModel);
      if (!Buffer.isBuffer(body)) return undefined;
      await inTurnsIfLong(findMembersInTurns(body));
      const limit = memberOf(body, upstream.vendor.raisedBound);
      return typeof limit === "number" && limit > defaultMaxTokens ? limit : undefined;
    } catch {
      return undefined; // the attempt in this wire reports what the wire cannot express
    }
  }
  return undefined;
}

import type { Candidate } from "@modelgate/catalog";
import { isAgent, textWireNames } from "@modelgate/contracts";
import { inTurnsIfLong, once } from "@modelgate/platform";
import type { CallFees, RequestSize } from "@modelgate/relay";
import { findMembersInTurns, includesAny } from "@modelgate/formats/json";
import { memberOf, textWire, wiresServing, type TextParams } from "@modelgate/wires/text";
import type { Deps } from "./deps.ts";
import type { TextExchangeFactory } from "./exchanges/text.ts";
import type { TurnParams } from "./read-text.ts";

/** A text request that is planned for one model. */
export interface SizedRequest {
  readonly params: TurnParams;
  readonly exchanges: TextExchangeFactory;
  readonly fees: CallFees;
  /** Channels that serve the model to the caller. */
  readonly candidates: readonly Candidate[];
}

/** Returns the size of a text request, from which its maximum cost is computed. */
export function requestSize(deps: Deps, request: SizedRequest): RequestSize | Promise<RequestSize> {
  const namesStored = inTurnsIfLong(includesAny(request.exchanges.call.body, ...storeReferences));
  if (namesStored instanceof Promise || request.params.thinks === true) return sizeInSteps(deps, request, namesStored);
  return sizeOf(request, namesStored);
}

async function sizeInSteps(
  deps: Deps,
  request: SizedRequest,
  namesStored: boolean | Promise<boolean>,
): Promise<RequestSize> {
  const isStoredNamed = await namesStored;
  const reasoningLimit = request.params.thinks === true ? await limitWithReasoning(deps, request) : undefined;
  return sizeOf(request, isStoredNamed, reasoningLimit);
}

/**
 * Returns the size of a request. `namesStored` is true if the body may refer to data in a vendor's store.
 * `reasoningLimit` is the output limit if the client sets none.
 */
function sizeOf(
  { params, exchanges, fees: { maxFees }, candidates }: SizedRequest,
  namesStored: boolean,
  reasoningLimit?: number,
): RequestSize {
  const { media, choices, readsHiddenInput, maxOutputTokens } = params;
  return {
    textBytes: textBytesOf(exchanges.call.body, media),
    mediaTokens: media.tokens,
    choices,
    readsHiddenInput: readsHiddenInput || namesStored || hasAgent(candidates),
    fees: media.more === undefined ? maxFees : { ...maxFees, inputTokens: maxFees.inputTokens + media.more },
    maxOutputTokens:
      maxOutputTokens === undefined ? reasoningLimit : Math.max(maxOutputTokens, minOutputLimit() * choices),
  };
}

/** Returns the number of bytes of a body that the model reads as text. */
export function textBytesOf(body: Buffer, { characters }: TextParams["media"]): number {
  return Math.max(0, body.length - characters);
}

/** Results of `hasAgent`. */
const agentLists = new WeakMap<readonly Candidate[], boolean>();

/** Returns true if an agent may answer a call. An agent reads pages and files that the request does not contain. */
export function hasAgent(candidates: readonly Candidate[]): boolean {
  let includesAgent = agentLists.get(candidates);
  if (includesAgent === undefined) {
    includesAgent = candidates.some(({ upstreamModel }) => isAgent(upstreamModel));
    agentLists.set(candidates, includesAgent);
  }
  return includesAgent;
}

/** Words in a body that refers to data in a vendor's store. The model may read such data as additional input. */
const storeReferences = ["file_id", "item_reference"].map((word) => Buffer.from(word));

/** Highest minimum output limit of all vendor wires. A client's lower limit is raised to at most this value. */
const minOutputLimit = once(() => Math.max(...textWireNames.map((wire) => textWire(wire).vendor?.minOutputLimit ?? 0)));

/** Returns the output limit that the gateway sets for a call with reasoning; undefined if none is needed. */
async function limitWithReasoning(
  { relay }: Deps,
  { params, candidates, exchanges }: SizedRequest,
): Promise<number | undefined> {
  if (params.maxOutputTokens !== undefined) return undefined;
  const { wire, defaultMaxTokens } = exchanges.call;
  for (const candidate of candidates) {
    const vendorWire = relay.channels.supportedWires.choose(candidate, wiresServing(wire));
    const upstream = vendorWire === undefined || vendorWire === wire ? undefined : textWire(vendorWire);
    if (upstream?.vendor?.raisedOutputLimit === undefined) continue;
    try {
      const { body } = await exchanges.make(upstream, candidate.upstreamModel);
      if (!Buffer.isBuffer(body)) return undefined;
      await inTurnsIfLong(findMembersInTurns(body));
      const limit = memberOf(body, upstream.vendor.raisedOutputLimit);
      return typeof limit === "number" && limit > defaultMaxTokens ? limit : undefined;
    } catch {
      return undefined; // the attempt in this wire reports the failure
    }
  }
  return undefined;
}

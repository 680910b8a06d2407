import type { ChannelKeyId } from "@modelgate/catalog";
import { inTurnsIfLong, type ServiceCall } from "@modelgate/platform";
import { admitVendorIds, noVendorIds, type AdmittedIds, type Exchange } from "@modelgate/relay";
import { isRecord, parseRecord, type JsonRecord } from "@modelgate/formats/json";
import { parseFrameRecord } from "@modelgate/formats/sse";
import { wires, type ClientWireName } from "@modelgate/wires/text";
import {
  createdIn,
  mayNameCreated,
  vendorIdsIn,
  type StoreDialect,
  type VendorId,
} from "@modelgate/wires/vendor-stores";
import type { Deps } from "./deps.ts";

/** Use of a vendor's store by a request. */
export interface StoreUse {
  /** Ids in the vendor's store that the request names. */
  readonly vendorIds?: readonly VendorId[] | undefined;
  /** True if the vendor may create objects in its store that the answer names. */
  readonly createsObjects?: boolean | undefined;
}

/** Extends the inspection of a body: its result also contains the use of the vendor's store. */
export function withStoreUse<Params extends object>(
  { relay }: Pick<Deps, "relay">,
  dialect: StoreDialect,
  readParams: (body: unknown) => Params,
): (body: unknown) => Promise<Params & StoreUse> {
  return async (body) => {
    const params = readParams(body);
    return { ...params, ...(await inTurnsIfLong(storeUseIn(relay, dialect, body))) };
  };
}

/**
 * Returns the ids of a vendor's store that a parsed body contains, and whether the request creates objects there. Yields
 * between steps, so that other calls can proceed.
 */
export function* storeUseIn(
  { catalog }: Pick<Deps["relay"], "catalog">,
  dialect: StoreDialect,
  body: unknown,
): Generator<undefined, StoreUse> {
  const vendorIds = yield* vendorIdsIn(dialect, body, catalog.current().vendorHosts);
  return { vendorIds, createsObjects: isRecord(body) && dialect.created?.isRequested(body) === true };
}

/** Checks the ids of a vendor's store in a request, as `admitVendorIds` does. Throws or rejects with Failure (400). */
export function admitStoreUse(
  { relay }: Pick<Deps, "relay">,
  call: Pick<ServiceCall, "caller">,
  { vendorIds = [] }: StoreUse,
): AdmittedIds | Promise<AdmittedIds> {
  return vendorIds.length === 0 ? noVendorIds : admitVendorIds(relay, call, vendorIds);
}

/** A call whose answer may name objects that the vendor created. */
export interface CreatingCall {
  readonly wire: ClientWireName;
  readonly params: StoreUse;
  readonly admitted?: AdmittedIds | undefined;
}

/**
 * Returns an exchange that records the objects which the vendor creates. For wires with stored answers,
 * `recordCreatedItems` does this.
 */
export function withRememberedIds(
  { relay }: Pick<Deps, "relay">,
  { caller }: Pick<ServiceCall, "caller">,
  { wire, params, admitted = noVendorIds }: CreatingCall,
  exchange: Exchange,
  channelKey: ChannelKeyId,
): Exchange {
  const { created }: StoreDialect = wires[wire].client.stores;
  if (
    params.createsObjects !== true ||
    wire !== exchange.wire ||
    created === undefined ||
    created.onlyIfStored === true
  )
    return exchange;
  // If accounts share the vendor's stores, the answer may name another account's objects, which must not be recorded.
  if (!admitted.canRecordIds) return exchange;
  const recordCreated = (bytes: Buffer, read: (bytes: Buffer) => JsonRecord | undefined): void => {
    const answer = mayNameCreated(created, bytes) ? read(bytes) : undefined;
    if (answer !== undefined) relay.createdIds.store(caller.accountId, createdIn(created, answer), channelKey);
  };
  return {
    ...exchange,
    read(head) {
      const reader = exchange.read(head);
      if (reader.kind === "stream") return { ...reader, observe: (frame) => recordCreated(frame, parseFrameRecord) };
      if (reader.kind !== "complete") return reader;
      return {
        ...reader,
        async read(bytes: Buffer) {
          const answer = await reader.read(bytes);
          recordCreated(bytes, (json) => parseRecord(json.toString()));
          return answer;
        },
      };
    },
  };
}

/** Returns the ids of removable items that the vendor of the route does not store. */
export function foreignItems({ removableItems }: AdmittedIds, channelKey: ChannelKeyId): ReadonlySet<string> {
  const foreignIds = [...removableItems].filter(([, creator]) => creator !== channelKey);
  return new Set(foreignIds.map(([id]) => id));
}

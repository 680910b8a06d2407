import type { Catalog, ChannelKeyId } from "@modelgate/catalog";
import { Failure } from "@modelgate/contracts";
import { inTurnsIfLong, type ServiceCall } from "@modelgate/platform";
import {
  maxVendorIds,
  vendorIdsIn,
  type StoreDialect,
  type VendorId,
  type VendorStore,
} from "@modelgate/wires/vendor-stores";
import type { RelayDeps } from "../deps.ts";

/** Result of checking the ids of stored objects in a request. */
export interface AdmittedIds {
  /**
   * Route that created the last of the objects with a known creator. It is tried first, because other vendor accounts
   * do not have the object.
   */
  readonly channelKey: ChannelKeyId | undefined;
  /** True if objects that the answer names may be recorded for the caller's account. */
  readonly canRecordIds: boolean;
  /** Items that can be removed from the request or sent without their id, each with the route that created it. */
  readonly removableItems: ReadonlyMap<string, ChannelKeyId | undefined>;
}

/** Result for a request without ids of stored objects. */
export const noVendorIds: AdmittedIds = { channelKey: undefined, canRecordIds: true, removableItems: new Map() };

/** Kinds of objects that a vendor may create during a call. Their ids are stored with the call's account. */
const creatableStores: ReadonlySet<VendorStore> = new Set(["file", "container", "item", "audio"]);

/**
 * Checks the ids of objects in a vendor's store, because all accounts share the operator's API key. Throws Failure
 * unsupported_parameter (400) for an object that this account did not create, and invalid_value for too many ids.
 */
export async function admitVendorIds(
  { catalog, createdIds }: Pick<RelayDeps, "catalog" | "createdIds">,
  { caller }: Pick<ServiceCall, "caller">,
  ids: readonly VendorId[],
): Promise<AdmittedIds> {
  const [first] = ids;
  if (first === undefined) return noVendorIds;
  if (ids.length > maxVendorIds)
    throw new Failure("invalid_value", `The request names more than ${maxVendorIds} objects in its vendor's store.`, {
      param: first.path,
    });
  const shared = isShared(catalog.current(), caller);
  const uncreatable = shared ? undefined : ids.find(({ store }) => !creatableStores.has(store));
  if (uncreatable !== undefined) throw foreignObjectFailure(uncreatable);
  const creators = await createdIds.find(caller.accountId, ids);
  const unknown = ids.find(({ isRemovable }, index) => creators[index] === undefined && isRemovable !== true);
  if (unknown !== undefined && !shared) throw foreignObjectFailure(unknown);
  const removable = ids.flatMap(({ id, isRemovable }, index) =>
    // In shared stores, only the vendor knows whether it has an item with an unknown creator.
    isRemovable === true && (creators[index] !== undefined || !shared) ? [[id, creators[index]] as const] : [],
  );
  return {
    channelKey: creators.findLast((each) => each !== undefined),
    canRecordIds: !shared || creators.every((each) => each !== undefined),
    removableItems: new Map(removable),
  };
}

/**
 * Refuses all ids of objects in a vendor's store, unless the caller's group shares the stores, or the id can be removed.
 */
export async function refuseVendorIds(
  deps: Pick<RelayDeps, "catalog">,
  call: Pick<ServiceCall, "caller">,
  request: BodyWithIds,
): Promise<void> {
  await inTurnsIfLong(refuseVendorIdsInTurns(deps, call, request));
}

/** A parsed body that may contain ids of stored objects. */
export interface BodyWithIds {
  readonly dialect: StoreDialect;
  readonly body: unknown;
}

/** Checks as `refuseVendorIds` does, in steps of a few milliseconds. */
export function* refuseVendorIdsInTurns(
  { catalog }: Pick<RelayDeps, "catalog">,
  { caller }: Pick<ServiceCall, "caller">,
  { dialect, body }: BodyWithIds,
): Generator<undefined, void> {
  const current = catalog.current();
  const ids = yield* vendorIdsIn(dialect, body, current.vendorHosts);
  const first = ids.find(({ isRemovable }) => isRemovable !== true);
  if (first !== undefined && !isShared(current, caller)) throw foreignObjectFailure(first);
}

function isShared(catalog: Catalog, { group }: ServiceCall["caller"]): boolean {
  return catalog.group(group)?.vendorStores === "shared";
}

function foreignObjectFailure({ store, path }: Pick<VendorId, "store" | "path">): Failure {
  const { does, instead } = hints[store];
  const reason = does ?? `names ${nouns[store]} that this account did not create through this gateway`;
  return new Failure(
    "unsupported_parameter",
    `${path} ${reason}. ${instead}, or ask the operator for vendorStores: shared.`,
    {
      param: path,
    },
  );
}

const inStore = (noun: string): string => `${noun} in the vendor's store`;

const nouns: Readonly<Record<VendorStore, string>> = {
  file: inStore("a file"),
  "vector-store": inStore("documents"),
  container: "a container at the vendor",
  conversation: inStore("a conversation"),
  item: inStore("an item"),
  response: inStore("a response"),
  prompt: inStore("a prompt"),
  cache: inStore("content"),
  audio: inStore("audio"),
  voice: inStore("a voice"),
  video: inStore("a video or a part of one"),
  "tool-server": inStore("a server"),
  "data-source": inStore("data"),
  skill: inStore("a skill"),
  profile: inStore("a profile"),
};

/** Error texts for each store. `does` replaces the default reason for a member that contains no id. */
const hints: Readonly<Record<VendorStore, { readonly does?: string; readonly instead: string }>> = {
  file: { instead: "Send the content itself" },
  "vector-store": { instead: "Send the content itself" },
  container: { instead: "Let the vendor open a new one" },
  conversation: { instead: "Send its messages, or use previous_response_id with responses" },
  item: { instead: "Send the item with its content" },
  response: { instead: "Send the messages themselves" },
  prompt: { instead: "Send the instructions themselves" },
  cache: { instead: "Send the content itself" },
  audio: { instead: "Send its transcript" },
  voice: { instead: "Use one of the vendor's public voices" },
  video: { instead: "Send the pictures, or remix one of your own tasks" },
  "tool-server": {
    does: "makes the vendor call a server on the operator's behalf",
    instead: "Call it yourself and offer its tools as functions",
  },
  "data-source": {
    does: "makes the vendor read data on the operator's behalf",
    instead: "Send the content itself",
  },
  skill: { instead: "Send its instructions themselves" },
  profile: { instead: "Leave it out" },
};

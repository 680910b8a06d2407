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

/** A call whose ids are checked. */
export type NamingCall = Pick<ServiceCall, "caller">;

/** Ids in vendors' stores that a request may use. */
export interface AdmittedIds {
  /**
   * Route (`channel/key`) that created an object which the request names; tried first, because no other vendor account
   * has it.
   */
  readonly channelKey: ChannelKeyId | undefined;
  /** True if all objects that the request names were created for its account. */
  readonly own: boolean;
  /** Items that the request carries with their content, by their ids, each with the route that created it. */
  readonly carried: ReadonlyMap<string, ChannelKeyId | undefined>;
}

/** Result for a request that names no object in a vendor's store. */
export const noVendorIds: AdmittedIds = { channelKey: undefined, own: true, carried: new Map() };

/**
 * Kinds of objects that a vendor may create in its store during a call; their ids are remembered with the call's
 * account.
 */
const makable: ReadonlySet<VendorStore> = new Set(["file", "container", "item", "audio"]);

/**
 * Checks the ids of a vendor's store that a request names; all accounts share the store behind the operator's key.
 * Throws Failure unsupported_parameter (400) for an object that this account did not create through this gateway and
 * whose content the request lacks, unless its group shares vendors' stores; invalid_value for a body that names too
 * many. A request without such ids costs nothing.
 */
export async function admitVendorIds(
  { catalog, madeIds }: Pick<RelayDeps, "catalog" | "madeIds">,
  { caller }: NamingCall,
  ids: readonly VendorId[],
): Promise<AdmittedIds> {
  const [first] = ids;
  if (first === undefined) return noVendorIds;
  if (ids.length > maxVendorIds)
    throw new Failure("invalid_value", `The request names more than ${maxVendorIds} things in its vendor's store.`, {
      param: first.path,
    });
  const shared = isShared(catalog.current(), caller);
  const unmade = shared ? undefined : ids.find(({ store }) => !makable.has(store));
  if (unmade !== undefined) throw foreign(unmade);
  const makers = await madeIds.find(caller.accountId, ids);
  const unknown = ids.find(({ isCarried }, at) => makers[at] === undefined && isCarried !== true);
  if (unknown !== undefined && !shared) throw foreign(unknown);
  const carried = ids.flatMap(({ id, isCarried }, at) =>
    // In a shared store, the vendor itself knows whether it has an item.
    isCarried === true && (makers[at] !== undefined || !shared) ? [[id, makers[at]] as const] : [],
  );
  return {
    channelKey: makers.find((each) => each !== undefined),
    own: !shared || makers.every((each) => each !== undefined),
    carried: new Map(carried),
  };
}

/**
 * Refuses all ids in a vendor's store, unless the group shares vendors' stores. For calls whose answers create no
 * objects that are remembered.
 */
export async function refuseVendorIds(
  deps: Pick<RelayDeps, "catalog">,
  call: NamingCall,
  named: NamingBody,
): Promise<void> {
  await inTurnsIfLong(refuseVendorIdsInTurns(deps, call, named));
}

/** A parsed body that may contain ids of vendors' stores. */
export interface NamingBody {
  readonly dialect: StoreDialect;
  readonly body: unknown;
}

/** Does the check of `refuseVendorIds` in steps of a few milliseconds. */
export function* refuseVendorIdsInTurns(
  { catalog }: Pick<RelayDeps, "catalog">,
  { caller }: NamingCall,
  { dialect, body }: NamingBody,
): Generator<undefined, void> {
  const current = catalog.current();
  const ids = yield* vendorIdsIn(dialect, body, current.vendorHosts);
  const first = ids.find(({ isCarried }) => isCarried !== true);
  if (first !== undefined && !isShared(current, caller)) throw foreign(first);
}

function isShared(catalog: Catalog, { group }: NamingCall["caller"]): boolean {
  return catalog.group(group)?.vendorStores === "shared";
}

/** Creates the failure of a request that names an object which its account may not use. */
function foreign({ store, path }: Pick<VendorId, "store" | "path">): Failure {
  const { does, instead } = hints[store];
  const reason = does ?? `names ${nouns[store]} that this account did not make through this gateway`;
  return new Failure(
    "unsupported_parameter",
    `${path} ${reason}. ${instead}, or ask the operator for vendorStores: shared.`,
    {
      param: path,
    },
  );
}

const inStore = (what: string): string => `${what} in the vendor's store`;

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

/** Advice on what to send instead, for each store; `does` describes a member that contains no id itself. */
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
  voice: { instead: "Use a voice that the vendor has for everybody" },
  video: { instead: "Send pictures themselves, or remix a task of yours" },
  "tool-server": {
    does: "has the vendor call a server in the operator's name",
    instead: "Call it yourself and offer its tools as functions",
  },
  "data-source": {
    does: "has the vendor read data in the operator's name",
    instead: "Send the content itself",
  },
  skill: { instead: "Send its instructions themselves" },
  profile: { instead: "Leave it out" },
};

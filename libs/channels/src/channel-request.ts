import type { CatalogChannel, ChannelKey } from "@modelgate/catalog";
import { inTurnsIfLong } from "@modelgate/platform";
import { signRequest, type Provider, type SigningCall, type VendorRequest } from "@modelgate/providers";
import { findMembersInTurns, membersOf, spliceInTurns } from "@modelgate/formats/json";
import type { SendState, UpstreamRequest } from "./attempt-plan.ts";

/** Channel, key and vendor of a request. */
export interface RequestRoute {
  readonly channel: Pick<CatalogChannel, "baseUrl" | "proxy"> &
    Partial<Pick<CatalogChannel, "headers" | "defaults" | "force">>;
  readonly key: Pick<ChannelKey, "secret">;
  readonly provider: Pick<Provider, "sign">;
}

/** Values of a request that do not come from the channel's configuration. */
interface RequestOptions {
  readonly timeoutMs: number;
  readonly state?: SendState | undefined;
  /**
   * True if the request starts an answer or a task, so that the channel's body members are added to it. Absent for
   * polls, cancellations and downloads.
   */
  readonly addsMembers?: boolean | undefined;
  /** Headers that are added to those of the request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Current time in Unix ms; absent: that of the clock. */
  readonly nowMs?: number | undefined;
}

/**
 * Completes a request to a channel's vendor: adds the channel's proxy and headers, its body members if `addsMembers` is
 * true, and the authorization that the provider's `sign` creates. Returns a promise only if the provider signs, or body
 * members are added. Rejects with CredentialsFailed.
 */
export function channelRequest(
  { url, method, headers, body }: VendorRequest,
  { channel, key, provider }: RequestRoute,
  { timeoutMs, state, addsMembers, headers: requestHeaders, nowMs = Date.now() }: RequestOptions,
): UpstreamRequest | Promise<UpstreamRequest> {
  const { baseUrl, proxy, headers: channelHeaders, defaults, force } = channel;
  const all =
    requestHeaders === undefined && channelHeaders === undefined
      ? headers
      : { ...headers, ...channelHeaders, ...requestHeaders };
  const isReplaced = (name: string): boolean => Object.hasOwn(requestHeaders ?? {}, name);
  const added =
    channelHeaders === undefined
      ? undefined
      : pathsOf(
          "headers",
          Object.keys(channelHeaders).filter((name) => !isReplaced(name)),
        );
  const unsigned = { url, method, headers: all, body, timeoutMs, state, added, proxy };
  const signing = { baseUrl, key: key.secret, nowMs };
  if (addsMembers === true && (defaults !== undefined || force !== undefined))
    return signChanged(unsigned, channel, provider, signing);
  return provider.sign === undefined ? unsigned : signRequest(provider, unsigned, signing);
}

/**
 * Adds the channel's `defaults` that the request does not have, and sets its `force` members, in a JSON body. Then
 * signs the request. Other bodies are signed unchanged.
 */
async function signChanged(
  request: UpstreamRequest,
  { defaults = {}, force = {} }: Pick<CatalogChannel, "defaults" | "force">,
  provider: RequestRoute["provider"],
  signing: SigningCall,
): Promise<UpstreamRequest> {
  const { body, headers, added = [] } = request;
  if (!Buffer.isBuffer(body) || headers["content-type"]?.startsWith("application/json") !== true)
    return signRequest(provider, request, signing);
  await inTurnsIfLong(findMembersInTurns(body));
  const members = membersOf(body);
  const present = new Set(members.map(({ name }) => name));
  const missing = Object.entries(defaults).filter(([name]) => !present.has(name));
  const values = { ...Object.fromEntries(missing), ...force };
  const changed = await inTurnsIfLong(spliceInTurns(body, values, members));
  const defaultNames = missing.map(([name]) => name).filter((name) => !Object.hasOwn(force, name));
  const names = [...added, ...pathsOf("defaults", defaultNames), ...pathsOf("force", Object.keys(force))];
  return signRequest(provider, { ...request, body: changed, added: names }, signing);
}

/** Returns the paths of names in a channel's configuration. */
function pathsOf(member: "headers" | "defaults" | "force", names: readonly string[]): readonly string[] {
  return names.map((name) => `${member}.${name}`);
}

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

interface RequestOptions {
  readonly timeoutMs: number;
  readonly state?: SendState | undefined;
  /** True if the channel's `defaults` and `force` members are added to the body. */
  readonly addsMembers?: boolean | undefined;
  /** Additional headers. They replace the channel's headers of the same name. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Current time in Unix ms. */
  readonly nowMs?: number | undefined;
}

/** Adds the channel's proxy, headers and body members to a request, and signs it. Rejects with CredentialsFailed. */
export function prepareChannelRequest(
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
    return signChangedBody(unsigned, channel, provider, signing);
  return provider.sign === undefined ? unsigned : signRequest(provider, unsigned, signing);
}

/** Adds the channel's `defaults` and `force` members to a JSON body, then signs the request. */
async function signChangedBody(
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

function pathsOf(member: "headers" | "defaults" | "force", names: readonly string[]): readonly string[] {
  return names.map((name) => `${member}.${name}`);
}

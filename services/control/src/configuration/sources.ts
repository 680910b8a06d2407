import { resolve, sep } from "node:path";
import {
  noProxy,
  type ChannelConfiguration,
  type Configuration,
  type ConfigurationProblem,
} from "@modelgate/contracts";
import { providers, type Provider } from "@modelgate/providers";
import { hiddenSecret } from "./documents.ts";
import { insertVariables, hasVariables, defaultKeys, variablesIn, type EnvVariables } from "./resolve.ts";
import { unsafeAddress } from "./addresses.ts";

/** Sources from which a configuration from the console or the API may read keys and addresses. */
export interface AllowedSources {
  /** Folder whose files keys may name. */
  readonly keysFolder: string | undefined;
  /** Environment variables that keys and addresses may name. */
  readonly variables: ReadonlySet<string>;
  /** Addresses of stores and services. Vendors must not use their ports. */
  readonly internalAddresses: readonly string[];
}

/** Context in which a changed configuration is checked. */
export interface SourceCheck extends AllowedSources {
  /** Configuration before the change; undefined if there is no readable one. */
  readonly before: Configuration | undefined;
  readonly environment: EnvVariables;
}

/** Variables in vendors' addresses, such as a region, which are not secret. */
const addressVariables: ReadonlySet<string> = new Set(
  Object.values(providers).flatMap(({ baseUrl = "" }) => variablesIn(baseUrl)),
);

/**
 * Checks a configuration from the console or the API. Returns secrets that it must not use at an address, and addresses
 * that it must not use. A channel may keep what it already used at the same address.
 */
export function sourceProblems(
  { channels, proxy }: Configuration,
  check: SourceCheck,
): readonly ConfigurationProblem[] {
  const wrongProxy = proxyProblem(proxy, check.before?.proxy, check);
  return [
    ...(wrongProxy === undefined ? [] : [{ path: "proxy", message: wrongProxy }]),
    ...channels.flatMap((channel, at) => {
      const before = check.before?.channels.find(({ id }) => id === channel.id);
      const problems = channelProblems(
        { proxy, ...channel },
        before && { proxy: check.before?.proxy, ...before },
        check,
      );
      const problem = proxyProblem(channel.proxy, before?.proxy, check);
      return [...problems, ...(problem === undefined ? [] : [{ path: "proxy", message: problem }])].map(
        ({ path, message }) => ({ path: `channels[${at}].${path}`, message }),
      );
    }),
  ];
}

/** Lists keys and header values that are only the placeholder of a hidden one. */
export function hiddenProblems({ channels }: Configuration): readonly ConfigurationProblem[] {
  return channels.flatMap(({ keys = [], headers = {} }, at) => {
    const values = [
      ...keys.map((key, index) => ({ path: `keys[${index}]`, value: key })),
      ...Object.entries(headers).map(([name, value]) => ({ path: `headers.${name}`, value })),
    ];
    const hidden = values.filter(({ value }) => value === hiddenSecret);
    return hidden.map(({ path }) => ({ path: `channels[${at}].${path}`, message: "is hidden: enter its value again" }));
  });
}

/** Returns the reason why a proxy must not be used. */
function proxyProblem(
  proxy: string | undefined,
  before: string | undefined,
  { variables, internalAddresses }: SourceCheck,
): string | undefined {
  if (proxy === undefined || proxy === before || proxy === noProxy) return undefined;
  if (!proxy.startsWith("env:")) return unsafeAddress(proxy, internalAddresses);
  const name = proxy.slice("env:".length);
  return variables.has(name) ? undefined : `names ${name}, which is not allowed: add it to CONFIG_VARIABLES`;
}

/** A channel with its proxy or the default one. */
type ProxiedChannel = Omit<ChannelConfiguration, "proxy"> & { readonly proxy: string | undefined };

function channelProblems(
  channel: ProxiedChannel,
  before: ProxiedChannel | undefined,
  check: SourceCheck,
): readonly ConfigurationProblem[] {
  const { baseUrl } = channel;
  const origin = originOf(channel, check.environment);
  // Without TLS, a proxy can read keys, so a new proxy is treated like a new address.
  const isSameAddress =
    before !== undefined &&
    originOf(before, check.environment) === origin &&
    (origin.startsWith("https:") || before.proxy === channel.proxy);
  const unchangedKeys = new Set(isSameAddress ? keysOf(before) : []);
  const refusedVariable =
    baseUrl === undefined || baseUrl === before?.baseUrl
      ? undefined
      : variablesIn(baseUrl).find((name) => !addressVariables.has(name) && !check.variables.has(name));
  if (refusedVariable !== undefined) return [{ path: "baseUrl", message: refusedVariableMessage(refusedVariable) }];
  const unsafe = isSameAddress ? undefined : unsafeAddress(origin, check.internalAddresses);
  return [
    ...(unsafe === undefined ? [] : [{ path: "baseUrl", message: unsafe }]),
    ...headerProblems(channel, isSameAddress ? before : undefined, check),
    ...keysOf(channel).flatMap((key, index) => {
      const message = unchangedKeys.has(key) ? undefined : keyProblem(key, channel, check);
      return message === undefined ? [] : [{ path: channel.keys === undefined ? "keys" : `keys[${index}]`, message }];
    }),
  ];
}

/** Lists headers with references that must not be sent to the channel's address. */
function headerProblems(
  { headers = {} }: ProxiedChannel,
  before: ProxiedChannel | undefined,
  { variables }: SourceCheck,
): readonly ConfigurationProblem[] {
  return Object.entries(headers).flatMap(([header, value]) => {
    const [, kind, name = ""] = /^(env|kept):(.*)$/.exec(value) ?? [];
    if (kind === undefined || Object.values(before?.headers ?? {}).includes(value)) return [];
    if (kind === "env" && variables.has(name)) return [];
    const message =
      kind === "env"
        ? `names ${name}, which is not allowed: add it to CONFIG_VARIABLES`
        : "was entered for another channel or address: enter its value again";
    return [{ path: `headers.${header}`, message }];
  });
}

function keysOf({ keys, provider }: Pick<ChannelConfiguration, "keys" | "provider">): readonly string[] {
  return keys ?? defaultKeys(providers[provider]);
}

/** Returns the reason why a key must not be read from its source. */
function keyProblem(key: string, channel: ProxiedChannel, check: SourceCheck): string | undefined {
  const [, kind, name = ""] = /^(env|file|kept):(.*)$/.exec(key) ?? [];
  const provider = providers[channel.provider];
  if (kind === "kept") return "was entered for another channel or address: enter the key again";
  if (kind === "file") return fileProblem(name, check.keysFolder);
  if (kind === "env" && check.variables.has(name)) return undefined;
  if (kind === "env" && !isDefaultVariable(name)) return refusedVariableMessage(name);
  const isUsualKey = kind === "env" || (provider?.defaultKey !== undefined && key.startsWith(provider.defaultKey));
  if (!isUsualKey || isVendorAddress(channel, { provider, variable: name, environment: check.environment }))
    return undefined;
  return `is sent to its vendor's own address only: enter the key itself${kind === "env" ? `, or name ${name} in CONFIG_VARIABLES` : ""}`;
}

function isDefaultVariable(name: string): boolean {
  return Object.values(providers).some(({ keyVariable }) => keyVariable === name);
}

function refusedVariableMessage(name: string): string {
  return `names ${name}, which is not a vendor's usual variable: add it to CONFIG_VARIABLES`;
}

function fileProblem(path: string, folder: string | undefined): string | undefined {
  if (folder === undefined) return "names a file, which is not allowed: set CONFIG_KEYS_FOLDER to its folder";
  return resolve(path).startsWith(resolve(folder) + sep) ? undefined : `is not a file below ${folder}`;
}

/**
 * Returns whether the vendor's default key may be sent to a channel's address. Any address is allowed for an operator's
 * server, and for a vendor without a public address.
 */
function isVendorAddress(
  channel: ProxiedChannel,
  { provider, variable, environment }: { provider: Provider | undefined; variable: string; environment: EnvVariables },
): boolean {
  if (provider === undefined || (variable !== "" && provider.keyVariable !== variable)) return false;
  const { baseUrl, isLocal } = provider;
  if (channel.baseUrl === undefined || isLocal === true || baseUrl === undefined) return true;
  const vendorOrigin = originOf({ ...channel, baseUrl }, environment);
  const to = originOf(channel, environment);
  if (vendorOrigin === to) return true;
  // Regions and customers have sibling hosts, such as `eu.api.openai.com` and `dashscope-intl.aliyuncs.com`.
  const [, host = ""] = /^https:\/\/([^/]+)/.exec(baseUrl) ?? [];
  const domain = host.split(".").slice(1);
  if (domain.length < 2 || domain.slice(-2).some((label) => hasVariables(label))) return false;
  const pattern = domain.map((label) => (hasVariables(label) ? "[\\w-]+" : label)).join("\\.");
  return new RegExp(`^https://(?:[\\w-]+\\.)*[\\w-]+\\.${pattern}$`).test(to);
}

/** Returns the origin of a channel's address, or the address as configured if it is not a URL. Unset variables are empty. */
function originOf(
  { baseUrl, provider }: Pick<ChannelConfiguration, "baseUrl" | "provider">,
  environment: EnvVariables,
): string {
  const written = baseUrl ?? providers[provider]?.baseUrl ?? "";
  const { address } = insertVariables(written, environment);
  return URL.canParse(address) ? new URL(address).origin : written;
}

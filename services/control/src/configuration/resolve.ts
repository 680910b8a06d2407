import { readFile } from "node:fs/promises";
import type { ResolvedChannel } from "@modelgate/catalog";
import {
  isHeaderValue,
  isSendableKey,
  noProxy,
  proxyUrlProblem,
  type ChannelConfiguration,
  type Configuration,
} from "@modelgate/contracts";
import { providers, type Provider } from "@modelgate/providers";
import { baseUrlProblem } from "./addresses.ts";

/** Environment variables by name. */
export type EnvVariables = Readonly<Record<string, string | undefined>>;
/** Vendor keys and values of headers in the books, by the id in `kept:id`. */
export type StoredKeys = ReadonlyMap<string, string>;

const keyFilePrefix = "file:";
const variableInAddress = /\$\{(\w+)\}/g;

/** Returns the names of the variables in an address. */
export function variablesIn(baseUrl: string): readonly string[] {
  return [...baseUrl.matchAll(variableInAddress)].map(([, name = ""]) => name);
}

/** Inserts variables into an address. `missing` are variables that are not set. */
export function insertVariables(
  written: string,
  environment: EnvVariables,
): { readonly address: string; readonly missing: readonly string[] } {
  const missing = variablesIn(written).filter((name) => (environment[name] ?? "") === "");
  return { address: written.replaceAll(variableInAddress, (_, name: string) => environment[name] ?? ""), missing };
}

/** Returns true if an address contains variables. */
export function hasVariables(baseUrl: string): boolean {
  return baseUrl.search(variableInAddress) >= 0;
}

/**
 * Resolves references in keys, proxies and addresses. A channel that cannot be resolved is disabled with the reason, so
 * that it does not stop the others.
 */
export function resolveChannels(
  { channels, proxy }: Configuration,
  environment: EnvVariables,
  storedKeys: StoredKeys = new Map(),
): Promise<readonly ResolvedChannel[]> {
  return Promise.all(
    channels.map((channel) =>
      resolveChannel(proxy === undefined ? channel : { proxy, ...channel }, environment, storedKeys),
    ),
  );
}

/** Returns whether a configuration has key files. */
export function hasKeyFiles({ channels }: Configuration): boolean {
  return channels.some(({ keys }) => keys?.some((written) => written.startsWith(keyFilePrefix)));
}

async function resolveChannel(
  configuration: ChannelConfiguration,
  environment: EnvVariables,
  storedKeys: StoredKeys,
): Promise<ResolvedChannel> {
  const provider = providers[configuration.provider];
  const { baseUrl: written = provider?.baseUrl ?? "", keys: named = defaultKeys(provider) } = configuration;
  const { address: baseUrl, missing } = insertVariables(written, environment);
  const addressProblems = missing.map((name) => `${name} is not set`);
  const { keys, keyProblems } = await resolveKeys(named, environment, storedKeys, provider);
  if (keys.length === 0 && configuration.keys === undefined && provider?.isLocal === true) keys.push(noKey);
  const problem = missing.length > 0 || provider === undefined ? undefined : baseUrlProblem(baseUrl, provider);
  if (problem !== undefined) addressProblems.push(`its base URL ${problem}`);
  const { problems: proxyProblems, ...proxy } = resolveProxy(configuration.proxy, environment);
  const { problems: headerProblems, ...headers } = resolveHeaders(configuration.headers, environment, storedKeys);
  const reasons = [...addressProblems, ...proxyProblems, ...headerProblems, ...(keys.length === 0 ? keyProblems : [])];
  // Operators see the configured address if the result is invalid, because a variable may contain a misplaced secret.
  return {
    configuration,
    baseUrl: problem === undefined ? baseUrl : written,
    keys,
    ...proxy,
    ...headers,
    ...(reasons.length > 0 ? { off: reasons.join("; ") } : {}),
  };
}

/**
 * Returns the URL of a channel's proxy, or problems without the URL. A channel with problems must not connect without
 * its proxy.
 */
export function resolveProxy(
  written: string | undefined,
  environment: EnvVariables,
): { readonly proxy?: string; readonly problems: readonly string[] } {
  if (written === undefined || written === noProxy) return { problems: [] };
  if (!written.startsWith("env:")) return { proxy: written, problems: [] };
  const name = written.slice("env:".length);
  const url = environment[name]?.trim() ?? "";
  const problem = url === "" ? "is not set" : proxyUrlProblem(url);
  return problem === undefined ? { proxy: url, problems: [] } : { problems: [`${name} ${problem}`] };
}

/**
 * Returns a channel's headers, with names in lower case and references replaced by their values, and the problems of
 * these values.
 */
function resolveHeaders(
  written: ChannelConfiguration["headers"],
  environment: EnvVariables,
  storedKeys: StoredKeys,
): { readonly headers?: Readonly<Record<string, string>>; readonly problems: readonly string[] } {
  if (written === undefined) return { problems: [] };
  const problems: string[] = [];
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(written)) {
    const [, kind, reference = ""] = /^(env|kept):(.*)$/.exec(value) ?? [];
    const stored = kind === "kept" ? storedKeys.get(reference) : value;
    const text = kind === "env" ? (environment[reference]?.trim() ?? "") : (stored ?? "");
    if (kind === "env" && text === "") problems.push(`${reference} is not set`);
    else if (stored === undefined) problems.push(`the header ${name} cannot be decrypted: enter its value again`);
    else if (!isHeaderValue(text))
      problems.push(`${kind === "env" ? reference : name} contains characters that are not allowed in a header`);
    headers[name.toLowerCase()] = text;
  }
  return { headers, problems };
}

const noKey = "none";

/** Returns the keys of a channel whose configuration names none. */
export function defaultKeys(provider: Provider | undefined): readonly string[] {
  if (provider?.defaultKey !== undefined) return [provider.defaultKey];
  return provider?.keyVariable === undefined ? [] : [`env:${provider.keyVariable}`];
}

/** Returns the usable keys, and problems of the others. */
async function resolveKeys(
  named: readonly string[],
  environment: EnvVariables,
  storedKeys: StoredKeys,
  provider: Provider | undefined,
) {
  const keys: string[] = [];
  const keyProblems: string[] = [];
  for (const [index, written] of named.entries()) {
    const resolved = await resolveKey(written, environment, storedKeys);
    const problem = "key" in resolved ? keyProblem(resolved.key, provider) : undefined;
    if (problem !== undefined) keyProblems.push(`${describeSource(written, index)} ${problem}`);
    else if ("key" in resolved) keys.push(resolved.key);
    else keyProblems.push(resolved.problem);
  }
  return { keys, keyProblems };
}

/** Returns the reason why a key cannot be used, without the key. */
function keyProblem(key: string, provider: Provider | undefined): string | undefined {
  if (provider?.keyProblem !== undefined) return provider.keyProblem(key);
  if (!isSendableKey(key)) return "contains characters that are not allowed in a header";
  const form = provider?.keyForm;
  return form === undefined || form.pattern.test(key) ? undefined : `is not a key of the form ${form.description}`;
}

/** Describes the source of a key without the key. */
function describeSource(written: string, index: number): string {
  const [, name] = /^(?:env|file|kept):(.*)$/.exec(written) ?? [];
  return name ?? `keys[${index}]`;
}

async function resolveKey(
  written: string,
  environment: EnvVariables,
  storedKeys: StoredKeys,
): Promise<{ readonly key: string } | { readonly problem: string }> {
  if (written.startsWith("kept:")) {
    const key = storedKeys.get(written.slice("kept:".length));
    return key === undefined ? { problem: `${written} cannot be decrypted: paste the key again` } : { key };
  }
  if (written.startsWith("env:")) {
    const name = written.slice("env:".length);
    const key = environment[name]?.trim();
    return key === undefined || key === "" ? { problem: `${name} is not set` } : { key };
  }
  if (written.startsWith(keyFilePrefix)) {
    const path = written.slice(keyFilePrefix.length);
    try {
      const key = (await readFile(path, "utf8")).trim();
      return key === "" ? { problem: `${path} is empty` } : { key };
    } catch {
      return { problem: `${path} cannot be read` };
    }
  }
  return { key: written };
}

/** Returns all environment variables. A configuration file may name any of them, because an operator writes it. */
export function environmentVariables(): Readonly<Record<string, string | undefined>> {
  // oxlint-disable-next-line no-restricted-properties
  return process.env;
}

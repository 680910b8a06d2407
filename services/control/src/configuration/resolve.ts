import { readFile } from "node:fs/promises";
import type { ResolvedChannel } from "@modelgate/catalog";
import type { ChannelConfiguration, Configuration } from "@modelgate/contracts";

type Names = Readonly<Record<string, string | undefined>>;

/**
 * Fills in what the environment and key files hold: `env:NAME` and `file:/path` in keys, `${NAME}` in addresses. A
 * channel with an address or all keys missing is switched off with the reason: one unset variable must not stop the rest.
 */
export function resolveChannels({ channels }: Configuration, names: Names): Promise<readonly ResolvedChannel[]> {
  return Promise.all(channels.map((channel) => resolveChannel(channel, names)));
}

async function resolveChannel(configuration: ChannelConfiguration, names: Names): Promise<ResolvedChannel> {
  const missing: string[] = [];
  const baseUrl = configuration.baseUrl.replaceAll(/\$\{(\w+)\}/g, (_, name: string) => {
    const value = names[name];
    if (value === undefined || value === "") missing.push(`${name} is not set`);
    return value ?? "";
  });
  const keys: string[] = [];
  const absent: string[] = [];
  for (const written of configuration.keys) {
    const key = await resolveKey(written, names);
    if ("key" in key) keys.push(key.key);
    else absent.push(key.absent);
  }
  if (missing.length === 0 && !URL.canParse(baseUrl)) missing.push("its base URL is no URL");
  const reasons = [...missing, ...(keys.length === 0 ? absent : [])];
  return { configuration, baseUrl, keys, ...(reasons.length > 0 ? { off: reasons.join("; ") } : {}) };
}

async function resolveKey(
  written: string,
  names: Names,
): Promise<{ readonly key: string } | { readonly absent: string }> {
  if (written.startsWith("env:")) {
    const name = written.slice("env:".length);
    const key = names[name]?.trim();
    return key === undefined || key === "" ? { absent: `${name} is not set` } : { key };
  }
  if (written.startsWith("file:")) {
    const path = written.slice("file:".length);
    try {
      const key = (await readFile(path, "utf8")).trim();
      return key === "" ? { absent: `${path} is empty` } : { key };
    } catch {
      return { absent: `${path} cannot be read` };
    }
  }
  return { key: written };
}

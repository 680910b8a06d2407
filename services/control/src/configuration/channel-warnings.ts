import type { ResolvedChannel } from "@modelgate/catalog";
import {
  modelPaths,
  videoWires,
  wiresOfKind,
  type Configuration,
  type ConfigurationProblem,
  type UpstreamWire,
} from "@modelgate/contracts";
import { providers, type Provider } from "@modelgate/providers";

/** Returns warnings about probable mistakes in channels. */
export function channelWarnings(
  models: Configuration["models"],
  channels: readonly ResolvedChannel[],
): readonly ConfigurationProblem[] {
  return channels.flatMap((channel, at) => {
    const provider = providers[channel.configuration.provider];
    if (provider === undefined) return [];
    return [
      ...repeatedPathWarnings(channel, provider),
      ...otherKindWarnings(models, channel, provider),
      ...missingListWarnings(channel, provider),
      ...unservedWarnings(channel),
    ].map(({ path, message }) => ({ path: `channels[${at}].${path}`, message }));
  });
}

/** Warns of a base URL whose end repeats the beginning of the vendor's paths. */
function repeatedPathWarnings({ configuration, baseUrl, off }: ResolvedChannel, provider: Provider) {
  const [wire] = configuration.wires ?? provider.wires;
  if (off !== undefined || wire === undefined) return [];
  const { origin, pathname } = addressAt(baseUrl, wire, provider);
  const [, repeated] = /((?:\/[\w-]+)+)\1(?:\/|$)/.exec(pathname) ?? [];
  return repeated === undefined
    ? []
    : [{ path: "baseUrl", message: `leads to ${origin}${pathname}: leave out one ${repeated}` }];
}

function addressAt(baseUrl: string, wire: UpstreamWire, provider: Provider): URL {
  const call = { baseUrl, key: "", nowMs: 0, wire };
  return videoWires.some((video) => video === wire)
    ? provider.request({ act: "poll", ...call, task: "0" }).url
    : provider.request({ act: "answer", ...call, model: "m", stream: false, body: Buffer.from("{}") }).url;
}

function otherKindWarnings(models: Configuration["models"], { configuration }: ResolvedChannel, provider: Provider) {
  const supported = configuration.wires ?? provider.wires;
  return modelPaths(configuration).flatMap(({ model, path }) => {
    const kind = models[model]?.kind;
    if (kind === undefined || wiresOfKind[kind].some((wire) => supported.includes(wire))) return [];
    return [{ path, message: `is for ${kind}, and this channel has no wire for it: it serves no calls of that model` }];
  });
}

const maxNames = 10;

/** Warns of listed models that a channel does not serve, because other channels serve them. */
function unservedWarnings({ unserved = [] }: ResolvedChannel) {
  if (unserved.length === 0) return [];
  const more = unserved.length > maxNames ? ` and ${unserved.length - maxNames} more` : "";
  const names = unserved.slice(0, maxNames).join(", ") + more;
  return [
    {
      path: "models",
      message: `does not serve ${names}: other channels already do, so this channel must name what it also serves`,
    },
  ];
}

/** Warns of a channel for all listed models if its vendor has no list. */
function missingListWarnings({ configuration: { models } }: ResolvedChannel, { name, modelsAt }: Provider) {
  return models === "*" && modelsAt === undefined
    ? [{ path: "models", message: `cannot be "*": ${name} does not list its models` }]
    : [];
}

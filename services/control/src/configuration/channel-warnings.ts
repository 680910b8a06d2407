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

/** Default of `ChannelConfiguration.timeoutMs`. */
const usualTimeoutMs = 600_000;

/**
 * Returns warnings about channel fields without effect: models that are never requested from its vendor, a repeated
 * address, a timeout that is never reached.
 */
export function channelWarnings(
  models: Configuration["models"],
  channels: readonly ResolvedChannel[],
): readonly ConfigurationProblem[] {
  return channels.flatMap((channel, at) => {
    const provider = providers[channel.configuration.provider];
    if (provider === undefined) return [];
    return [
      ...addressTwice(channel, provider),
      ...modelsOfOtherKinds(models, channel, provider),
      ...lateFirstByte(channel),
      ...noList(channel, provider),
      ...servedByOthers(channel),
    ].map(({ path, message }) => ({ path: `channels[${at}].${path}`, message }));
  });
}

/** Warns of a base URL that ends with the beginning of the vendor's paths. */
function addressTwice({ configuration, baseUrl, off }: ResolvedChannel, provider: Provider) {
  const [wire] = configuration.wires ?? provider.wires;
  if (off !== undefined || wire === undefined) return [];
  const { origin, pathname } = addressAt(baseUrl, wire, provider);
  const [, twice] = /((?:\/[\w-]+)+)\1(?:\/|$)/.exec(pathname) ?? [];
  return twice === undefined
    ? []
    : [{ path: "baseUrl", message: `leads to ${origin}${pathname}: leave out one ${twice}` }];
}

function addressAt(baseUrl: string, wire: UpstreamWire, provider: Provider): URL {
  const call = { baseUrl, key: "", nowMs: 0, wire };
  return videoWires.some((video) => video === wire)
    ? provider.request({ act: "poll", ...call, task: "0" }).url
    : provider.request({ act: "answer", ...call, model: "m", stream: false, body: Buffer.from("{}") }).url;
}

function modelsOfOtherKinds(models: Configuration["models"], { configuration }: ResolvedChannel, provider: Provider) {
  const supported = configuration.wires ?? provider.wires;
  return modelPaths(configuration).flatMap(({ model, path }) => {
    const kind = models[model]?.kind;
    if (kind === undefined || wiresOfKind[kind].some((wire) => supported.includes(wire))) return [];
    return [{ path, message: `is for ${kind}, and this channel has no wire for it: it serves no calls of that model` }];
  });
}

function lateFirstByte({ configuration }: ResolvedChannel) {
  const { firstByteTimeoutMs = 0, timeoutMs = usualTimeoutMs } = configuration;
  if (firstByteTimeoutMs <= timeoutMs) return [];
  return [{ path: "firstByteTimeoutMs", message: `is never reached: timeoutMs, ${timeoutMs}, ends the wait before` }];
}

/** Maximum names in one warning. */
const shownNames = 10;

/** Warns of models that a vendor lists and that other channels already serve. */
function servedByOthers({ unserved = [] }: ResolvedChannel) {
  if (unserved.length === 0) return [];
  const more = unserved.length > shownNames ? ` and ${unserved.length - shownNames} more` : "";
  const names = unserved.slice(0, shownNames).join(", ") + more;
  return [
    { path: "models", message: `does not serve ${names}: others serve that already, so a channel has to name it` },
  ];
}

/** Warns of a channel that serves a vendor's model list which is empty. */
function noList({ configuration: { models } }: ResolvedChannel, { name, modelsAt }: Provider) {
  return models === "*" && modelsAt === undefined
    ? [{ path: "models", message: `cannot be "*": ${name} lists no models` }]
    : [];
}

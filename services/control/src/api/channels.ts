import type { CatalogChannel, CatalogHandle } from "@modelgate/catalog";
import { readChannelStates, readText, switchChannel, type ChannelStates, type Transport } from "@modelgate/channels";
import { Failure, videoWires, type UpstreamWire, type VideoWire } from "@modelgate/contracts";
import type { Redis } from "@modelgate/platform";
import { cleanWords, providers } from "@modelgate/providers";
import { probe } from "./probe.ts";
import { fields } from "./fields.ts";
import type { OperatorRoutes } from "./router.ts";

export interface ChannelRouteDeps {
  readonly redis: Redis;
  readonly catalog: CatalogHandle;
  readonly transport: Transport;
}

/** Longest wait for the answer of a channel's test, and how much of it is read. */
const testMs = 30_000;
const testBytes = 4_096;

export function channelRoutes({ redis, catalog, transport }: ChannelRouteDeps): OperatorRoutes {
  const find = (id: string | undefined): CatalogChannel => {
    const channel = catalog.current().channels.find((known) => known.id === id);
    if (channel === undefined)
      throw new Failure("unknown_url", `There is no channel ${JSON.stringify((id ?? "").slice(0, 100))}.`);
    return channel;
  };
  const show = async (id: string | undefined) => shown(find(id), await readChannelStates(redis));
  const switched = async (id: string | undefined, on: boolean, body: unknown) => {
    await switchChannel(redis, find(id).id, on, fields.optionalText(body, "reason") ?? "by an operator");
    return show(id);
  };
  return {
    "GET /channels": async () => {
      const states = await readChannelStates(redis);
      return catalog.current().channels.map((channel) => shown(channel, states));
    },
    "GET /channels/{id}": ({ params }) => show(params["id"]),
    "POST /channels/{id}/disable": ({ params, body }) => switched(params["id"], false, body),
    "POST /channels/{id}/enable": ({ params, body }) => switched(params["id"], true, body),
    "POST /channels/{id}/test": ({ params }) => test(find(params["id"]), transport),
  };
}

function shown(channel: CatalogChannel, states: ChannelStates) {
  const keys = channel.keys.map(({ id }) => ({ id, ...stateOf(states, [`${channel.id}/${id}`], undefined) }));
  return {
    id: channel.id,
    provider: channel.provider,
    baseUrl: channel.baseUrl,
    models: [...channel.models.keys()],
    groups: channel.groups === undefined ? "all" : [...channel.groups],
    priority: channel.priority,
    weight: channel.weight,
    maxConcurrency: channel.maxConcurrency ?? null,
    ...stateOf(states, [channel.id], channel.off),
    keys,
  };
}

/** ok, resting (cool-down), disabled (by an operator) or off (a key or an address is missing), why, and since when. */
function stateOf(states: ChannelStates, places: readonly string[], off: string | undefined) {
  if (off !== undefined) return { state: "off", reason: off };
  for (const place of places) {
    const switched = states.switched.get(place);
    if (switched !== undefined) return { state: "disabled", reason: switched.reason, since: switched.since };
    const rest = states.coolDowns.get(place);
    if (rest !== undefined && rest.until > Date.now())
      return { state: "resting", reason: rest.reason, since: rest.since, until: new Date(rest.until).toISOString() };
  }
  return { state: "ok" };
}

/** One small real call through a channel, with its first key and model; nobody is billed. */
async function test(channel: CatalogChannel, transport: Transport) {
  const provider = providers[channel.provider];
  const [key] = channel.keys;
  const [entry] = channel.models;
  if (provider === undefined || key === undefined || entry === undefined || channel.off !== undefined)
    throw new Failure("no_available_channel", `The channel is off: ${channel.off ?? "it has no key"}.`, {
      status: 409,
    });
  const [model, upstreamModel] = entry;
  const [wire] = channel.wires ?? provider.wires;
  if (wire === undefined || isVideoWire(wire))
    throw new Failure("no_available_channel", "The channel speaks no wire that can be tried for nothing.", {
      status: 409,
    });
  const startedAt = performance.now();
  try {
    const answer = await transport.send(
      {
        url: provider.address({ baseUrl: channel.baseUrl, wire, model: upstreamModel, stream: false }),
        method: "POST",
        headers: {
          "content-type": "application/json",
          "accept-encoding": "identity",
          ...provider.headers({ key: key.secret, wire }),
        },
        body: probe(wire, upstreamModel),
        timeoutMs: testMs,
      },
      AbortSignal.timeout(testMs),
    );
    const said = cleanWords(await readText(answer, testBytes));
    return {
      channel: channel.id,
      model,
      ok: answer.status < 300,
      status: answer.status,
      ms: Math.round(performance.now() - startedAt),
      said,
    };
  } catch (error) {
    return {
      channel: channel.id,
      model,
      ok: false,
      status: 0,
      ms: Math.round(performance.now() - startedAt),
      said: cleanWords(error instanceof Error ? error.message : String(error)),
    };
  }
}

function isVideoWire(wire: UpstreamWire): wire is VideoWire {
  return videoWires.some((known) => known === wire);
}

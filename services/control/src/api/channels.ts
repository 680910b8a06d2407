import type { CatalogChannel, CatalogHandle, ChannelKey } from "@modelgate/catalog";
import { readChannelStates, readSeats, readText, switchChannel, type Transport } from "@modelgate/channels";
import { Failure, videoWires, type UpstreamWire, type VideoWire } from "@modelgate/contracts";
import type { Redis } from "@modelgate/platform";
import { cleanWords, providers, type Provider, type VendorRequest } from "@modelgate/providers";
import { channelView } from "./channel-view.ts";
import { fields } from "./fields.ts";
import { probe } from "./probe.ts";
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
  const view = async (channels: readonly CatalogChannel[]) => {
    const [states, seats] = await Promise.all([readChannelStates(redis), readSeats(redis, channels)]);
    return channels.map((channel) => channelView(channel, { states, seats, now: Date.now() }));
  };
  const show = async (channel: CatalogChannel) => (await view([channel]))[0];
  const switched = async (id: string | undefined, on: boolean, body: unknown) => {
    const channel = find(id);
    const key = fields.optionalText(body, "key");
    const place = key === undefined ? channel.id : `${channel.id}/${keyOf(channel, key).id}`;
    await switchChannel(redis, place, on, fields.optionalText(body, "reason") ?? "by an operator");
    return show(channel);
  };
  return {
    "GET /channels": () => view(catalog.current().channels),
    "GET /channels/{id}": ({ params }) => show(find(params["id"])),
    "POST /channels/{id}/disable": ({ params, body }) => switched(params["id"], false, body),
    "POST /channels/{id}/enable": ({ params, body }) => switched(params["id"], true, body),
    "POST /channels/{id}/test": ({ params, body }) => test(find(params["id"]), body, transport),
  };
}

/** A key of a channel by its id. Throws Failure (404) for one that is not there. */
function keyOf(channel: CatalogChannel, id: string): ChannelKey {
  const key = channel.keys.find((known) => known.id === id);
  if (key === undefined)
    throw new Failure("unknown_url", `The channel ${channel.id} has no key ${JSON.stringify(id.slice(0, 100))}.`);
  return key;
}

/** The vendor's name of a model that a channel serves. Throws Failure (404) for another. */
function modelOf(channel: CatalogChannel, name: string): readonly [name: string, upstreamModel: string] {
  const upstreamModel = channel.models.get(name);
  if (upstreamModel === undefined)
    throw new Failure("unknown_url", `The channel ${channel.id} has no model ${JSON.stringify(name.slice(0, 200))}.`);
  return [name, upstreamModel];
}

/** One small real call through a channel, with the key and model that are named, or its first; nobody is billed. */
async function test(channel: CatalogChannel, body: unknown, transport: Transport) {
  const provider = providers[channel.provider];
  const [keyId, modelName] = [fields.optionalText(body, "key"), fields.optionalText(body, "model")];
  const key = keyId === undefined ? channel.keys[0] : keyOf(channel, keyId);
  const entry = modelName === undefined ? [...channel.models][0] : modelOf(channel, modelName);
  if (provider === undefined || key === undefined || entry === undefined || channel.off !== undefined)
    throw new Failure("no_available_channel", `The channel is off: ${channel.off ?? "it has no key"}.`, {
      status: 409,
    });
  const [model, upstreamModel] = entry;
  const [wire] = channel.wires ?? provider.wires;
  if (wire === undefined) throw new Failure("no_available_channel", "The channel speaks no wire.", { status: 409 });
  const request = isVideoWire(wire)
    ? videoLook(channel, provider, key.secret, wire)
    : callOf(channel, provider, key.secret, wire, upstreamModel);
  const startedAt = performance.now();
  try {
    const answer = await transport.send({ ...request, timeoutMs: testMs }, AbortSignal.timeout(testMs));
    const said = cleanWords(await readText(answer, testBytes));
    return {
      channel: channel.id,
      key: key.id,
      model,
      // A video costs too much for a test: a task is asked for that there is not, and a plain "no" is a good answer.
      ok: answer.status < 300 || (isVideoWire(wire) && [400, 404].includes(answer.status)),
      status: answer.status,
      ms: Math.round(performance.now() - startedAt),
      said,
    };
  } catch (error) {
    return {
      channel: channel.id,
      key: key.id,
      model,
      ok: false,
      status: 0,
      ms: Math.round(performance.now() - startedAt),
      said: cleanWords(error instanceof Error ? error.message : String(error)),
    };
  }
}

/** The smallest real call. */
function callOf(
  { baseUrl }: CatalogChannel,
  provider: Provider,
  key: string,
  wire: Exclude<UpstreamWire, VideoWire>,
  model: string,
): VendorRequest {
  return {
    url: provider.address({ baseUrl, wire, model, stream: false }),
    method: "POST",
    headers: { "content-type": "application/json", "accept-encoding": "identity", ...provider.headers({ key, wire }) },
    body: probe(wire, model),
  };
}

/** A look at a task that there is not. */
function videoLook({ baseUrl }: CatalogChannel, { video }: Provider, key: string, wire: VideoWire): VendorRequest {
  if (video === undefined)
    throw new Failure("no_available_channel", "The channel's provider makes no videos.", { status: 409 });
  const operation = video.operationOf("0", { model: "test", fromImage: false });
  return video.look({ baseUrl, key, wire, operation, nowMs: Date.now() });
}

function isVideoWire(wire: UpstreamWire): wire is VideoWire {
  return videoWires.some((known) => known === wire);
}

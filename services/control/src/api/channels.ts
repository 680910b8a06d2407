import { type CatalogChannel, type CatalogHandle, channelKeyId } from "@modelgate/catalog";
import { readCappedUsage, readChannelStates, readSeats, switchChannel, type Transport } from "@modelgate/channels";
import { Failure } from "@modelgate/contracts";
import type { OperatorRoutes, Redis } from "@modelgate/platform";
import { listChannelModels } from "./channel-models.ts";
import { keyOf, testChannel } from "./channel-test.ts";
import { channelView } from "./channel-view.ts";
import { fields } from "./fields.ts";

/** Dependencies of the channel routes. */
export interface ChannelRouteDeps {
  readonly redis: Redis;
  readonly catalog: CatalogHandle;
  readonly transport: Transport;
}

/** Routes that show, enable, disable and test channels and their keys. */
export function channelRoutes({ redis, catalog, transport }: ChannelRouteDeps): OperatorRoutes {
  const find = (id: string | undefined): CatalogChannel => {
    const channel = catalog.current().channels.find((candidate) => candidate.id === id);
    if (channel === undefined)
      throw new Failure("unknown_url", `There is no channel ${JSON.stringify((id ?? "").slice(0, 100))}.`);
    return channel;
  };
  const view = async (channels: readonly CatalogChannel[]) => {
    const [states, seats, capped] = await Promise.all([
      readChannelStates(redis),
      readSeats(redis, channels),
      readCappedUsage(redis),
    ]);
    return channels.map((channel) => channelView(channel, { states, seats, capped, now: Date.now() }));
  };
  const show = async (channel: CatalogChannel) => (await view([channel]))[0];
  const setEnabled = async (id: string | undefined, isEnabled: boolean, body: unknown) => {
    const channel = find(id);
    const key = fields.optionalText(body, "key");
    const scope = key === undefined ? channel.id : channelKeyId(channel.id, keyOf(channel, key).id);
    await switchChannel(redis, scope, isEnabled, fields.optionalText(body, "reason") ?? "by an operator");
    return show(channel);
  };
  return {
    "GET /channels": () => view(catalog.current().channels),
    "GET /channels/{id}": ({ params }) => show(find(params["id"])),
    "GET /channels/{id}/models": ({ params }) => listChannelModels(find(params["id"]), transport),
    "POST /channels/{id}/disable": ({ params, body }) => setEnabled(params["id"], false, body),
    "POST /channels/{id}/enable": ({ params, body }) => setEnabled(params["id"], true, body),
    "POST /channels/{id}/test": ({ params, body }) =>
      testChannel(find(params["id"]), body, { catalog: catalog.current(), transport }),
  };
}

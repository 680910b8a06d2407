import { type CatalogChannel, type CatalogHandle, channelKeyId } from "@modelgate/catalog";
import { readCappedUsage, readChannelStates, readSeats, switchChannel, type Transport } from "@modelgate/channels";
import { Failure } from "@modelgate/contracts";
import type { OperatorCall, OperatorRoutes, Redis } from "@modelgate/platform";
import type { Ledger } from "../ledger.ts";
import { listChannelModels } from "./channel-models.ts";
import { keyOf, testChannel } from "./channel-test.ts";
import { channelView } from "./channel-view.ts";
import { fields } from "./fields.ts";

/** Dependencies of the channel routes. */
export interface ChannelRouteDeps {
  readonly redis: Redis;
  readonly ledger: Ledger;
  readonly catalog: CatalogHandle;
  readonly transport: Transport;
}

/** Routes that show, enable, disable and test channels and their keys. */
export function channelRoutes({ redis, ledger, catalog, transport }: ChannelRouteDeps): OperatorRoutes {
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
  const setEnabled = async ({ params: { id }, body, actor }: OperatorCall, isEnabled: boolean) => {
    const channel = find(id);
    const key = fields.optionalText(body, "key");
    const reason = fields.optionalText(body, "reason");
    const scope = key === undefined ? channel.id : channelKeyId(channel.id, keyOf(channel, key).id);
    await switchChannel(redis, scope, isEnabled, reason ?? "by an operator");
    // Recorded afterwards, because a channel can also be disabled while the ledger is down.
    await recordSwitch(ledger, { name: scope, reason: isEnabled ? undefined : reason }, isEnabled, actor);
    return show(channel);
  };
  return {
    "GET /channels": () => view(catalog.current().channels),
    "GET /channels/{id}": ({ params }) => show(find(params["id"])),
    "GET /channels/{id}/models": ({ params }) => listChannelModels(find(params["id"]), transport),
    "POST /channels/{id}/disable": (call) => setEnabled(call, false),
    "POST /channels/{id}/enable": (call) => setEnabled(call, true),
    "POST /channels/{id}/test": ({ params, body }) =>
      testChannel(find(params["id"]), body, { catalog: catalog.current(), transport }),
  };
}

/** Writes a switched channel or key to the audit log. Throws Failure if the ledger does not record it. */
async function recordSwitch(
  ledger: Ledger,
  after: { readonly name: string; readonly reason: string | undefined },
  isEnabled: boolean,
  actor: string,
): Promise<void> {
  const verb = isEnabled ? "enable" : "disable";
  try {
    await ledger.write("/audit", { action: `channel.${verb}`, account: "", after }, actor);
  } catch (cause) {
    const message = `The channel or key ${after.name} is ${verb}d, but the audit log has no entry of it: repeat the change later.`;
    throw new Failure("server_overloaded", message, { cause });
  }
}

import type { Catalog, CatalogChannel } from "@modelgate/catalog";
import { inTurnsIfLong } from "@modelgate/platform";
import { findMembersInTurns, isRecord, spliceMembers } from "@modelgate/formats/json";
import { memberOf } from "@modelgate/wires/text";

/** Day in a vendor's name of a model: `claude-haiku-4-5-20251001`. */
const daySuffix = /-20\d{6}$/;

/**
 * Returns the gateway's name of a model. `model` may be the vendor's name, with or without its day, or the gateway's.
 * Undefined if the gateway does not have the model.
 */
export function gatewayModelName(
  catalog: Catalog,
  channels: readonly CatalogChannel[],
  model: string,
): string | undefined {
  const plain = model.replace(daySuffix, "");
  for (const { models } of channels)
    for (const [name, upstreamModel] of models)
      if (upstreamModel === model || upstreamModel.replace(daySuffix, "") === plain) return name;
  return [model, plain].find((name) => catalog.kindOf(name) !== undefined);
}

/** Members with lists of objects that may name a further model. */
const membersWithModels = ["fallbacks", "tools"] as const;

/** Returns a body whose fallbacks and tools name further models as the channel's vendor does. */
export async function withFallbackNames(
  body: Buffer,
  channel: CatalogChannel,
  nameOf: (model: string) => string | undefined,
): Promise<Buffer> {
  await inTurnsIfLong(findMembersInTurns(body));
  const rename = (each: unknown): unknown => {
    if (!isRecord(each) || typeof each["model"] !== "string") return each;
    const model = channel.models.get(nameOf(each["model"]) ?? "");
    return model === undefined ? each : { ...each, model };
  };
  const renamed = membersWithModels.flatMap((name) => {
    const list = memberOf(body, name);
    return Array.isArray(list) ? [[name, JSON.stringify(list.map(rename))] as const] : [];
  });
  return spliceMembers(body, Object.fromEntries(renamed));
}

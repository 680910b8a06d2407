import type { Catalog, CatalogChannel } from "@modelgate/catalog";
import { inTurnsIfLong } from "@modelgate/platform";
import { isRecord, memberInTurns, spliceInTurns, stringifyInTurns } from "@modelgate/formats/json";

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
  channel: Pick<CatalogChannel, "models">,
  nameOf: (model: string) => string | undefined,
): Promise<Buffer> {
  return await inTurnsIfLong(renamed(body, (model) => channel.models.get(nameOf(model) ?? "")));
}

function* renamed(body: Buffer, nameAtVendor: (model: string) => string | undefined): Generator<undefined, Buffer> {
  const rename = (each: unknown): unknown => {
    if (!isRecord(each) || typeof each["model"] !== "string") return each;
    const model = nameAtVendor(each["model"]);
    return model === undefined || model === each["model"] ? each : { ...each, model };
  };
  const changed: Record<string, string | Buffer> = {};
  for (const name of membersWithModels) {
    const list = yield* memberInTurns(body, name);
    if (!Array.isArray(list)) continue;
    const names = list.map(rename);
    // Rendering a list again can change numbers in the schemas of tools.
    if (names.some((each, index) => each !== list[index])) changed[name] = yield* stringifyInTurns(names);
  }
  return yield* spliceInTurns(body, changed);
}

import type { Edit, Vendor, VendorModels } from "../api/types.ts";

/** Selected model of a vendor's list, with typed prices. */
export interface ChosenModel {
  readonly model: VendorModels["models"][number];
  readonly input: string;
  readonly output: string;
}

/** Returns the edits that add a vendor: new models and a channel. */
export function channelEdits({
  vendor,
  baseUrl,
  key,
  chosen,
  knownModels,
  knownChannels,
}: {
  readonly vendor: Vendor;
  readonly baseUrl: string;
  readonly key: string;
  readonly chosen: readonly ChosenModel[];
  readonly knownModels: readonly string[];
  readonly knownChannels: readonly string[];
}): readonly Edit[] {
  const id = freeName(vendor.name, knownChannels);
  const models = chosen
    .filter(({ model }) => !knownModels.includes(model.id))
    .map((row): Edit => ({ section: "models", name: row.model.id, value: modelOf(row, vendor) }));
  const value = {
    id,
    provider: vendor.provider,
    baseUrl,
    keys: [key.trim()],
    models: chosen.map(({ model }) => model.id),
  };
  return [...models, { section: "channels", name: id, value }];
}

function modelOf({ model, input, output }: ChosenModel, { name }: Vendor): object {
  const price = {
    ...model.price,
    ...(input.trim() === "" ? {} : { input: numberOrText(input) }),
    ...(output.trim() === "" ? {} : { output: numberOrText(output) }),
  };
  return {
    kind: model.kind,
    ownedBy: name,
    ...(Object.keys(price).length === 0 ? {} : { price }),
    ...(model.contextTokens === null ? {} : { contextTokens: model.contextTokens }),
  };
}

/** Returns a text as a number, or unchanged, because control then reports the invalid field. */
function numberOrText(text: string): number | string {
  const value = Number(text);
  return Number.isFinite(value) ? value : text;
}

function freeName(name: string, taken: readonly string[]): string {
  if (!taken.includes(name)) return name;
  for (let at = 2; ; at++) if (!taken.includes(`${name}-${at}`)) return `${name}-${at}`;
}

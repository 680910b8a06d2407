import { memberOf } from "../api/member-of.ts";
import type { ConfigurationParts, Edit, Vendor, VendorModels } from "../api/types.ts";

/** Selected model of a vendor's list, with typed prices. */
export interface ChosenModel {
  readonly model: VendorModels["models"][number];
  readonly input: string;
  readonly output: string;
}

/**
 * Returns the change that adds a vendor: new models and a channel. Control refuses it if the configuration is no longer
 * `before`, because the channel's id may then be in use.
 */
export function vendorChange({
  vendor,
  baseUrl,
  key,
  chosen,
  before,
}: {
  readonly vendor: Vendor;
  readonly baseUrl: string;
  readonly key: string;
  readonly chosen: readonly ChosenModel[];
  readonly before: ConfigurationParts;
}) {
  const id = freeName(
    vendor.name,
    before.channels.map((channel) => memberOf(channel, "id")),
  );
  const models = chosen
    .filter(({ model }) => !Object.hasOwn(before.models, model.id))
    .map((row): Edit => ({ section: "models", name: row.model.id, value: modelOf(row, vendor) }));
  const value = {
    id,
    provider: vendor.provider,
    baseUrl,
    keys: [key.trim()],
    models: chosen.map(({ model }) => model.id),
  };
  const channel: Edit = { section: "channels", name: id, value };
  return { edits: [...models, channel], note: `${vendor.title} added`, basedOn: before.version };
}

function modelOf({ model, input, output }: ChosenModel, { name }: Vendor): object {
  const { input: _input, output: _output, ...others } = model.price ?? {};
  const price = {
    ...others,
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

function freeName(name: string, taken: readonly unknown[]): string {
  if (!taken.includes(name)) return name;
  for (let at = 2; ; at++) if (!taken.includes(`${name}-${at}`)) return `${name}-${at}`;
}

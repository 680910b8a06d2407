import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  ChannelConfiguration,
  GroupConfiguration,
  ModelConfiguration,
  PriceConfiguration,
  priceFields,
  priceUnits,
  toolPriceFields,
} from "@modelgate/contracts";

const source = join(import.meta.dirname, "../../../console/src");
interface Field {
  readonly path: string;
  readonly kind: string;
}
/** Parts of the console, imported by path because the console is bundled separately. */
const {
  partFields,
  priceLabels,
}: {
  readonly partFields: Readonly<Record<"models" | "groups" | "channels", readonly Field[]>>;
  readonly priceLabels: Readonly<Record<string, string>>;
} = await import(join(source, "parts/part-fields.ts"));
const { priceLines }: { readonly priceLines: (price: object) => readonly string[] } = await import(
  join(source, "parts/price-text.ts")
);

/** Members of each part of the configuration. */
const members: Readonly<Record<"models" | "groups" | "channels", readonly string[]>> = {
  models: [
    ...Object.keys(ModelConfiguration.properties),
    ...Object.keys(PriceConfiguration.properties).map((name) => `price.${name}`),
  ],
  groups: [
    ...Object.keys(GroupConfiguration.properties),
    ...Object.keys(GroupConfiguration.properties.limits.properties).map((name) => `limits.${name}`),
  ],
  channels: Object.keys(ChannelConfiguration.properties),
};

test.each(["models", "groups", "channels"] as const)(
  "the form of %s has only fields of the configuration",
  (section) => {
    const paths = partFields[section].filter(({ kind }) => kind !== "secret").map(({ path }) => path);
    expect(paths.length).toBeGreaterThan(5);
    expect(paths.filter((path) => !members[section].includes(path))).toEqual([]);
  },
);

describe("each price names its unit", () => {
  test.each(Object.keys(priceFields))("%s, in the form and as a row", (field) => {
    expect(priceLabels[field]).toMatch(new RegExp(`\\$ per ${priceUnits[field]}$`));
    expect(priceLines({ [field]: 0.5 })).toEqual([
      expect.stringMatching(new RegExp(`\\$0.5 per ${priceUnits[field]}$`)),
    ]);
  });

  test.each(Object.keys(toolPriceFields))("%s, as a row", (tool) => {
    const words = tool.replaceAll(/(?=[A-Z])/g, " ").toLowerCase();
    expect(priceLines({ tools: { [tool]: 0.01 } })).toEqual([`${words} $0.01 per call`]);
  });
});

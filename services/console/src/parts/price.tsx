import { Stack, Text } from "@mantine/core";
import { priceLines } from "./price-text.ts";
import { translate } from "../texts/translate.ts";

/** Price in readable form, with one line per unit and condition. */
export function Price({ price = {} }: { readonly price?: Readonly<Record<string, unknown>> | undefined }) {
  const lines = priceLines(price);
  if (lines.length === 0) return translate("none");
  return (
    <Stack gap={0} miw={220}>
      {lines.map((line) => (
        <Text key={line} size="sm">
          {line}
        </Text>
      ))}
    </Stack>
  );
}

import { Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { get } from "../api/client.ts";
import type { Model } from "../api/types.ts";
import { count } from "../format/numbers.ts";
import { DataTable } from "../parts/data-table.tsx";
import { Page } from "../parts/page.tsx";
import { Empty, Loaded } from "../parts/states.tsx";
import { PageLink } from "../parts/page-link.tsx";

/** Every model, its price and who serves it. */
export function ModelsPage() {
  const models = useQuery({ queryKey: ["models"], queryFn: () => get<readonly Model[]>("/models") });
  return (
    <Page title="Models">
      <Loaded query={models}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty>No models are configured.</Empty>
          ) : (
            <DataTable
              label="Models"
              rows={rows}
              keyOf={({ name }) => name}
              columns={[
                {
                  heading: "Model",
                  cell: ({ name }) => (
                    <PageLink to="/calls" search={{ span: "7d", model: name }}>
                      {name}
                    </PageLink>
                  ),
                },
                { heading: "Kind", cell: ({ kind }) => kind },
                { heading: "Price (US dollars)", cell: ({ price }) => <Price price={price} /> },
                {
                  heading: "Context",
                  numeric: true,
                  cell: ({ contextTokens }) => (contextTokens === undefined ? "–" : count(contextTokens)),
                },
                { heading: "Served by", cell: ({ channels }) => channels.join(", ") || "no channel" },
              ]}
            />
          )
        }
      </Loaded>
    </Page>
  );
}

const perMillion = new Set([
  "input",
  "cachedInput",
  "cacheWrite",
  "cacheWrite1h",
  "output",
  "inputAudio",
  "outputAudio",
  "inputImage",
  "outputImage",
]);

function Price({ price = {} }: { readonly price?: object | undefined }) {
  const parts = Object.entries(price).map(([name, value]: [string, unknown]) =>
    typeof value === "number"
      ? `${name} ${value}${perMillion.has(name) ? " per million" : ""}`
      : `${name}: ${JSON.stringify(value)}`,
  );
  return (
    <Stack gap={0}>
      {parts.length === 0
        ? "none"
        : parts.map((part) => (
            <Text key={part} size="sm">
              {part}
            </Text>
          ))}
    </Stack>
  );
}

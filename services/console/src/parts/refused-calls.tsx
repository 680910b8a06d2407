import { Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { get } from "../api/client.ts";
import type { Operations, RefusedCall } from "../api/types.ts";
import { localTime } from "../format/times.ts";
import { translate } from "../texts/translate.ts";
import { DataTable, type Column } from "./data-table.tsx";
import { PageLink } from "./page-link.tsx";

const shownRows = "100";

/** Refused calls that match the filters of the call log. */
export function RefusedCalls({ query }: { readonly query: Operations["GET /usage/refused"]["query"] }) {
  const { data } = useQuery({
    queryKey: ["refused", query],
    queryFn: ({ signal }) => get("/usage/refused", { query: { ...query, limit: shownRows } }, signal),
  });
  if (data === undefined || data.refused.length === 0) return null;
  return (
    <>
      <Title order={3} size="h5" mt="md">
        {translate("Refused calls")}
      </Title>
      <Text size="sm" c="dimmed">
        {translate(
          "Refused calls cost nothing. They are stored for a week. If there are many, only a sample is stored.",
        )}
      </Text>
      <DataTable label={translate("Refused calls")} rows={data.refused} columns={columns} keyOf={({ id }) => id} />
    </>
  );
}

const columns: readonly Column<RefusedCall>[] = [
  {
    heading: translate("Time"),
    cell: ({ time, requestId }) => (
      <PageLink to="/calls/$requestId" params={{ requestId }} style={{ whiteSpace: "nowrap" }}>
        {localTime(time)}
      </PageLink>
    ),
  },
  { heading: translate("Status"), numeric: true, cell: ({ status }) => status },
  { heading: translate("Reason"), cell: ({ code }) => code },
  { heading: translate("Field"), cell: ({ param }) => param ?? "–" },
  { heading: translate("Account"), cell: ({ accountId }) => accountId },
  { heading: translate("Model"), cell: ({ model }) => model ?? "–" },
  { heading: translate("Endpoint"), cell: ({ endpoint }) => endpoint },
];

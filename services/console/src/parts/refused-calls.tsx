import { Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { get } from "../api/client.ts";
import type { Operations, RefusedCall } from "../api/types.ts";
import { localTime } from "../format/times.ts";
import { say } from "../texts/say.ts";
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
        {say("Refused calls")}
      </Title>
      <Text size="sm" c="dimmed">
        {say("Refused calls cost nothing. They are stored for a week. If there are many, only a sample is stored.")}
      </Text>
      <DataTable label={say("Refused calls")} rows={data.refused} columns={columns} keyOf={({ id }) => id} />
    </>
  );
}

const columns: readonly Column<RefusedCall>[] = [
  {
    heading: say("Time"),
    cell: ({ time, requestId }) => (
      <PageLink to="/calls/$requestId" params={{ requestId }} style={{ whiteSpace: "nowrap" }}>
        {localTime(time)}
      </PageLink>
    ),
  },
  { heading: say("Status"), numeric: true, cell: ({ status }) => status },
  { heading: say("Reason"), cell: ({ code }) => code },
  { heading: say("Field"), cell: ({ param }) => param ?? "–" },
  { heading: say("Account"), cell: ({ accountId }) => accountId },
  { heading: say("Model"), cell: ({ model }) => model ?? "–" },
  { heading: say("Endpoint"), cell: ({ endpoint }) => endpoint },
];

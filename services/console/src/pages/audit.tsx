import { Code } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { get } from "../api/client.ts";
import type { AuditPage as Audit } from "../api/types.ts";
import { localTime } from "../format/times.ts";
import { DataTable } from "../parts/data-table.tsx";
import { Page } from "../parts/page.tsx";
import { Empty, Loaded } from "../parts/states.tsx";

/** Who changed what, newest first. */
export function AuditPage() {
  const audit = useQuery({ queryKey: ["audit"], queryFn: () => get<Audit>("/audit", { limit: "500" }) });
  return (
    <Page title="Audit">
      <Loaded query={audit}>
        {({ entries }) =>
          entries.length === 0 ? (
            <Empty>Nothing has been changed yet.</Empty>
          ) : (
            <DataTable
              label="Audit"
              rows={entries}
              keyOf={({ time, actor, action, account }) => `${time} ${actor} ${action} ${account}`}
              columns={[
                { heading: "Time", cell: ({ time }) => localTime(time) },
                { heading: "Who", cell: ({ actor }) => actor },
                { heading: "Did", cell: ({ action }) => action },
                { heading: "Account", cell: ({ account }) => account || "–" },
                { heading: "Before", cell: ({ before }) => <Value value={before} /> },
                { heading: "After", cell: ({ after }) => <Value value={after} /> },
              ]}
            />
          )
        }
      </Loaded>
    </Page>
  );
}

function Value({ value }: { readonly value: unknown }) {
  return value === null || value === undefined ? "–" : <Code>{JSON.stringify(value)}</Code>;
}

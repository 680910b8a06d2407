import { Code } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { get } from "../api/client.ts";
import { localTime } from "../format/times.ts";
import { DataTable } from "../parts/data-table.tsx";
import { Page } from "../parts/page.tsx";
import { Empty, Loaded } from "../parts/states.tsx";
import { say } from "../texts/say.ts";

/** Who changed what, newest first. */
export function AuditPage() {
  const audit = useQuery({ queryKey: ["audit"], queryFn: () => get("/audit", { query: { limit: "500" } }) });
  return (
    <Page title={say("Audit")}>
      <Loaded query={audit}>
        {({ entries }) =>
          entries.length === 0 ? (
            <Empty>{say("Nothing has been changed yet.")}</Empty>
          ) : (
            <DataTable
              label={say("Audit")}
              rows={entries}
              keyOf={({ time, actor, action, account }) => `${time} ${actor} ${action} ${account}`}
              columns={[
                {
                  heading: say("Time"),
                  cell: ({ time }) => <span style={{ whiteSpace: "nowrap" }}>{localTime(time)}</span>,
                },
                { heading: say("Who"), cell: ({ actor }) => actor },
                { heading: say("Did"), cell: ({ action }) => action },
                { heading: say("Account"), cell: ({ account }) => account || "–" },
                { heading: say("Before"), cell: ({ before }) => <Value value={before} /> },
                { heading: say("After"), cell: ({ after }) => <Value value={after} /> },
              ]}
            />
          )
        }
      </Loaded>
    </Page>
  );
}

function Value({ value }: { readonly value: unknown }) {
  return value === null || value === undefined ? (
    "–"
  ) : (
    <Code style={{ overflowWrap: "anywhere" }}>{JSON.stringify(value)}</Code>
  );
}

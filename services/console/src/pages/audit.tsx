import { Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { get } from "../api/client.ts";
import { localTime } from "../format/times.ts";
import { auditText } from "../parts/audit-text.ts";
import { DataTable } from "../parts/data-table.tsx";
import { Page } from "../parts/page.tsx";
import { Empty, QueryResult } from "../parts/states.tsx";
import { say } from "../texts/say.ts";

const route = getRouteApi("/frame/audit");
const maxEntries = 500;

/** Page of the audit log. The address contains its filter. */
export function AuditPage() {
  const { account } = route.useSearch();
  const navigate = route.useNavigate();
  const audit = useQuery({
    queryKey: ["audit", account],
    queryFn: ({ signal }) => get("/audit", { query: { account, limit: String(maxEntries) } }, signal),
  });
  return (
    <Page title={say("Audit")}>
      <TextInput
        key={account}
        label={say("Account")}
        description={say("Press Enter to apply a filter.")}
        inputWrapperOrder={["label", "input", "description"]}
        size="xs"
        w={232}
        defaultValue={account ?? ""}
        onBlur={({ currentTarget: { value } }) =>
          void navigate({ search: { account: value || undefined }, replace: true })
        }
        onKeyDown={({ key, currentTarget }) => {
          if (key === "Enter") currentTarget.blur();
        }}
      />
      {audit.data?.entries.length === maxEntries && (
        <Text size="xs" c="dimmed">
          {say("The newest {number} entries. Filter by account to see others.", { number: maxEntries })}
        </Text>
      )}
      <QueryResult query={audit}>
        {({ entries }) =>
          entries.length === 0 ? (
            <Empty>{say("No changes yet.")}</Empty>
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
                { heading: say("Actor"), cell: ({ actor }) => actor },
                { heading: say("Account"), cell: ({ account }) => account || "–" },
                { heading: say("Change"), cell: auditText },
              ]}
            />
          )
        }
      </QueryResult>
    </Page>
  );
}

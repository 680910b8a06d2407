import { Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { get } from "../api/client.ts";
import { localTime } from "../format/times.ts";
import { auditText } from "../parts/audit-text.ts";
import { DataTable } from "../parts/data-table.tsx";
import { Page } from "../parts/page.tsx";
import { Empty, QueryResult } from "../parts/states.tsx";
import { translate } from "../texts/translate.ts";

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
    <Page title={translate("Audit")}>
      <TextInput
        key={account}
        label={translate("Account")}
        description={translate("Press Enter to apply a filter.")}
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
          {translate("The newest {number} entries. Filter by account to see others.", { number: maxEntries })}
        </Text>
      )}
      <QueryResult query={audit}>
        {({ entries }) =>
          entries.length === 0 ? (
            <Empty>{translate("No changes yet.")}</Empty>
          ) : (
            <DataTable
              label={translate("Audit")}
              rows={entries}
              keyOf={({ time, actor, action, account }) => `${time} ${actor} ${action} ${account}`}
              columns={[
                {
                  heading: translate("Time"),
                  cell: ({ time }) => <span style={{ whiteSpace: "nowrap" }}>{localTime(time)}</span>,
                },
                { heading: translate("Actor"), cell: ({ actor }) => actor },
                { heading: translate("Account"), cell: ({ account }) => account || "–" },
                { heading: translate("Change"), cell: auditText },
              ]}
            />
          )
        }
      </QueryResult>
    </Page>
  );
}

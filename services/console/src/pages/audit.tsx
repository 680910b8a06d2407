import { Button, TextInput } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { get } from "../api/client.ts";
import { localTime } from "../format/times.ts";
import { auditText } from "../parts/audit-text.ts";
import { DataTable } from "../parts/data-table.tsx";
import { Page } from "../parts/page.tsx";
import { Empty, QueryResult } from "../parts/states.tsx";
import { translate } from "../texts/translate.ts";

const route = getRouteApi("/frame/audit");
const pageEntries = "200";

/** Page of the audit log. The address contains its filter. */
export function AuditPage() {
  const { account } = route.useSearch();
  const navigate = route.useNavigate();
  const pages = useInfiniteQuery({
    queryKey: ["audit", account],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      get("/audit", { query: { account, limit: pageEntries, after: pageParam } }, signal),
    getNextPageParam: ({ next }) => next ?? undefined,
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
      <QueryResult query={pages}>
        {({ pages: loaded }) =>
          loaded[0]?.entries.length === 0 ? (
            <Empty>{translate("No changes yet.")}</Empty>
          ) : (
            <DataTable
              label={translate("Audit")}
              rows={loaded.flatMap(({ entries }) => entries)}
              keyOf={({ id }) => id}
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
      {pages.hasNextPage && (
        <Button variant="default" loading={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
          {translate("Show older entries")}
        </Button>
      )}
    </Page>
  );
}

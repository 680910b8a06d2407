import { Button, Card, Checkbox, Group, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { get, post } from "../api/client.ts";
import type { DeliveredAlert } from "../api/types.ts";
import { localTime } from "../format/times.ts";
import { AlertTargets } from "../parts/alert-targets.tsx";
import { DataTable, type Column } from "../parts/data-table.tsx";
import { Page } from "../parts/page.tsx";
import { Empty, QueryResult } from "../parts/states.tsx";
import { FailedChange, useChange } from "../parts/use-change.tsx";
import { useIsOfOrganisation, usePermission } from "../parts/use-may.ts";
import { translate, translateTerm } from "../texts/translate.ts";

const maxAlerts = "100";

/** Page of alerts and their targets. */
export function AlertsPage() {
  const mayChange = usePermission("operator", "as a member too");
  const [isOperator, isAdmin, isOfOrganisation] = [
    usePermission("operator"),
    usePermission("admin"),
    useIsOfOrganisation(),
  ];
  const choosesAccount = isOperator || isOfOrganisation;
  return (
    <Page title={translate("Alerts")}>
      <AlertTargets
        mayChange={mayChange}
        scope={isAdmin ? "all accounts" : choosesAccount ? "one account" : "own account"}
      />
      <RecentAlerts mayRetry={mayChange} />
    </Page>
  );
}

function RecentAlerts({ mayRetry }: { readonly mayRetry: boolean }) {
  const [deadOnly, setDeadOnly] = useState(false);
  const alerts = useQuery({
    queryKey: ["alerts", deadOnly],
    queryFn: () => get("/alerts", { query: { limit: maxAlerts, ...(deadOnly ? { state: "dead" } : {}) } }),
  });
  const actions: Column<DeliveredAlert> = {
    heading: translate("Action"),
    cell: (alert) => alert.deliveries.some(({ state }) => state === "dead") && <Retry alert={alert} />,
  };
  return (
    <Card withBorder>
      <Group justify="space-between" mb="sm">
        <Title order={3} size="h5">
          {translate("Latest alerts")}
        </Title>
        <Checkbox
          label={translate("Only alerts that were not delivered within a day")}
          checked={deadOnly}
          onChange={({ currentTarget }) => setDeadOnly(currentTarget.checked)}
        />
      </Group>
      <QueryResult query={alerts}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty>{translate("No alerts.")}</Empty>
          ) : (
            <DataTable
              label={translate("Latest alerts")}
              rows={rows}
              keyOf={({ id }) => id}
              columns={[
                { heading: translate("Time"), cell: ({ time }) => localTime(time) },
                { heading: translate("Kind"), cell: ({ kind }) => translateTerm(kind) },
                { heading: translate("Severity"), cell: ({ severity }) => translateTerm(severity) },
                { heading: translate("Alert"), cell: ({ summary }) => summary },
                { heading: translate("Deliveries"), cell: Deliveries },
                ...(mayRetry ? [actions] : []),
              ]}
            />
          )
        }
      </QueryResult>
    </Card>
  );
}

function Deliveries({ deliveries }: DeliveredAlert) {
  return (
    <Stack gap={2}>
      {deliveries.map(({ target, name, state, error }) => (
        <Text key={target} size="xs">
          {name}: {translateTerm(state)}
          {error === "" ? "" : ` (${error})`}
        </Text>
      ))}
    </Stack>
  );
}

function Retry({ alert: { id, summary } }: { readonly alert: DeliveredAlert }) {
  const retry = useChange({
    change: () => post("/alerts/{id}/retry", { params: { id } }),
    changes: ["alerts"],
  });
  return (
    <>
      <Button
        size="compact-xs"
        variant="default"
        loading={retry.isPending}
        onClick={retry.start}
        aria-label={translate("Resend: {summary}", { summary })}
      >
        {translate("Resend")}
      </Button>
      <FailedChange error={retry.error} />
    </>
  );
}

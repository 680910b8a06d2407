import { Card, Code, Group, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { get } from "../api/client.ts";
import type { AccountWithCredits, Call, Credit } from "../api/types.ts";
import { exactUsd } from "../format/money.ts";
import { localTime, periodOf } from "../format/times.ts";
import { DataTable } from "./data-table.tsx";
import { PageLink } from "./page-link.tsx";
import { Empty, QueryResult } from "./states.tsx";
import { Verify } from "./verify.tsx";
import { translate } from "../texts/translate.ts";

const earliestDay = "2020-01-01";
const shownReceipts = 20;
const hashCharacters = 12;

/** Newest balance changes of an account with their receipts, and a button that verifies all receipts. */
export function Receipts({ account: { id, credits } }: { readonly account: AccountWithCredits }) {
  const { to } = periodOf("1d");
  const calls = useQuery({
    queryKey: ["account", id, "receipts"],
    queryFn: ({ signal }) =>
      get("/usage/events", { query: { account: id, from: earliestDay, to, limit: String(shownReceipts) } }, signal),
  });
  return (
    <Card withBorder>
      <Group justify="space-between" mb="sm">
        <Title order={3} size="h5">
          {translate("Receipts")}
        </Title>
        <Verify accountId={id} />
      </Group>
      <QueryResult query={calls}>
        {({ events }) => {
          const rows = [...events.flatMap(callChange), ...credits.flatMap(creditChange)]
            .toSorted((one, other) => other.receipt.number - one.receipt.number)
            .slice(0, shownReceipts);
          return rows.length === 0 ? <Empty>{translate("No receipts yet.")}</Empty> : <NewestChanges rows={rows} />;
        }}
      </QueryResult>
    </Card>
  );
}

type Receipt = NonNullable<Call["receipt"]>;

interface Change {
  readonly receipt: Receipt;
  readonly time: string;
  readonly what: ReactNode;
  readonly nanos: string;
}

function callChange({ receipt, time, requestId, model, costNanos }: Call): readonly Change[] {
  if (receipt === undefined) return [];
  const what = (
    <PageLink to="/calls/$requestId" params={{ requestId }}>
      {translate("Call to {model}", { model })}
    </PageLink>
  );
  return [{ receipt, time, what, nanos: costNanos === "0" ? "0" : `-${costNanos}` }];
}

function creditChange({ receipt, time, reason, nanos }: Credit): readonly Change[] {
  return receipt === undefined ? [] : [{ receipt, time, what: reason, nanos }];
}

function NewestChanges({ rows }: { readonly rows: readonly Change[] }) {
  return (
    <DataTable
      label={translate("Receipts")}
      rows={rows}
      keyOf={({ receipt }) => receipt.hash}
      columns={[
        { heading: translate("Number"), numeric: true, cell: ({ receipt }) => receipt.number },
        { heading: translate("Time"), cell: ({ time }) => localTime(time) },
        { heading: translate("Description"), cell: ({ what }) => what },
        { heading: translate("Amount"), numeric: true, cell: ({ nanos }) => exactUsd(nanos) },
        { heading: translate("Balance after"), numeric: true, cell: ({ receipt }) => exactUsd(receipt.balanceNanos) },
        {
          heading: translate("Hash"),
          cell: ({ receipt: { hash } }) => <Code title={hash}>{hash.slice(0, hashCharacters)}</Code>,
        },
      ]}
    />
  );
}

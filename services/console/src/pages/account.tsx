import { Button, Card, Group, SimpleGrid, Stack, Text, TextInput, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useRef } from "react";
import { get, post } from "../api/client.ts";
import type { AccountWithCredits } from "../api/types.ts";
import { exactUsd } from "../format/money.ts";
import { localTime } from "../format/times.ts";
import { AccountMembers } from "../parts/account-members.tsx";
import { Budgets } from "../parts/budgets.tsx";
import { DataTable } from "../parts/data-table.tsx";
import { Keys } from "../parts/keys.tsx";
import { Receipts } from "../parts/receipts.tsx";
import { operationFor, type Operation } from "../parts/operation.ts";
import { Page } from "../parts/page.tsx";
import { Empty, QueryResult } from "../parts/states.tsx";
import { Form } from "../parts/form.tsx";
import { useDraft } from "../parts/use-draft.ts";
import { FailedChange, useChange } from "../parts/use-change.tsx";
import { usePermission } from "../parts/use-may.ts";
import { translate, translateTerm } from "../texts/translate.ts";

const route = getRouteApi("/frame/accounts/$id");

export function AccountPage() {
  const { id } = route.useParams();
  const account = useQuery({
    queryKey: ["account", id],
    queryFn: () => get("/accounts/{id}", { params: { id } }),
  });
  return (
    <Page title={translate("Account {id}", { id })}>
      <QueryResult query={account}>
        {(found) => (
          <Stack>
            <Money account={found} />
            <Keys accountId={id} />
            <Budgets accountId={id} />
            <AccountMembers accountId={id} />
            <Credits account={found} />
            <Receipts account={found} />
          </Stack>
        )}
      </QueryResult>
    </Page>
  );
}

function Money({ account }: { readonly account: AccountWithCredits }) {
  const figures = {
    [translate("Available")]: account.availableNanos,
    [translate("Held")]: account.heldNanos,
    [translate("Credited")]: account.creditedNanos,
    [translate("Spent")]: account.spentNanos,
  };
  const mayChange = usePermission("operator");
  return (
    <Card withBorder>
      {mayChange && <Switch account={account} />}
      <SimpleGrid cols={{ base: 2, sm: 4 }}>
        {Object.entries(figures).map(([name, nanos]) => (
          <div key={name}>
            <Text size="xs" c="dimmed">
              {name}
            </Text>
            <Text fw={600} data-figure={name}>
              {exactUsd(nanos)}
            </Text>
          </div>
        ))}
      </SimpleGrid>
    </Card>
  );
}

function Switch({ account: { id, disabled } }: { readonly account: AccountWithCredits }) {
  const change = useChange({
    change: () => post("/accounts/{id}", { params: { id }, body: { disabled: !disabled } }),
    changes: ["account", "accounts"],
  });
  return (
    <Stack gap="xs" mb="sm">
      <Group justify="space-between">
        <Text size="sm" c={disabled ? "red" : "dimmed"}>
          {disabled ? translate("This account is disabled: calls of its keys are refused.") : ""}
        </Text>
        <Button size="xs" variant="default" loading={change.isPending} onClick={change.start}>
          {disabled ? translate("Enable the account") : translate("Disable the account")}
        </Button>
      </Group>
      <FailedChange error={change.error} />
    </Stack>
  );
}

function Credits({ account }: { readonly account: AccountWithCredits }) {
  const mayCredit = usePermission("operator");
  return (
    <Card withBorder>
      <Title order={3} size="h5" mb="sm">
        {translate("Credits")}
      </Title>
      {mayCredit && <Credit id={account.id} />}
      {account.credits.length === 0 ? (
        <Empty>{translate("No credits yet.")}</Empty>
      ) : (
        <DataTable
          label={translate("Credits")}
          rows={account.credits}
          keyOf={({ operationId }) => operationId}
          columns={[
            { heading: translate("Time"), cell: ({ time }) => localTime(time) },
            { heading: translate("Kind"), cell: ({ kind }) => translateTerm(kind ?? "") },
            { heading: translate("Reason"), cell: ({ reason }) => reason },
            { heading: translate("Amount"), numeric: true, cell: ({ nanos }) => exactUsd(nanos) },
          ]}
        />
      )}
    </Card>
  );
}

function Credit({ id }: { readonly id: string }) {
  const { draft, reset, field } = useDraft({ amount: "", reason: "" });
  const operation = useRef<Operation>(undefined);
  const credit = useChange({
    change: () => {
      operation.current = operationFor(draft, operation.current);
      const body = { ...draft, operationId: operation.current.id };
      return post("/accounts/{id}/credits", { params: { id }, body });
    },
    changes: ["account", "accounts"],
    onDone() {
      operation.current = undefined;
      reset();
    },
  });
  return (
    <Form change={credit}>
      <Group align="start" mb="sm">
        <TextInput
          label={translate("Amount ($, negative to correct)")}
          required
          size="xs"
          {...field("amount", credit)}
        />
        <TextInput label={translate("Reason")} required size="xs" {...field("reason", credit)} />
        <Button type="submit" size="xs" mt={24} loading={credit.isPending}>
          {translate("Credit")}
        </Button>
      </Group>
      <FailedChange error={credit.error} draft={draft} />
    </Form>
  );
}

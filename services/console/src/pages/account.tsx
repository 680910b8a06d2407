import { Button, Card, Group, SimpleGrid, Stack, Text, TextInput, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { get, post } from "../api/client.ts";
import type { AccountWithCredits } from "../api/types.ts";
import { exactUsd } from "../format/money.ts";
import { localTime } from "../format/times.ts";
import { DataTable } from "../parts/data-table.tsx";
import { Keys } from "../parts/keys.tsx";
import { Page } from "../parts/page.tsx";
import { Empty, Loaded } from "../parts/states.tsx";
import { Form } from "../parts/form.tsx";
import { useDraft } from "../parts/use-draft.ts";
import { FailedChange, useChange } from "../parts/use-change.tsx";
import { Verify } from "../parts/verify.tsx";

const route = getRouteApi("/frame/accounts/$id");

/** One account: its money, its keys, its credits. */
export function AccountPage() {
  const { id } = route.useParams();
  const account = useQuery({
    queryKey: ["account", id],
    queryFn: () => get<AccountWithCredits>(`/accounts/${encodeURIComponent(id)}`),
  });
  return (
    <Page title={`Account ${id}`}>
      <Loaded query={account}>
        {(found) => (
          <Stack>
            <Money account={found} />
            <Keys accountId={id} />
            <Credits account={found} />
          </Stack>
        )}
      </Loaded>
    </Page>
  );
}

function Money({ account }: { readonly account: AccountWithCredits }) {
  const figures = {
    Available: account.availableNanos,
    Held: account.heldNanos,
    Credited: account.creditedNanos,
    Spent: account.spentNanos,
  };
  return (
    <Card withBorder>
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
      <Verify accountId={account.id} />
    </Card>
  );
}

function Credits({ account }: { readonly account: AccountWithCredits }) {
  return (
    <Card withBorder>
      <Title order={3} size="h5" mb="sm">
        Credits
      </Title>
      <Credit id={account.id} />
      {account.credits.length === 0 ? (
        <Empty>No credits yet.</Empty>
      ) : (
        <DataTable
          label="Credits"
          rows={account.credits}
          keyOf={({ operationId }) => operationId}
          columns={[
            { heading: "Time", cell: ({ time }) => localTime(time) },
            { heading: "Kind", cell: ({ kind }) => kind ?? "" },
            { heading: "Reason", cell: ({ reason }) => reason },
            { heading: "Amount", numeric: true, cell: ({ nanos }) => exactUsd(nanos) },
          ]}
        />
      )}
    </Card>
  );
}

function Credit({ id }: { readonly id: string }) {
  const { draft, reset, field } = useDraft({ amount: "", reason: "" });
  const credit = useChange({
    change: () => post(`/accounts/${encodeURIComponent(id)}/credits`, draft),
    changes: ["account", "accounts"],
    onDone: reset,
  });
  return (
    <Form change={credit}>
      <Group align="start" mb="sm">
        <TextInput label="Amount (US dollars, negative to correct)" required size="xs" {...field("amount", credit)} />
        <TextInput label="Reason" required size="xs" {...field("reason", credit)} />
        <Button type="submit" size="xs" mt={24} loading={credit.isPending}>
          Credit
        </Button>
      </Group>
      <FailedChange error={credit.error} />
    </Form>
  );
}

import { Button, Group, Stack, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { get, post } from "../api/client.ts";
import type { Account } from "../api/types.ts";
import { exactUsd } from "../format/money.ts";
import { localTime } from "../format/times.ts";
import { Dialog } from "../parts/dialog.tsx";
import { DataTable } from "../parts/data-table.tsx";
import { Page } from "../parts/page.tsx";
import { Empty, Loaded } from "../parts/states.tsx";
import { Form } from "../parts/form.tsx";
import { useDraft } from "../parts/use-draft.ts";
import { FailedChange, useChange } from "../parts/use-change.tsx";
import { PageLink } from "../parts/page-link.tsx";

/** Every account with its money. */
export function AccountsPage() {
  const accounts = useQuery({ queryKey: ["accounts"], queryFn: () => get<readonly Account[]>("/accounts") });
  return (
    <Page title="Accounts and keys" controls={<CreateAccount />}>
      <Loaded query={accounts}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty>No accounts yet. Create one, give it a balance, then make a key for it.</Empty>
          ) : (
            <DataTable
              label="Accounts"
              rows={rows}
              keyOf={({ id }) => id}
              columns={[
                {
                  heading: "Account",
                  cell: ({ id }) => (
                    <PageLink to="/accounts/$id" params={{ id }}>
                      {id}
                    </PageLink>
                  ),
                },
                { heading: "Name", cell: ({ name }) => name ?? "" },
                { heading: "Available", numeric: true, cell: ({ availableNanos }) => exactUsd(availableNanos) },
                { heading: "Held", numeric: true, cell: ({ heldNanos }) => exactUsd(heldNanos) },
                { heading: "Spent", numeric: true, cell: ({ spentNanos }) => exactUsd(spentNanos) },
                { heading: "Created", cell: ({ createdAt }) => localTime(createdAt) },
              ]}
            />
          )
        }
      </Loaded>
    </Page>
  );
}

function CreateAccount() {
  const [opened, { open, close }] = useDisclosure(false);
  const { draft, field } = useDraft({ id: "", name: "", balance: "10.00" });
  const create = useChange({
    change: () => post("/accounts", { id: draft.id, name: draft.name || null, balance: draft.balance }),
    changes: ["accounts"],
    onDone: close,
  });
  return (
    <>
      <Button size="xs" onClick={open}>
        Create account
      </Button>
      <Dialog opened={opened} onClose={close} title="Create account">
        <Form change={create}>
          <Stack>
            <TextInput label="Id" required data-autofocus {...field("id", create)} />
            <TextInput label="Name" {...field("name", create)} />
            <TextInput label="Balance (US dollars)" required {...field("balance", create)} />
            <FailedChange error={create.error} />
            <Group justify="end">
              <Button type="submit" loading={create.isPending}>
                Create
              </Button>
            </Group>
          </Stack>
        </Form>
      </Dialog>
    </>
  );
}

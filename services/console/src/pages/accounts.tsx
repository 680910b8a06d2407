import { Button, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { get, post } from "../api/client.ts";
import { exactUsd } from "../format/money.ts";
import { localTime } from "../format/times.ts";
import { Dialog } from "../parts/dialog.tsx";
import { DataTable } from "../parts/data-table.tsx";
import { Page } from "../parts/page.tsx";
import { Empty, QueryResult } from "../parts/states.tsx";
import { FieldsForm } from "../parts/form.tsx";
import { useDraft } from "../parts/use-draft.ts";
import { useChange } from "../parts/use-change.tsx";
import { usePermission } from "../parts/use-may.ts";
import { PageLink } from "../parts/page-link.tsx";
import { say } from "../texts/say.ts";

export function AccountsPage() {
  const accounts = useQuery({ queryKey: ["accounts"], queryFn: () => get("/accounts") });
  const mayCreate = usePermission("operator");
  return (
    <Page title={say("Accounts and keys")} controls={mayCreate && <CreateAccount />}>
      <QueryResult query={accounts}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty>{say("No accounts yet. Create one with a balance, then create a key for it.")}</Empty>
          ) : (
            <DataTable
              label={say("Accounts")}
              rows={rows}
              keyOf={({ id }) => id}
              columns={[
                {
                  heading: say("Account"),
                  cell: ({ id }) => (
                    <PageLink to="/accounts/$id" params={{ id }}>
                      {id}
                    </PageLink>
                  ),
                },
                { heading: say("Name"), cell: ({ name }) => name ?? "" },
                { heading: say("Available"), numeric: true, cell: ({ availableNanos }) => exactUsd(availableNanos) },
                { heading: say("Held"), numeric: true, cell: ({ heldNanos }) => exactUsd(heldNanos) },
                { heading: say("Spent"), numeric: true, cell: ({ spentNanos }) => exactUsd(spentNanos) },
                { heading: say("Created"), cell: ({ createdAt }) => localTime(createdAt) },
              ]}
            />
          )
        }
      </QueryResult>
    </Page>
  );
}

function CreateAccount() {
  const [opened, { open, close }] = useDisclosure(false);
  const { draft, field } = useDraft({ id: "", name: "", balance: "10.00" });
  const create = useChange({
    change: () => post("/accounts", { body: { id: draft.id, name: draft.name || null, balance: draft.balance } }),
    changes: ["accounts"],
    onDone: close,
  });
  return (
    <>
      <Button size="xs" onClick={open}>
        {say("Create account")}
      </Button>
      <Dialog opened={opened} onClose={close} title={say("Create account")}>
        <FieldsForm change={create} draft={draft} action={say("Create")}>
          <TextInput label={say("Id")} required data-autofocus {...field("id", create)} />
          <TextInput label={say("Name")} {...field("name", create)} />
          <TextInput label={say("Balance (US dollars)")} required {...field("balance", create)} />
        </FieldsForm>
      </Dialog>
    </>
  );
}

import { Button, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { post } from "../api/client.ts";
import { exactUsd } from "../format/money.ts";
import { localTime } from "../format/times.ts";
import { Dialog } from "../parts/dialog.tsx";
import { DataTable } from "../parts/data-table.tsx";
import { Page } from "../parts/page.tsx";
import { Empty, QueryResult } from "../parts/states.tsx";
import { FieldsForm } from "../parts/form.tsx";
import { useAccounts } from "../parts/use-accounts.ts";
import { useDraft } from "../parts/use-draft.ts";
import { useChange } from "../parts/use-change.tsx";
import { usePermission } from "../parts/use-may.ts";
import { PageLink } from "../parts/page-link.tsx";
import { translate } from "../texts/translate.ts";

export function AccountsPage() {
  const accounts = useAccounts();
  const mayCreate = usePermission("operator");
  return (
    <Page title={translate("Accounts and keys")} controls={mayCreate && <CreateAccount />}>
      <QueryResult query={accounts}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty>{translate("No accounts yet. Create one with a balance, then create a key for it.")}</Empty>
          ) : (
            <DataTable
              label={translate("Accounts")}
              rows={rows}
              keyOf={({ id }) => id}
              columns={[
                {
                  heading: translate("Account"),
                  cell: ({ id }) => (
                    <PageLink to="/accounts/$id" params={{ id }}>
                      {id}
                    </PageLink>
                  ),
                },
                { heading: translate("Name"), cell: ({ name }) => name ?? "" },
                {
                  heading: translate("Available"),
                  numeric: true,
                  cell: ({ availableNanos }) => exactUsd(availableNanos),
                },
                { heading: translate("Held"), numeric: true, cell: ({ heldNanos }) => exactUsd(heldNanos) },
                { heading: translate("Spent"), numeric: true, cell: ({ spentNanos }) => exactUsd(spentNanos) },
                { heading: translate("Created"), cell: ({ createdAt }) => localTime(createdAt) },
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
        {translate("Create account")}
      </Button>
      <Dialog opened={opened} onClose={close} title={translate("Create account")}>
        <FieldsForm change={create} draft={draft} action={translate("Create")}>
          <TextInput label={translate("Id")} required data-autofocus {...field("id", create)} />
          <TextInput label={translate("Name")} {...field("name", create)} />
          <TextInput label={translate("Balance ($)")} required {...field("balance", create)} />
        </FieldsForm>
      </Dialog>
    </>
  );
}

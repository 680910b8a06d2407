import { Button, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { get, post } from "../api/client.ts";
import { Dialog } from "../parts/dialog.tsx";
import { DataTable } from "../parts/data-table.tsx";
import { FieldsForm } from "../parts/form.tsx";
import { Page } from "../parts/page.tsx";
import { PageLink } from "../parts/page-link.tsx";
import { Empty, QueryResult } from "../parts/states.tsx";
import { useChange } from "../parts/use-change.tsx";
import { useDraft } from "../parts/use-draft.ts";
import { usePermission } from "../parts/use-may.ts";
import { translate } from "../texts/translate.ts";

/** Page of organisations. People of an organisation see only their own. */
export function OrganisationsPage() {
  const organisations = useQuery({ queryKey: ["organisations"], queryFn: () => get("/organisations") });
  const mayCreate = usePermission("operator");
  return (
    <Page title={translate("Organisations")} controls={mayCreate && <CreateOrganisation />}>
      <QueryResult query={organisations}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty>{translate("No organisations yet. An organisation has teams that share accounts.")}</Empty>
          ) : (
            <DataTable
              label={translate("Organisations")}
              rows={rows}
              keyOf={({ id }) => id}
              columns={[
                {
                  heading: translate("Organisation"),
                  cell: ({ id }) => (
                    <PageLink to="/organisations/$id" params={{ id }}>
                      {id}
                    </PageLink>
                  ),
                },
                { heading: translate("Name"), cell: ({ name }) => name },
                { heading: translate("Teams"), cell: ({ teams }) => teams.map(({ id }) => id).join(", ") },
                { heading: translate("Accounts"), cell: ({ accounts }) => accounts.join(", ") },
              ]}
            />
          )
        }
      </QueryResult>
    </Page>
  );
}

function CreateOrganisation() {
  const [opened, { open, close }] = useDisclosure(false);
  const { draft, field } = useDraft({ id: "", name: "" });
  const create = useChange({
    change: () => post("/organisations", { body: { id: draft.id, name: draft.name || null } }),
    changes: ["organisations"],
    onDone: close,
  });
  return (
    <>
      <Button size="xs" onClick={open}>
        {translate("Create organisation")}
      </Button>
      <Dialog opened={opened} onClose={close} title={translate("Create organisation")}>
        <FieldsForm change={create} draft={draft} action={translate("Create")}>
          <TextInput label={translate("Id")} required data-autofocus {...field("id", create)} />
          <TextInput label={translate("Name")} {...field("name", create)} />
        </FieldsForm>
      </Dialog>
    </>
  );
}

import { Badge, Button, Card, Group, PasswordInput, Select, Text, TextInput, Title } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { get, post } from "../api/client.ts";
import type { Person, Role } from "../api/types.ts";
import { operatorRoles } from "../api/words.ts";
import { localTime } from "../format/times.ts";
import { ActionButton, ConfirmedButton } from "../parts/action-button.tsx";
import { Copied } from "../parts/copied.tsx";
import { DataTable } from "../parts/data-table.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { FieldsForm, Form, RoleSelect } from "../parts/form.tsx";
import { Page } from "../parts/page.tsx";
import { Empty, QueryResult } from "../parts/states.tsx";
import { FailedChange, useChange } from "../parts/use-change.tsx";
import { usePermission } from "../parts/use-may.ts";
import { useDraft } from "../parts/use-draft.ts";
import { translate, translateTerm } from "../texts/translate.ts";

const roleOf = (word: string | null): Role => operatorRoles.find((role) => role === word) ?? "viewer";

/** Page of operators, open sessions and automation keys. */
export function OperatorsPage() {
  if (!usePermission("admin"))
    return (
      <Page title={translate("Operators")}>
        <Empty>{translate("Only an admin of all accounts may see this page.")}</Empty>
      </Page>
    );
  return (
    <Page title={translate("Operators")} controls={<CreateOperator />}>
      <People />
      <Keys />
      <Sessions />
    </Page>
  );
}

function People() {
  const people = useQuery({ queryKey: ["operators"], queryFn: () => get("/operators") });
  return (
    <Card withBorder>
      <QueryResult query={people}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty>
              {translate("There are no operators with a password yet. Create an operator, or sign in with links.")}
            </Empty>
          ) : (
            <DataTable
              label={translate("Operators")}
              rows={rows}
              keyOf={({ name }) => name}
              columns={[
                { heading: translate("Name"), cell: PersonName },
                { heading: translate("Role"), cell: ({ role }) => translateTerm(role) },
                { heading: translate("Account"), cell: ({ account }) => account ?? translate("all") },
                { heading: translate("Created"), cell: ({ createdAt }) => localTime(createdAt) },
                { heading: translate("State"), cell: ({ disabled }) => <State isDisabled={disabled} /> },
                { heading: translate("Action"), cell: (person) => <Switch person={person} /> },
              ]}
            />
          )
        }
      </QueryResult>
    </Card>
  );
}

/** Name of a person, below the verified e-mail address if there is one. */
function PersonName({ name, email }: Pick<Person, "name" | "email">) {
  if (email === null) return name;
  return (
    <>
      {email}
      <Text size="xs" c="dimmed">
        {name}
      </Text>
    </>
  );
}

function State({ isDisabled }: { readonly isDisabled: boolean }) {
  return (
    <Badge variant="dot" color={isDisabled ? "red" : "teal"}>
      {isDisabled ? translate("disabled") : translate("active")}
    </Badge>
  );
}

function Switch({ person: { name, disabled } }: { readonly person: Person }) {
  const word = disabled ? "enable" : "disable";
  return (
    <ActionButton
      text={translateTerm(word)}
      label={`${translateTerm(word)} ${name}`}
      run={() => post("/operators/{name}", { params: { name }, body: { disabled: !disabled } })}
      changes={["operators", "sessions"]}
    />
  );
}

function CreateOperator() {
  const [opened, { open, close }] = useDisclosure(false);
  const { draft, set, reset, field } = useDraft({ name: "", role: roleOf(null), account: "", password: "" });
  const create = useChange({
    change: () =>
      post("/operators", { body: { ...draft, account: draft.account || null, password: draft.password || null } }),
    changes: ["operators"],
    onDone: () => {
      close();
      reset();
    },
  });
  return (
    <>
      <Button size="xs" onClick={open}>
        {translate("Create operator")}
      </Button>
      <Dialog opened={opened} onClose={close} title={translate("Create operator")}>
        <FieldsForm change={create} draft={draft} action={translate("Create")}>
          <TextInput label={translate("Name")} required data-autofocus {...field("name", create)} />
          <RoleSelect
            roles={operatorRoles}
            value={draft.role}
            onChoose={(role) => set({ role })}
            error={create.errorAt("role")}
          />
          <TextInput label={translate("Account (empty: all accounts)")} {...field("account", create)} />
          <PasswordInput label={translate("Password (at least 12 characters)")} {...field("password", create)} />
        </FieldsForm>
      </Dialog>
    </>
  );
}

function Keys() {
  const keys = useQuery({ queryKey: ["operator-keys"], queryFn: () => get("/operator-keys") });
  return (
    <Card withBorder>
      <Title order={3} size="h5" mb="sm">
        {translate("Automation keys")}
      </Title>
      <MakeOperatorKey />
      <QueryResult query={keys}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty>{translate("No automation keys.")}</Empty>
          ) : (
            <DataTable
              label={translate("Automation keys")}
              rows={rows}
              keyOf={({ id }) => id}
              columns={[
                { heading: translate("Name"), cell: ({ name }) => name },
                { heading: translate("Key"), cell: ({ hint }) => hint },
                { heading: translate("Role"), cell: ({ role }) => translateTerm(role) },
                { heading: translate("Created"), cell: ({ createdAt }) => localTime(createdAt) },
                {
                  heading: translate("Action"),
                  cell: ({ id, name }) => (
                    <ConfirmedButton
                      text={translate("Delete")}
                      label={translate("Delete the key {name}", { name })}
                      consequence={translate("The key stops working immediately. This cannot be undone.")}
                      run={() => post("/operator-keys/{id}/delete", { params: { id } })}
                      changes={["operator-keys"]}
                    />
                  ),
                },
              ]}
            />
          )
        }
      </QueryResult>
    </Card>
  );
}

function MakeOperatorKey() {
  const [made, setMade] = useState<string>();
  const { draft, set, field } = useDraft({ name: "", role: roleOf(null) });
  const make = useChange({
    change: () => post("/operator-keys", { body: { ...draft, account: null } }),
    changes: ["operator-keys"],
    onDone: ({ key }) => setMade(key),
  });
  return (
    <>
      <Form change={make}>
        <Group align="start" mb="sm">
          <TextInput label={translate("Name of the key")} size="xs" required {...field("name", make)} />
          <Select
            label={translate("Role of the key")}
            size="xs"
            data={operatorRoles.map((value) => ({ value, label: translateTerm(value) }))}
            allowDeselect={false}
            value={draft.role}
            onChange={(role) => set({ role: roleOf(role) })}
          />
          <Button type="submit" size="xs" mt={24} loading={make.isPending}>
            {translate("Create key")}
          </Button>
        </Group>
      </Form>
      {made !== undefined && <Copied text={made} label={translate("Automation key")} />}
      <FailedChange error={make.error} draft={draft} />
    </>
  );
}

function Sessions() {
  const sessions = useQuery({ queryKey: ["sessions"], queryFn: () => get("/sessions") });
  return (
    <Card withBorder>
      <Title order={3} size="h5" mb="sm">
        {translate("Active sessions")}
      </Title>
      <QueryResult query={sessions}>
        {(rows) => (
          <DataTable
            label={translate("Active sessions")}
            rows={rows}
            keyOf={({ id }) => id}
            columns={[
              { heading: translate("Name"), cell: PersonName },
              { heading: translate("Role"), cell: ({ role }) => translateTerm(role) },
              { heading: translate("Since"), cell: ({ since }) => localTime(since) },
              { heading: translate("From"), cell: ({ from }) => from },
              {
                heading: translate("Action"),
                cell: ({ id, name }) => (
                  <ActionButton
                    text={translate("end")}
                    label={`${translate("end")} ${name} ${id}`}
                    run={() => post("/sessions/{id}/end", { params: { id } })}
                    changes={["sessions"]}
                  />
                ),
              },
            ]}
          />
        )}
      </QueryResult>
    </Card>
  );
}

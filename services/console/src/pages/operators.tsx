import { Badge, Button, Card, Group, PasswordInput, Select, Stack, TextInput, Title } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { get, post } from "../api/client.ts";
import type { NewOperatorKey, OpenSession, OperatorKey, Person } from "../api/types.ts";
import { localTime } from "../format/times.ts";
import { Copied } from "../parts/copied.tsx";
import { DataTable } from "../parts/data-table.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Form } from "../parts/form.tsx";
import { Page } from "../parts/page.tsx";
import { Empty, Loaded } from "../parts/states.tsx";
import { FailedChange, useChange } from "../parts/use-change.tsx";
import { useDraft } from "../parts/use-draft.ts";

const roles = ["viewer", "operator", "admin"];

/** Who may sign in, which sessions are open, and keys for automation. */
export function OperatorsPage() {
  return (
    <Page title="Operators" controls={<CreateOperator />}>
      <People />
      <Keys />
      <Sessions />
    </Page>
  );
}

function People() {
  const people = useQuery({ queryKey: ["operators"], queryFn: () => get<readonly Person[]>("/operators") });
  return (
    <Card withBorder>
      <Loaded query={people}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty>There are no operators with a password yet. Create an operator, or sign in by links.</Empty>
          ) : (
            <DataTable
              label="Operators"
              rows={rows}
              keyOf={({ name }) => name}
              columns={[
                { heading: "Name", cell: ({ name }) => name },
                { heading: "Role", cell: ({ role }) => role },
                { heading: "Account", cell: ({ account }) => account ?? "all" },
                { heading: "Created", cell: ({ createdAt }) => localTime(createdAt) },
                { heading: "State", cell: ({ disabled }) => <State isDisabled={disabled} /> },
                { heading: "Action", cell: (person) => <Switch person={person} /> },
              ]}
            />
          )
        }
      </Loaded>
    </Card>
  );
}

function State({ isDisabled }: { readonly isDisabled: boolean }) {
  return (
    <Badge variant="dot" color={isDisabled ? "red" : "teal"}>
      {isDisabled ? "disabled" : "active"}
    </Badge>
  );
}

function Switch({ person: { name, disabled } }: { readonly person: Person }) {
  const word = disabled ? "enable" : "disable";
  const change = useChange({
    change: () => post(`/operators/${encodeURIComponent(name)}`, { disabled: !disabled }),
    changes: ["operators", "sessions"],
  });
  return (
    <Button
      size="compact-xs"
      variant="default"
      loading={change.isPending}
      onClick={change.start}
      aria-label={`${word} ${name}`}
    >
      {word}
    </Button>
  );
}

function CreateOperator() {
  const [opened, { open, close }] = useDisclosure(false);
  const { draft, set, reset, field } = useDraft({ name: "", role: "viewer", account: "", password: "" });
  const create = useChange({
    change: () => post("/operators", { ...draft, account: draft.account || null, password: draft.password || null }),
    changes: ["operators"],
    onDone: () => {
      close();
      reset();
    },
  });
  return (
    <>
      <Button size="xs" onClick={open}>
        Create operator
      </Button>
      <Dialog opened={opened} onClose={close} title="Create operator">
        <Form change={create}>
          <Stack>
            <TextInput label="Name" required data-autofocus {...field("name", create)} />
            <Select
              label="Role"
              data={roles}
              allowDeselect={false}
              value={draft.role}
              onChange={(role) => set({ role: role ?? "viewer" })}
              error={create.errorAt("role")}
            />
            <TextInput label="Account (empty: all accounts)" {...field("account", create)} />
            <PasswordInput label="Password (at least 12 characters)" {...field("password", create)} />
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

function Keys() {
  const keys = useQuery({ queryKey: ["operator-keys"], queryFn: () => get<readonly OperatorKey[]>("/operator-keys") });
  const [made, setMade] = useState<string>();
  const { draft, set, field } = useDraft({ name: "", role: "viewer" });
  const make = useChange({
    change: () => post<NewOperatorKey>("/operator-keys", { ...draft, account: null }),
    changes: ["operator-keys"],
    onDone: ({ key }) => setMade(key),
  });
  return (
    <Card withBorder>
      <Title order={3} size="h5" mb="sm">
        Keys for automation
      </Title>
      <Form change={make}>
        <Group align="start" mb="sm">
          <TextInput label="Name of the key" size="xs" required {...field("name", make)} />
          <Select
            label="Its role"
            size="xs"
            data={roles}
            allowDeselect={false}
            value={draft.role}
            onChange={(role) => set({ role: role ?? "viewer" })}
          />
          <Button type="submit" size="xs" mt={24} loading={make.isPending}>
            Make
          </Button>
        </Group>
      </Form>
      {made !== undefined && <Copied text={made} label="Key for automation" />}
      <FailedChange error={make.error} />
      <Loaded query={keys}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty>No keys for automation.</Empty>
          ) : (
            <DataTable
              label="Keys for automation"
              rows={rows}
              keyOf={({ id }) => id}
              columns={[
                { heading: "Name", cell: ({ name }) => name },
                { heading: "Key", cell: ({ hint }) => hint },
                { heading: "Role", cell: ({ role }) => role },
                { heading: "Created", cell: ({ createdAt }) => localTime(createdAt) },
                {
                  heading: "Action",
                  cell: ({ id, name }) => (
                    <Act path={`/operator-keys/${id}/delete`} label={`delete ${name}`} changes={["operator-keys"]} />
                  ),
                },
              ]}
            />
          )
        }
      </Loaded>
    </Card>
  );
}

function Sessions() {
  const sessions = useQuery({ queryKey: ["sessions"], queryFn: () => get<readonly OpenSession[]>("/sessions") });
  return (
    <Card withBorder>
      <Title order={3} size="h5" mb="sm">
        Open sessions
      </Title>
      <Loaded query={sessions}>
        {(rows) => (
          <DataTable
            label="Open sessions"
            rows={rows}
            keyOf={({ id }) => id}
            columns={[
              { heading: "Name", cell: ({ name }) => name },
              { heading: "Role", cell: ({ role }) => role },
              { heading: "Since", cell: ({ since }) => localTime(since) },
              { heading: "From", cell: ({ from }) => from },
              {
                heading: "Action",
                cell: ({ id, name }) => (
                  <Act path={`/sessions/${id}/end`} label={`end ${name} ${id}`} changes={["sessions"]} />
                ),
              },
            ]}
          />
        )}
      </Loaded>
    </Card>
  );
}

/** A button whose word is the first of its label. */
function Act({
  path,
  label,
  changes,
}: {
  readonly path: string;
  readonly label: string;
  readonly changes: readonly string[];
}) {
  const act = useChange({ change: () => post(path), changes });
  return (
    <Button size="compact-xs" variant="default" loading={act.isPending} onClick={act.start} aria-label={label}>
      {label.split(" ")[0]}
    </Button>
  );
}

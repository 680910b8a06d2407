import { Badge, Button, Card, Group, Select, Stack, TextInput, Title } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { get, post } from "../api/client.ts";
import type { Group as TokenGroup, Token } from "../api/types.ts";
import { localTime } from "../format/times.ts";
import { Dialog } from "./dialog.tsx";
import { DataTable } from "./data-table.tsx";
import { NewKey } from "./new-key.tsx";
import { Empty, Loaded } from "./states.tsx";
import { Form } from "./form.tsx";
import { useDraft } from "./use-draft.ts";
import { FailedChange, useChange } from "./use-change.tsx";

/** The keys of an account: made, disabled, enabled. */
export function Keys({ accountId }: { readonly accountId: string }) {
  const tokens = useQuery({
    queryKey: ["tokens", accountId],
    queryFn: () => get<readonly Token[]>(`/accounts/${encodeURIComponent(accountId)}/tokens`),
  });
  return (
    <Card withBorder>
      <Group justify="space-between" mb="sm">
        <Title order={3} size="h5">
          Keys
        </Title>
        <MakeKey accountId={accountId} />
      </Group>
      <Loaded query={tokens}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty>No keys yet. Make one to call the gateway.</Empty>
          ) : (
            <DataTable
              label="Keys"
              rows={rows}
              keyOf={({ id }) => id}
              columns={[
                { heading: "Name", cell: ({ name, id }) => name ?? id },
                { heading: "Key", cell: ({ hint }) => hint },
                { heading: "Group", cell: ({ group }) => group },
                { heading: "Models", cell: ({ models }) => models?.join(", ") ?? "all of the group" },
                { heading: "Expires", cell: ({ expiresAt }) => localTime(expiresAt) },
                { heading: "State", cell: (token) => <State token={token} /> },
                { heading: "Action", cell: (token) => <Switch token={token} /> },
              ]}
            />
          )
        }
      </Loaded>
    </Card>
  );
}

function State({ token: { disabled, expiresAt } }: { readonly token: Token }) {
  const expired = expiresAt !== undefined && Date.parse(expiresAt) < Date.now();
  return (
    <Badge variant="dot" color={disabled || expired ? "red" : "teal"}>
      {disabled ? "disabled" : expired ? "expired" : "usable"}
    </Badge>
  );
}

function Switch({ token: { id, disabled, name } }: { readonly token: Token }) {
  const word = disabled ? "enable" : "disable";
  const change = useChange({ change: () => post(`/tokens/${id}/${word}`), changes: ["tokens"] });
  return (
    <Button
      size="compact-xs"
      variant="default"
      loading={change.isPending}
      onClick={change.start}
      aria-label={`${word} ${name ?? id}`}
    >
      {word}
    </Button>
  );
}

function MakeKey({ accountId }: { readonly accountId: string }) {
  const [opened, { open, close }] = useDisclosure(false);
  const [key, setKey] = useState<string>();
  const end = (): void => {
    close();
    setKey(undefined);
  };
  return (
    <>
      <Button size="xs" onClick={open}>
        Make a key
      </Button>
      <Dialog opened={opened} onClose={end} title="Make a key">
        {key === undefined ? <KeyForm accountId={accountId} onMade={setKey} /> : <NewKey value={key} />}
      </Dialog>
    </>
  );
}

function KeyForm({ accountId, onMade }: { readonly accountId: string; readonly onMade: (key: string) => void }) {
  const { draft, set, field } = useDraft({ name: "", group: "default", expiresAt: "" });
  const groups = useQuery({ queryKey: ["groups"], queryFn: () => get<readonly TokenGroup[]>("/groups") });
  const make = useChange({
    change: () =>
      post<{ readonly key: string }>(`/accounts/${encodeURIComponent(accountId)}/tokens`, {
        group: draft.group,
        name: draft.name || null,
        expiresAt: draft.expiresAt || null,
      }),
    changes: ["tokens"],
    onDone: ({ key }) => onMade(key),
  });
  return (
    <Form change={make}>
      <Stack>
        <TextInput label="Name" data-autofocus {...field("name", make)} />
        <Select
          label="Group"
          required
          data={groups.data?.map(({ name }) => name) ?? [draft.group]}
          value={draft.group}
          onChange={(group) => set({ group: group ?? draft.group })}
          error={make.errorAt("group")}
        />
        <TextInput label="Expires (empty: never)" type="date" {...field("expiresAt", make)} />
        <FailedChange error={make.error} />
        <Group justify="end">
          <Button type="submit" loading={make.isPending}>
            Make
          </Button>
        </Group>
      </Stack>
    </Form>
  );
}

import { Badge, Button, Card, Group, Select, Stack, TextInput, Title } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { get, post } from "../api/client.ts";
import type { Token } from "../api/types.ts";
import { localTime } from "../format/times.ts";
import { Dialog } from "./dialog.tsx";
import { DataTable } from "./data-table.tsx";
import { NewKey } from "./new-key.tsx";
import { Empty, Loaded } from "./states.tsx";
import { Form } from "./form.tsx";
import { useDraft } from "./use-draft.ts";
import { FailedChange, useChange } from "./use-change.tsx";
import { say, sayWord } from "../texts/say.ts";

/** The keys of an account: made, disabled, enabled. */
export function Keys({ accountId }: { readonly accountId: string }) {
  const tokens = useQuery({
    queryKey: ["tokens", accountId],
    queryFn: () => get("/accounts/{id}/tokens", { params: { id: accountId } }),
  });
  return (
    <Card withBorder>
      <Group justify="space-between" mb="sm">
        <Title order={3} size="h5">
          {say("Keys")}
        </Title>
        <MakeKey accountId={accountId} />
      </Group>
      <Loaded query={tokens}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty>{say("No keys yet. Make one to call the gateway.")}</Empty>
          ) : (
            <DataTable
              label={say("Keys")}
              rows={rows}
              keyOf={({ id }) => id}
              columns={[
                { heading: say("Name"), cell: ({ name, id }) => name ?? id },
                { heading: say("Key"), cell: ({ hint }) => hint },
                { heading: say("Group"), cell: ({ group }) => group },
                { heading: say("Models"), cell: ({ models }) => models?.join(", ") ?? say("all of the group") },
                { heading: say("Expires"), cell: ({ expiresAt }) => localTime(expiresAt) },
                { heading: say("State"), cell: (token) => <State token={token} /> },
                { heading: say("Action"), cell: (token) => <Switch token={token} /> },
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
      {disabled ? say("disabled") : expired ? say("expired") : say("usable")}
    </Badge>
  );
}

function Switch({ token: { id, disabled, name } }: { readonly token: Token }) {
  const word = disabled ? "enable" : "disable";
  const change = useChange({ change: () => post(`/tokens/{id}/${word}`, { params: { id } }), changes: ["tokens"] });
  return (
    <Button
      size="compact-xs"
      variant="default"
      loading={change.isPending}
      onClick={change.start}
      aria-label={`${sayWord(word)} ${name ?? id}`}
    >
      {sayWord(word)}
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
        {say("Make a key")}
      </Button>
      <Dialog opened={opened} onClose={end} title={say("Make a key")}>
        {key === undefined ? <KeyForm accountId={accountId} onMade={setKey} /> : <NewKey value={key} />}
      </Dialog>
    </>
  );
}

function KeyForm({ accountId, onMade }: { readonly accountId: string; readonly onMade: (key: string) => void }) {
  const { draft, set, field } = useDraft({ name: "", group: "default", expiresAt: "" });
  const groups = useQuery({ queryKey: ["groups"], queryFn: () => get("/groups") });
  const make = useChange({
    change: () =>
      post("/accounts/{id}/tokens", {
        params: { id: accountId },
        body: {
          group: draft.group,
          name: draft.name || null,
          expiresAt: draft.expiresAt || null,
        },
      }),
    changes: ["tokens"],
    onDone: ({ key }) => onMade(key),
  });
  return (
    <Form change={make}>
      <Stack>
        <TextInput label={say("Name")} data-autofocus {...field("name", make)} />
        <Select
          label={say("Group")}
          required
          data={groups.data?.map(({ name }) => name) ?? [draft.group]}
          value={draft.group}
          onChange={(group) => set({ group: group ?? draft.group })}
          error={make.errorAt("group")}
        />
        <TextInput label={say("Expires (empty: never)")} type="date" {...field("expiresAt", make)} />
        <FailedChange error={make.error} />
        <Group justify="end">
          <Button type="submit" loading={make.isPending}>
            {say("Make")}
          </Button>
        </Group>
      </Stack>
    </Form>
  );
}

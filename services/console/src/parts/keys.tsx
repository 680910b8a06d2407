import { Badge, Button, Card, Group, Text, Title } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { get, post } from "../api/client.ts";
import type { Token } from "../api/types.ts";
import { shortUsd } from "../format/money.ts";
import { localTime } from "../format/times.ts";
import { ActionButton } from "./action-button.tsx";
import { Dialog } from "./dialog.tsx";
import { DataTable, type Column } from "./data-table.tsx";
import { ChangeKey, CreateKey } from "./key-form.tsx";
import { DeleteKey, PreviousKey, RotateKey } from "./key-rotation.tsx";
import { NewKey } from "./new-key.tsx";
import { Empty, QueryResult } from "./states.tsx";
import { usePermission } from "./use-may.ts";
import { translate, translateTerm } from "../texts/translate.ts";

interface KeysProps {
  readonly accountId: string;
  /** Team whose keys are shown; by default all of the account. */
  readonly team?: string;
}

/** API keys of an account or a team. */
export function Keys({ accountId, team }: KeysProps) {
  const mayChange = usePermission("operator", "as a member too");
  const tokens = useQuery({
    queryKey: ["tokens", accountId],
    queryFn: () => get("/accounts/{id}/tokens", { params: { id: accountId } }),
    select: (all) => (team === undefined ? all : all.filter((token) => token.team === team)),
  });
  return (
    <Card withBorder>
      <Group justify="space-between" mb="sm">
        <Title order={3} size="h5">
          {translate("Keys")}
        </Title>
        {mayChange && <MakeKey accountId={accountId} team={team} />}
      </Group>
      <QueryResult query={tokens}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty>{translate("No keys yet. Create one to call the gateway.")}</Empty>
          ) : (
            <DataTable
              label={translate("Keys")}
              rows={rows}
              keyOf={({ id }) => id}
              columns={[
                { heading: translate("Name"), cell: ({ name, id }) => name ?? id },
                { heading: translate("Key"), cell: KeyHint },
                { heading: translate("Team"), cell: ({ team: of, member }) => member ?? of ?? "" },
                { heading: translate("Group"), cell: ({ group }) => group },
                {
                  heading: translate("Models"),
                  cell: ({ models }) => models?.join(", ") ?? translate("all models of the group"),
                },
                { heading: translate("Budget"), cell: ({ budget }) => <Budget budget={budget} /> },
                { heading: translate("Expires"), cell: ({ expiresAt }) => localTime(expiresAt) },
                { heading: translate("State"), cell: (token) => <State token={token} /> },
                ...(mayChange ? [actions] : []),
              ]}
            />
          )
        }
      </QueryResult>
    </Card>
  );
}

const actions: Column<Token> = {
  heading: translate("Action"),
  cell: (token) => (
    <Group gap={4} wrap="nowrap" align="start">
      {/* The playground renews its keys and sets their limits. */}
      {token.playgroundOf === undefined && (
        <>
          <EditKey token={token} />
          <RotateKey token={token} />
        </>
      )}
      <Switch token={token} />
      <DeleteKey token={token} />
    </Group>
  ),
};

function KeyHint({ hint, previous, rotationDueAt }: Token) {
  const isDue = rotationDueAt !== undefined && Date.parse(rotationDueAt) <= Date.now();
  return (
    <>
      {hint}
      {previous !== undefined && <PreviousKey previous={previous} />}
      {rotationDueAt !== undefined && (
        <Text size="xs" c={isDue ? "red" : "dimmed"}>
          {translate("Rotation due {time}", { time: localTime(rotationDueAt) })}
        </Text>
      )}
    </>
  );
}

function State({ token: { disabled, expiresAt } }: { readonly token: Token }) {
  const expired = expiresAt !== undefined && Date.parse(expiresAt) < Date.now();
  return (
    <Badge variant="dot" color={disabled || expired ? "red" : "teal"}>
      {disabled ? translate("disabled") : expired ? translate("expired") : translate("usable")}
    </Badge>
  );
}

function Switch({ token: { id, disabled, name } }: { readonly token: Token }) {
  const word = disabled ? "enable" : "disable";
  return (
    <ActionButton
      text={translateTerm(word)}
      label={`${translateTerm(word)} ${name ?? id}`}
      run={() => post(`/tokens/{id}/${word}`, { params: { id } })}
      changes={["tokens"]}
    />
  );
}

function Budget({
  budget: { perDay, perMonth, requestsPerDay } = {},
}: {
  readonly budget: Token["budget"] | undefined;
}) {
  const parts = [
    ...(perDay === undefined ? [] : [translate("{amount} a day", { amount: shortUsd(perDay) })]),
    ...(perMonth === undefined ? [] : [translate("{amount} a month", { amount: shortUsd(perMonth) })]),
    ...(requestsPerDay === undefined ? [] : [translate("{number} requests a day", { number: requestsPerDay })]),
  ];
  return parts.join(", ") || translate("none");
}

function EditKey({ token }: { readonly token: Token }) {
  const [opened, { open, close }] = useDisclosure(false);
  const title = translate("Edit the key {name}", { name: token.name ?? token.id });
  return (
    <>
      <Button size="compact-xs" variant="default" onClick={open} aria-label={title}>
        {translate("Edit")}
      </Button>
      <Dialog opened={opened} onClose={close} title={title}>
        {opened && <ChangeKey token={token} onDone={close} />}
      </Dialog>
    </>
  );
}

function MakeKey({ accountId, team }: { readonly accountId: string; readonly team: string | undefined }) {
  const [opened, { open, close }] = useDisclosure(false);
  const [key, setKey] = useState<string>();
  const end = (): void => {
    close();
    setKey(undefined);
  };
  return (
    <>
      <Button size="xs" onClick={open}>
        {translate("Create key")}
      </Button>
      <Dialog opened={opened} onClose={end} title={translate("Create key")}>
        {key === undefined ? <CreateKey accountId={accountId} team={team} onMade={setKey} /> : <NewKey value={key} />}
      </Dialog>
    </>
  );
}

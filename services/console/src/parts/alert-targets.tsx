import {
  Alert,
  Button,
  Card,
  Group,
  MultiSelect,
  PasswordInput,
  Select,
  Stack,
  Text,
  TextInput,
  Title,
} from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { get, post } from "../api/client.ts";
import type { AlertTarget } from "../api/types.ts";
import { alertKinds, alertTargetKinds } from "../api/words.ts";
import { Copied } from "./copied.tsx";
import { DataTable, type Column } from "./data-table.tsx";
import { Dialog } from "./dialog.tsx";
import { FieldsForm } from "./form.tsx";
import { Empty, QueryResult } from "./states.tsx";
import { FailedChange, useChange } from "./use-change.tsx";
import { useDraft } from "./use-draft.ts";
import { translate, translateTerm } from "../texts/translate.ts";

type TargetKind = AlertTarget["kind"];
/** Accounts for which a person may add targets. */
export type TargetScope = "own account" | "one account" | "all accounts";

/** Targets of alerts, with buttons to add, test and remove them. */
export function AlertTargets({ mayChange, scope }: { readonly mayChange: boolean; readonly scope: TargetScope }) {
  const targets = useQuery({ queryKey: ["alert-targets"], queryFn: () => get("/alert-targets") });
  const actions: Column<AlertTarget> = { heading: translate("Action"), cell: (target) => <Actions target={target} /> };
  return (
    <Card withBorder>
      <Group justify="space-between" mb="sm">
        <Title order={3} size="h5">
          {translate("Alert targets")}
        </Title>
        {mayChange && <AddTarget scope={scope} />}
      </Group>
      <QueryResult query={targets}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty>{translate("No targets: alerts are only listed here.")}</Empty>
          ) : (
            <DataTable
              label={translate("Alert targets")}
              rows={rows}
              keyOf={({ id }) => id}
              columns={[
                { heading: translate("Name"), cell: ({ name }) => name },
                { heading: translate("Kind"), cell: ({ kind }) => translateTerm(kind) },
                { heading: translate("Address"), cell: ({ address }) => address },
                { heading: translate("Account"), cell: ({ account }) => account || translate("all") },
                {
                  heading: translate("Alerts"),
                  cell: ({ alerts }) => alerts?.map(translateTerm).join(", ") ?? translate("all"),
                },
                ...(mayChange ? [actions] : []),
              ]}
            />
          )
        }
      </QueryResult>
    </Card>
  );
}

function AddTarget({ scope }: { readonly scope: TargetScope }) {
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button size="xs" onClick={open}>
        {translate("Add target")}
      </Button>
      <Dialog opened={opened} onClose={close} title={translate("Add target")}>
        {opened && <TargetFields scope={scope} onDone={close} />}
      </Dialog>
    </>
  );
}

const emptyTarget = { kind: "webhook", name: "", account: "", url: "", secret: "", from: "", to: "" };

function TargetFields({ scope, onDone }: { readonly scope: TargetScope; readonly onDone: () => void }) {
  const { draft, set, field } = useDraft(emptyTarget);
  const [alerts, setAlerts] = useState<readonly string[]>([]);
  const [secret, setSecret] = useState<string>();
  const kind = alertTargetKinds.find((known) => known === draft.kind) ?? "webhook";
  const chosen = alertKinds.filter((known) => alerts.includes(known));
  const { url, from, to } = draft;
  const add = useChange({
    change: () =>
      post("/alert-targets", {
        body: {
          kind,
          name: draft.name || null,
          account: draft.account || null,
          alerts: chosen.length === 0 ? null : chosen,
          ...(url === "" ? {} : { url }),
          ...(draft.secret === "" ? {} : { secret: draft.secret }),
          ...(kind === "email" ? { from, to } : {}),
        },
      }),
    changes: ["alert-targets"],
    onDone: (made) => (made.secret === undefined ? onDone() : setSecret(made.secret)),
  });
  if (secret !== undefined) return <NewSecret secret={secret} />;
  return (
    <FieldsForm change={add} draft={draft} action={translate("Add")}>
      <Select
        label={translate("Kind")}
        data={alertTargetKinds.map((value) => ({ value, label: translateTerm(value) }))}
        allowDeselect={false}
        value={kind}
        onChange={(value) => set({ kind: value ?? kind })}
        error={add.errorAt("kind")}
      />
      <TextInput label={translate("Name")} {...field("name", add)} />
      <AddressFields kind={kind} input={(name) => field(name, add)} />
      {scope === "all accounts" && (
        <TextInput label={translate("Account (empty: all accounts)")} {...field("account", add)} />
      )}
      {scope === "one account" && <TextInput label={translate("Account")} required {...field("account", add)} />}
      <MultiSelect
        label={translate("Kinds of alerts (empty: all)")}
        data={alertKinds.map((value) => ({ value, label: translateTerm(value) }))}
        value={[...alerts]}
        onChange={setAlerts}
      />
    </FieldsForm>
  );
}

/** Secret of a new webhook, which is shown only once. */
function NewSecret({ secret }: { readonly secret: string }) {
  return (
    <Alert color="teal" title={translate("Copy the secret now: it is shown only once")}>
      <Copied text={secret} label={translate("Secret that signs the alerts")} />
    </Alert>
  );
}

function AddressFields({
  kind,
  input,
}: {
  readonly kind: TargetKind;
  readonly input: (name: "url" | "secret" | "from" | "to") => ReturnType<ReturnType<typeof useDraft>["field"]>;
}) {
  return (
    <>
      {kind !== "pagerduty" && (
        <PasswordInput
          label={kind === "email" ? translate("SMTP server (smtps://user:password@host)") : translate("Address")}
          required
          {...input("url")}
        />
      )}
      {kind === "pagerduty" && <PasswordInput label={translate("Routing key")} required {...input("secret")} />}
      {kind === "feishu" && <PasswordInput label={translate("Signing key (optional)")} {...input("secret")} />}
      {kind === "email" && (
        <>
          <TextInput label={translate("Sender")} required {...input("from")} />
          <TextInput label={translate("Recipients, separated by commas")} required {...input("to")} />
        </>
      )}
    </>
  );
}

function Actions({ target: { id, name } }: { readonly target: AlertTarget }) {
  const test = useChange({ change: () => post("/alert-targets/{id}/test", { params: { id } }), changes: [] });
  const remove = useChange({
    change: () => post("/alert-targets/{id}/delete", { params: { id } }),
    changes: ["alert-targets", "alerts"],
  });
  const { result } = test;
  return (
    <Stack gap={4}>
      <Group gap="xs" wrap="nowrap">
        <Button
          size="compact-xs"
          variant="default"
          loading={test.isPending}
          onClick={test.start}
          aria-label={translate("Send a test to {name}", { name })}
        >
          {translate("Send a test")}
        </Button>
        <Button
          size="compact-xs"
          variant="default"
          loading={remove.isPending}
          onClick={remove.start}
          aria-label={translate("Remove {name}", { name })}
        >
          {translate("Remove")}
        </Button>
      </Group>
      {result !== undefined && (
        <Text size="xs" role="status" c={result.delivered ? "teal" : "red"}>
          {result.delivered ? translate("delivered") : translate("not delivered: {reason}", { reason: result.error })}
        </Text>
      )}
      <FailedChange error={test.error ?? remove.error} />
    </Stack>
  );
}

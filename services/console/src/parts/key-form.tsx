import { Select, Textarea, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { get, post } from "../api/client.ts";
import type { Token } from "../api/types.ts";
import { plainUsd } from "../format/money.ts";
import { changedMembers } from "./changed-members.ts";
import { FieldsForm } from "./form.tsx";
import { useDraft } from "./use-draft.ts";
import { useChange } from "./use-change.tsx";
import { translate } from "../texts/translate.ts";

type KeyDraft = Readonly<
  Record<
    | "name"
    | "group"
    | "models"
    | "expiresAt"
    | "allowedAddresses"
    | "dollarsPerDay"
    | "dollarsPerMonth"
    | "requestsPerDay"
    | "rotateAfterDays",
    string
  >
>;

const emptyKey: KeyDraft = {
  name: "",
  group: "default",
  models: "",
  expiresAt: "",
  allowedAddresses: "",
  dollarsPerDay: "",
  dollarsPerMonth: "",
  requestsPerDay: "",
  rotateAfterDays: "",
};

/** Form that creates an API key. */
export function CreateKey({
  accountId,
  team,
  onMade,
}: {
  readonly accountId: string;
  readonly team: string | undefined;
  readonly onMade: (key: string) => void;
}) {
  const form = useDraft(emptyKey);
  const make = useChange({
    change: () =>
      post("/accounts/{id}/tokens", {
        params: { id: accountId },
        body: { ...requestOfDraft(form.draft), team: team ?? null },
      }),
    changes: ["tokens", "budgets"],
    onDone: ({ key }) => onMade(key),
  });
  return <KeyFields form={form} change={make} action={translate("Create")} />;
}

/** Form that changes an API key. An emptied field is removed. */
export function ChangeKey({ token, onDone }: { readonly token: Token; readonly onDone: () => void }) {
  const [before] = useState(() => draftOf(token));
  const form = useDraft(before);
  const change = useChange({
    change: () =>
      post("/tokens/{id}", {
        params: { id: token.id },
        body: changedMembers(requestOfDraft(form.draft), requestOfDraft(before)),
      }),
    changes: ["tokens", "budgets"],
    onDone,
  });
  return <KeyFields form={form} change={change} action={translate("Save")} />;
}

function draftOf(token: Token): KeyDraft {
  return {
    name: token.name ?? "",
    group: token.group,
    models: token.models?.join(", ") ?? "",
    expiresAt: token.expiresAt ?? "",
    allowedAddresses: token.allowedAddresses?.join(", ") ?? "",
    dollarsPerDay: plainUsd(token.budget?.perDay),
    dollarsPerMonth: plainUsd(token.budget?.perMonth),
    requestsPerDay: String(token.budget?.requestsPerDay ?? ""),
    rotateAfterDays: String(token.rotateAfterDays ?? ""),
  };
}

function requestOfDraft(draft: KeyDraft) {
  const {
    name,
    group,
    models,
    expiresAt,
    allowedAddresses,
    dollarsPerDay,
    dollarsPerMonth,
    requestsPerDay,
    rotateAfterDays,
  } = draft;
  return {
    group,
    name: name || null,
    models: listIn(models),
    expiresAt: expiresAt || null,
    allowedAddresses: listIn(allowedAddresses),
    dollarsPerDay: dollarsPerDay || null,
    dollarsPerMonth: dollarsPerMonth || null,
    requestsPerDay: requestsPerDay === "" ? null : Number(requestsPerDay),
    rotateAfterDays: rotateAfterDays === "" ? null : Number(rotateAfterDays),
  };
}

function listIn(text: string): string[] | null {
  const items = text
    .split(/[,\n]/)
    .map((item) => item.trim())
    .filter((item) => item !== "");
  return items.length === 0 ? null : items;
}

function KeyFields({
  form: { draft, set, field },
  change,
  action,
}: {
  readonly form: ReturnType<typeof useDraft<KeyDraft>>;
  readonly change: Pick<ReturnType<typeof useChange>, "start" | "isPending" | "error" | "errorAt">;
  readonly action: string;
}) {
  const groups = useQuery({ queryKey: ["groups"], queryFn: () => get("/groups") });
  return (
    <FieldsForm change={change} draft={draft} action={action}>
      <TextInput label={translate("Name")} data-autofocus {...field("name", change)} />
      <Select
        label={translate("Group")}
        required
        data={groups.data?.map(({ name }) => name) ?? [draft.group]}
        value={draft.group}
        onChange={(group) => set({ group: group ?? draft.group })}
        error={change.errorAt("group")}
      />
      <Textarea
        label={translate("Models, separated by commas (empty: all of the group)")}
        autosize
        minRows={1}
        maxRows={6}
        {...field("models", change)}
      />
      <TextInput label={translate("Expires (empty: never)")} placeholder="2030-01-01" {...field("expiresAt", change)} />
      <TextInput
        label={translate("Addresses, separated by commas (empty: from everywhere)")}
        placeholder="10.0.0.0/8, 2001:db8::/32"
        {...field("allowedAddresses", change)}
      />
      <TextInput
        label={translate("Daily budget ($, empty: none)")}
        inputMode="decimal"
        {...field("dollarsPerDay", change)}
      />
      <TextInput
        label={translate("Monthly budget ($, empty: none)")}
        inputMode="decimal"
        {...field("dollarsPerMonth", change)}
      />
      <TextInput
        label={translate("Requests per day (empty: no limit)")}
        type="number"
        min={1}
        {...field("requestsPerDay", change)}
      />
      <TextInput
        label={translate("Rotate after (days, empty: never)")}
        type="number"
        min={1}
        max={365}
        {...field("rotateAfterDays", change)}
      />
    </FieldsForm>
  );
}

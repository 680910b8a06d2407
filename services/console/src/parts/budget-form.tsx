import { Button, Select, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useState } from "react";
import { post } from "../api/client.ts";
import type { Budget } from "../api/types.ts";
import { plainUsd } from "../format/money.ts";
import { budgetModes, budgetPeriods } from "../api/words.ts";
import { ConfirmedButton } from "./action-button.tsx";
import { changedMembers } from "./changed-members.ts";
import { Dialog } from "./dialog.tsx";
import { FieldsForm } from "./form.tsx";
import { useChange } from "./use-change.tsx";
import { useDraft } from "./use-draft.ts";
import { translate, translateTerm } from "../texts/translate.ts";

/** Button and form for a new budget. */
export function CreateBudget({ accountId, scope }: { readonly accountId: string; readonly scope: string }) {
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button size="xs" onClick={open}>
        {translate("Create budget")}
      </Button>
      <Dialog opened={opened} onClose={close} title={translate("Create budget")}>
        {opened && <BudgetFields accountId={accountId} scope={scope} onDone={close} />}
      </Dialog>
    </>
  );
}

const choicesOf = (values: readonly string[]) => values.map((value) => ({ value, label: translateTerm(value) }));

const emptyBudget = {
  amount: "",
  rolloverCap: "",
  name: "",
  zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  period: "month",
  mode: "hard",
};

interface BudgetFieldsProps {
  readonly accountId: string;
  readonly scope: string;
  readonly onDone: () => void;
}

function BudgetFields({ accountId, scope, onDone }: BudgetFieldsProps) {
  const form = useDraft({ ...emptyBudget, scope });
  const { draft, set, field } = form;
  const isTotal = draft.period === "total";
  const create = useChange({
    change: () =>
      post("/accounts/{id}/budgets", {
        params: { id: accountId },
        body: {
          scope: draft.scope,
          period: budgetPeriods.find((known) => known === draft.period) ?? "month",
          mode: modeIn(draft),
          amount: draft.amount,
          ...(isTotal ? {} : { zone: draft.zone, rolloverCap: draft.rolloverCap || null }),
          name: draft.name || null,
        },
      }),
    changes: ["budgets"],
    onDone,
  });
  return (
    <FieldsForm change={create} draft={draft} action={translate("Create")}>
      <TextInput
        label={translate("Scope")}
        description="account, organisation:ID, team:ID, member:TEAM/NAME, key:ID, group:NAME, model:NAME, tag:NAME=VALUE, end-user:ID"
        required
        {...field("scope", create)}
      />
      <Select
        label={translate("Period")}
        data={choicesOf(budgetPeriods)}
        value={draft.period}
        onChange={(chosen) => set({ period: chosen ?? draft.period })}
        error={create.errorAt("period")}
      />
      {!isTotal && <TextInput label={translate("Time zone")} required {...field("zone", create)} />}
      <ChangeableFields form={form} change={create} isTotal={isTotal} />
    </FieldsForm>
  );
}

type ChangeableDraft = Readonly<Record<"amount" | "mode" | "name" | "rolloverCap", string>>;

function ChangeableFields({
  form: { draft, set, field },
  change,
  isTotal,
}: {
  readonly form: Pick<ReturnType<typeof useDraft<ChangeableDraft>>, "draft" | "field" | "set">;
  readonly change: Pick<ReturnType<typeof useChange>, "errorAt">;
  readonly isTotal: boolean;
}) {
  return (
    <>
      <TextInput label={translate("Name")} data-autofocus {...field("name", change)} />
      <TextInput label={translate("Amount per period ($)")} inputMode="decimal" required {...field("amount", change)} />
      <Select
        label={translate("Mode")}
        data={choicesOf(budgetModes)}
        value={draft.mode}
        onChange={(chosen) => set({ mode: chosen ?? draft.mode })}
        error={change.errorAt("mode")}
      />
      {!isTotal && (
        <TextInput
          label={translate("Maximum rollover ($, empty: none)")}
          inputMode="decimal"
          {...field("rolloverCap", change)}
        />
      )}
    </>
  );
}

function modeIn({ mode }: Pick<ChangeableDraft, "mode">): Budget["mode"] {
  return budgetModes.find((known) => known === mode) ?? "hard";
}

/** Button and form that change a budget. */
export function EditBudget({ accountId, budget }: { readonly accountId: string; readonly budget: Budget }) {
  const [opened, { open, close }] = useDisclosure(false);
  const title = translate("Edit the budget {name}", { name: budget.name ?? budget.scope });
  return (
    <>
      <Button size="compact-xs" variant="default" onClick={open} aria-label={title}>
        {translate("Edit")}
      </Button>
      <Dialog opened={opened} onClose={close} title={title}>
        {opened && <EditFields accountId={accountId} budget={budget} onDone={close} />}
      </Dialog>
    </>
  );
}

function EditFields({
  accountId,
  budget,
  onDone,
}: {
  readonly accountId: string;
  readonly budget: Budget;
  readonly onDone: () => void;
}) {
  const [before] = useState<ChangeableDraft>({
    name: budget.name ?? "",
    amount: plainUsd(budget.nanos),
    mode: budget.mode,
    rolloverCap: plainUsd(budget.rolloverNanos),
  });
  const form = useDraft(before);
  const { draft } = form;
  const isTotal = budget.period === "total";
  const change = useChange({
    change: () =>
      post("/accounts/{id}/budgets/{budget}", {
        params: { id: accountId, budget: budget.id },
        body: changedMembers(requestOfDraft(draft), requestOfDraft(before)),
      }),
    changes: ["budgets"],
    onDone,
  });
  return (
    <FieldsForm change={change} draft={draft} action={translate("Save")}>
      <ChangeableFields form={form} change={change} isTotal={isTotal} />
    </FieldsForm>
  );
}

function requestOfDraft(draft: ChangeableDraft) {
  const { name, amount, rolloverCap } = draft;
  return { name: name || null, amount, mode: modeIn(draft), rolloverCap: rolloverCap || null };
}

/** Button that deletes a budget after a confirmation. */
export function DeleteBudget({ accountId, budget }: { readonly accountId: string; readonly budget: Budget }) {
  const params = { id: accountId, budget: budget.id };
  return (
    <ConfirmedButton
      text={translate("Delete")}
      label={translate("Delete the budget {name}", { name: budget.name ?? budget.scope })}
      consequence={translate("It no longer limits calls. Its counted spend is deleted too.")}
      run={() => post("/accounts/{id}/budgets/{budget}/delete", { params })}
      changes={["budgets"]}
    />
  );
}

import { Button, Checkbox, Group, PasswordInput, Select, Stack, Table, Text, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { get, post } from "../api/client.ts";
import { plainNumber } from "../api/plain-number.ts";
import type { Vendor, VendorModels } from "../api/types.ts";
import { vendorChange, type ChosenModel } from "./vendor-change.ts";
import { ChangeResult } from "./change-result.tsx";
import { Dialog } from "./dialog.tsx";
import { PageLink } from "./page-link.tsx";
import { FailedChange, useChange } from "./use-change.tsx";
import { useParts } from "./use-parts.ts";
import { useDraft } from "./use-draft.ts";
import { translate, translateTerm } from "../texts/translate.ts";

/** Button and form that add a vendor with a key and models. */
export function AddVendor() {
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button size="xs" onClick={open}>
        {translate("Add a vendor")}
      </Button>
      <Dialog opened={opened} onClose={close} title={translate("Add a vendor")}>
        {opened && <VendorForm />}
      </Dialog>
    </>
  );
}

function VendorForm() {
  const vendors = useQuery({ queryKey: ["vendors"], queryFn: () => get("/vendors") });
  const { draft, set, field } = useDraft({ vendor: "", baseUrl: "", key: "" });
  const chosen = vendors.data?.find(({ name }) => name === draft.vendor);
  const list = useChange({
    change: () =>
      post("/vendors/models", {
        body: { provider: chosen?.provider ?? "", baseUrl: draft.baseUrl, key: draft.key },
      }),
    changes: [],
  });
  const choose = (name: string | null): void => {
    const vendor = vendors.data?.find((known) => known.name === name);
    set({ vendor: name ?? "", baseUrl: vendor?.baseUrl ?? "" });
  };
  return (
    <Stack>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          list.start();
        }}
      >
        <Stack>
          <Select
            label={translate("Vendor")}
            required
            searchable
            data-autofocus
            data={vendors.data?.map(({ name, title }) => ({ value: name, label: title })) ?? []}
            value={draft.vendor || null}
            onChange={choose}
          />
          <TextInput label={translate("Address")} required {...field("baseUrl", list)} />
          <PasswordInput label={translate("Key")} required {...field("key", list)} />
          <FailedChange error={list.error} draft={draft} />
          <Group>
            <Button type="submit" loading={list.isPending} disabled={chosen === undefined}>
              {translate("List its models")}
            </Button>
          </Group>
        </Stack>
      </form>
      {list.result !== undefined && chosen !== undefined && (
        <ModelsForm listed={list.result} vendor={chosen} baseUrl={draft.baseUrl} apiKey={draft.key} />
      )}
    </Stack>
  );
}

/** Maximum models that are shown. The filter finds others. */
const maxShown = 100;

/** Returns a function that saves the selected vendor as models and a channel. */
function useSave({
  vendor,
  baseUrl,
  apiKey,
  chosen,
}: {
  readonly vendor: Vendor;
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly chosen: readonly ChosenModel[];
}) {
  const parts = useParts();
  const save = useChange({
    async change() {
      if (parts.data === undefined) throw new Error("the configuration is not loaded");
      const body = vendorChange({ vendor, baseUrl, key: apiKey, chosen, before: parts.data });
      return post("/configuration/edits", { body });
    },
    changes: ["parts", "models", "channels", "configuration", "versions"],
  });
  return { ...save, error: save.error ?? parts.error, isReady: parts.data !== undefined };
}

function ModelsForm({
  listed,
  vendor,
  baseUrl,
  apiKey,
}: {
  readonly listed: VendorModels;
  readonly vendor: Vendor;
  readonly baseUrl: string;
  readonly apiKey: string;
}) {
  const [chosen, setChosen] = useState<ReadonlyMap<string, ChosenModel>>(new Map());
  const [filter, setFilter] = useState("");
  const save = useSave({ vendor, baseUrl, apiKey, chosen: [...chosen.values()] });
  const offered = listed.models.length > 0 ? listed.models : namedModels(filter);
  const shownModels = offered.filter(({ id }) => listed.models.length === 0 || id.includes(filter)).slice(0, maxShown);
  const change = (model: ChosenModel | undefined, id: string): void => {
    const next = new Map(chosen);
    if (model === undefined) next.delete(id);
    else next.set(id, model);
    setChosen(next);
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save.start();
      }}
    >
      <Stack>
        {listed.message !== null && (
          <Text size="sm" role="status">
            {listed.message}
          </Text>
        )}
        <TextInput
          label={listed.models.length > 0 ? translate("Filter") : translate("Names of models, separated by commas")}
          value={filter}
          onChange={({ currentTarget }) => setFilter(currentTarget.value)}
        />
        <ModelTable shown={shownModels} chosen={chosen} onChange={change} />
        <FailedChange error={save.error} />
        <ChangeResult result={save.result} />
        {typeof save.result?.version === "number" && (
          <PageLink to="/accounts">{translate("Create a key for them")}</PageLink>
        )}
        <Group justify="end">
          <Button type="submit" loading={save.isPending} disabled={chosen.size === 0 || !save.isReady}>
            {chosen.size === 1 ? translate("Save 1 model") : translate("Save {number} models", { number: chosen.size })}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function ModelTable({
  shown,
  chosen,
  onChange,
}: {
  readonly shown: readonly ListedModel[];
  readonly chosen: ReadonlyMap<string, ChosenModel>;
  readonly onChange: (chosen: ChosenModel | undefined, id: string) => void;
}) {
  return (
    <Table aria-label={translate("Models of the vendor")}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{translate("Model")}</Table.Th>
          <Table.Th>{translate("Input, $ per million tokens")}</Table.Th>
          <Table.Th>{translate("Output, $ per million tokens")}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {shown.map((model) => (
          <ModelRow
            key={model.id}
            model={model}
            chosen={chosen.get(model.id)}
            onChange={(row) => onChange(row, model.id)}
          />
        ))}
      </Table.Tbody>
    </Table>
  );
}

type ListedModel = VendorModels["models"][number];

function ModelRow({
  model,
  chosen,
  onChange,
}: {
  readonly model: ListedModel;
  readonly chosen: ChosenModel | undefined;
  readonly onChange: (chosen: ChosenModel | undefined) => void;
}) {
  const choice: ChosenModel = { model, input: dollars(model, "input"), output: dollars(model, "output") };
  const price = (name: "input" | "output") => (
    <TextInput
      size="xs"
      w={110}
      inputMode="decimal"
      aria-label={translate(name === "input" ? "input price of {model}" : "output price of {model}", {
        model: model.id,
      })}
      value={(chosen ?? choice)[name]}
      disabled={chosen === undefined}
      onChange={({ currentTarget }) => onChange({ ...(chosen ?? choice), [name]: currentTarget.value })}
    />
  );
  return (
    <Table.Tr>
      <Table.Td>
        <Checkbox
          label={model.id}
          description={translateTerm(model.kind)}
          checked={chosen !== undefined}
          onChange={({ currentTarget }) => onChange(currentTarget.checked ? choice : undefined)}
        />
      </Table.Td>
      <Table.Td>{price("input")}</Table.Td>
      <Table.Td>{price("output")}</Table.Td>
    </Table.Tr>
  );
}

function dollars({ price }: ListedModel, name: string): string {
  const value = price?.[name];
  return typeof value === "number" ? plainNumber(value) : "";
}

function namedModels(names: string): readonly ListedModel[] {
  const ids = names.split(",").map((id) => id.trim());
  return [...new Set(ids.filter((id) => id !== ""))].map((id) => ({
    id,
    kind: "chat",
    price: null,
    contextTokens: null,
  }));
}

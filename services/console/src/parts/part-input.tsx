import { Autocomplete, PasswordInput, Select, Textarea, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { get } from "../api/client.ts";
import { isJsonObject } from "./part-draft.ts";
import type { PartField } from "./part-fields.ts";
import { translate, translateTerm } from "../texts/translate.ts";

interface InputProps {
  readonly value: string;
  readonly onChange: (text: string) => void;
}

/** Input of one field of a part. */
export function PartInput({
  field: { label, kind, choices = [] },
  value,
  onChange,
  error,
}: InputProps & { readonly field: PartField; readonly error: string | undefined }) {
  const shared = { label: translate(label), value, error };
  if (kind === "choice" || kind === "flag")
    return (
      <Select
        {...shared}
        clearable
        data={(kind === "flag" ? ["true", "false"] : choices).map((word) => ({
          value: word,
          label: translateTerm(word),
        }))}
        value={value || null}
        onChange={(word) => onChange(word ?? "")}
      />
    );
  if (kind === "provider") return <ProviderInput {...shared} onChange={onChange} />;
  const typed = {
    ...shared,
    onChange: ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) =>
      onChange(currentTarget.value),
  };
  if (kind === "secret") return <PasswordInput {...typed} autoComplete="off" />;
  if (kind === "text") return <TextInput {...typed} />;
  if (kind === "number") return <TextInput {...typed} inputMode="decimal" />;
  if (kind === "json")
    return (
      <Textarea
        {...typed}
        error={error ?? (isJsonObject(value) ? undefined : translate("This is not a JSON object."))}
        autosize
        minRows={1}
        maxRows={12}
        spellCheck={false}
        styles={{ input: { fontFamily: "monospace" } }}
      />
    );
  return <Textarea {...typed} autosize minRows={1} maxRows={8} spellCheck={false} />;
}

function ProviderInput({
  onChange,
  ...shared
}: InputProps & { readonly label: string; readonly error: string | undefined }) {
  const vendors = useQuery({ queryKey: ["vendors"], queryFn: () => get("/vendors") });
  const names = [...new Set(vendors.data?.map(({ provider }) => provider))].toSorted();
  return <Autocomplete {...shared} data={names} onChange={onChange} />;
}

/** Input for all other fields of a part, as JSON. */
export function RestInput({ value, isWrong, onChange }: InputProps & { readonly isWrong: boolean }) {
  return (
    <Textarea
      label={translate("Other settings, as JSON")}
      autosize
      minRows={1}
      maxRows={12}
      spellCheck={false}
      styles={{ input: { fontFamily: "monospace" } }}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
      error={isWrong ? translate("This is not a JSON object.") : undefined}
    />
  );
}

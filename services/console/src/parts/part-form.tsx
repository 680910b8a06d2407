import { Alert, Button, Group, Stack, TextInput } from "@mantine/core";
import { useState } from "react";
import { post } from "../api/client.ts";
import type { ConfigurationChange, ConfigurationParts, Edit, Problem } from "../api/types.ts";
import { memberOf } from "../api/member-of.ts";
import { ChangeResult } from "./change-result.tsx";
import { Dialog } from "./dialog.tsx";
import { Form } from "./form.tsx";
import type { Part } from "./edit-part.tsx";
import { makePartDraft, isPathWithin, partFromDraft, problemPathPrefix, type PartDraft } from "./part-draft.ts";
import { PartInput, RestInput } from "./part-input.tsx";
import { partFields } from "./part-fields.ts";
import { QueryResult } from "./states.tsx";
import { useParts } from "./use-parts.ts";
import { useDraft } from "./use-draft.ts";
import { useChange } from "./use-change.tsx";
import { translate } from "../texts/translate.ts";

/** First parts of the keys of queries that a configuration change affects. */
const changedQueries = ["parts", "configuration", "versions", "models", "channels", "groups"];

/** Dialog with the form of a part. Without a name, the form creates one. */
export function PartDialog({
  part: { section, name },
  title,
  onClose,
}: {
  readonly part: Part;
  readonly title: string;
  readonly onClose: () => void;
}) {
  const parts = useParts();
  return (
    <Dialog opened onClose={onClose} title={title}>
      <QueryResult query={parts}>
        {(found) => <PartForm section={section} name={name} found={found} onDone={onClose} />}
      </QueryResult>
    </Dialog>
  );
}

interface PartFormProps {
  readonly section: Edit["section"];
  readonly name: string | undefined;
  readonly found: ConfigurationParts;
  readonly onDone: () => void;
}

/** Returns the draft of a part's form, and the actions of its buttons. */
function usePart({ section, name: named, found }: Omit<PartFormProps, "onDone">) {
  // Configuration when the form was opened. Control refuses the change if another version was saved meanwhile.
  const [before] = useState(found);
  const fields = partFields[section];
  const { draft, set } = useDraft<PartDraft>({
    ...makePartDraft(named === undefined ? undefined : partIn(before, section, named), fields),
    name: named ?? "",
    note: "",
  });
  const name = textIn(draft, "name").trim();
  const part = partFromDraft(draft, fields);
  const send = (value: unknown) => () =>
    post("/configuration/edits", {
      body: { edits: [{ section, name, value }], note: draft["note"] || null, basedOn: before.version },
    });
  const save = useChange({
    change: send(section === "channels" ? { id: name, ...part } : part),
    changes: changedQueries,
  });
  const remove = useChange({ change: send(null), changes: changedQueries });
  const path = problemPathPrefix(section, name, before.channels);
  return {
    fields,
    draft,
    set,
    save,
    remove,
    isWrong: part === undefined,
    isTaken: named === undefined && partIn(before, section, name) !== undefined,
    problemsOf: (field: string) =>
      save.result?.problems.filter((problem) => isPathWithin(problem.path, path + field)) ?? [],
  };
}

function PartForm(props: PartFormProps) {
  const form = usePart(props);
  const { fields, draft, set, save, remove, isWrong, isTaken, problemsOf } = form;
  const result = remove.result ?? save.result;
  if (typeof result?.version === "number")
    return (
      <Stack>
        <ChangeResult result={result} />
        <Button ml="auto" autoFocus onClick={props.onDone}>
          {translate("Done")}
        </Button>
      </Stack>
    );
  const shown = new Set(fields.flatMap((field) => problemsOf(field.path)));
  return (
    <Form change={save}>
      <Stack>
        {props.name === undefined && <NameInput {...form} />}
        {fields.map((field) => (
          <PartInput
            key={field.path}
            field={field}
            value={textIn(draft, field.path)}
            onChange={(text) => set({ [field.path]: text })}
            error={
              problemsOf(field.path)
                .map((problem) => problem.message)
                .join("; ") || undefined
            }
          />
        ))}
        <RestInput value={textIn(draft, "rest")} isWrong={isWrong} onChange={(rest) => set({ rest })} />
        <TextInput
          label={translate("Note")}
          value={draft["note"]}
          onChange={({ currentTarget }) => set({ note: currentTarget.value })}
          error={save.errorAt("note")}
        />
        <FailedEdit error={save.error ?? remove.error} />
        <ChangeResult result={withoutProblems(result, shown)} />
        <Group justify="space-between">
          {props.name !== undefined && (
            <Button variant="default" loading={remove.isPending} onClick={remove.start}>
              {translate("Remove")}
            </Button>
          )}
          <Button type="submit" loading={save.isPending} disabled={isWrong || isTaken} ml="auto">
            {translate("Save")}
          </Button>
        </Group>
      </Stack>
    </Form>
  );
}

function NameInput({ draft, set, isTaken }: Pick<ReturnType<typeof usePart>, "draft" | "set" | "isTaken">) {
  return (
    <TextInput
      label={translate("Name")}
      required
      data-autofocus
      value={draft["name"]}
      onChange={({ currentTarget }) => set({ name: currentTarget.value })}
      error={isTaken ? translate("This name is already in use.") : undefined}
    />
  );
}

/** Message of a refusal. It may be about a field without an input. */
function FailedEdit({ error }: { readonly error: Error | null }) {
  if (error === null) return null;
  return (
    <Alert color="red" role="alert" title={translate("The change failed")}>
      {error.message}
    </Alert>
  );
}

function textIn(draft: PartDraft, name: string): string {
  return draft[name] ?? "";
}

/** Returns the result of a change without the problems that are shown at fields. */
function withoutProblems(
  result: ConfigurationChange | undefined,
  shown: ReadonlySet<Problem>,
): ConfigurationChange | undefined {
  if (result === undefined || shown.size === 0) return result;
  const problems = result.problems.filter((problem) => !shown.has(problem));
  return problems.length === 0 ? undefined : { ...result, problems };
}

function partIn(found: ConfigurationParts, section: Edit["section"], name: string): unknown {
  if (section !== "channels") return Object.hasOwn(found[section], name) ? found[section][name] : undefined;
  return found.channels.find((channel) => memberOf(channel, "id") === name);
}

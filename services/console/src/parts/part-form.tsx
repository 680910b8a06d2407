import { Alert, Button, Group, Stack, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { get, post } from "../api/client.ts";
import type { ConfigurationChange, ConfigurationParts, Edit, Problem } from "../api/types.ts";
import { memberOf } from "../api/member-of.ts";
import { ChangeResult } from "./change-result.tsx";
import { Dialog } from "./dialog.tsx";
import { Form } from "./form.tsx";
import { draftOf, isAt, partOf, pathOf, type PartDraft } from "./part-draft.ts";
import { PartInput, RestInput } from "./part-input.tsx";
import { partFields } from "./part-fields.ts";
import { Loaded } from "./states.tsx";
import { useIsAdmin } from "./use-admin.ts";
import { useDraft } from "./use-draft.ts";
import { useChange } from "./use-change.tsx";
import { say, type Text } from "../texts/say.ts";

const titles: Readonly<Record<Edit["section"], { readonly add: Text; readonly edit: Text }>> = {
  models: { add: "Add a model", edit: "Edit the model {name}" },
  groups: { add: "Add a group", edit: "Edit the group {name}" },
  channels: { add: "Add a channel", edit: "Edit the channel {name}" },
};

/** Queries that read anew after a change of the configuration. */
const changed = ["parts", "configuration", "versions", "models", "channels", "groups"];

interface Part {
  readonly section: Edit["section"];
  /** Absent: a new one. */
  readonly name?: string;
}

/** A button, for admins, that opens the form of a model, a group or a channel. */
export function EditPart({ section, name }: Part) {
  const [opened, { open, close }] = useDisclosure(false);
  const isAdmin = useIsAdmin();
  if (!isAdmin) return null;
  const title = name === undefined ? say(titles[section].add) : say(titles[section].edit, { name });
  return (
    <>
      <Button size={name === undefined ? "xs" : "compact-xs"} variant="default" onClick={open} aria-label={title}>
        {name === undefined ? title : say("Edit")}
      </Button>
      <Dialog opened={opened} onClose={close} title={title}>
        {opened && <PartDialog section={section} name={name} />}
      </Dialog>
    </>
  );
}

function PartDialog({ section, name }: { readonly section: Edit["section"]; readonly name: string | undefined }) {
  const parts = useQuery({ queryKey: ["parts"], queryFn: () => get("/configuration/parts"), staleTime: 0 });
  return <Loaded query={parts}>{(found) => <PartForm section={section} name={name} found={found} />}</Loaded>;
}

interface PartFormProps {
  readonly section: Edit["section"];
  readonly name: string | undefined;
  readonly found: ConfigurationParts;
}

/** What a part's form holds, and what it does. */
function usePart({ section, name: named, found }: PartFormProps) {
  // What it was when it was opened: another's change in the meantime is refused, not undone.
  const [before] = useState(found);
  const fields = partFields[section];
  const { draft, set } = useDraft<PartDraft>({
    ...draftOf(named === undefined ? undefined : partIn(before, section, named), fields),
    name: named ?? "",
    note: "",
  });
  const name = textIn(draft, "name").trim();
  const part = partOf(draft, fields);
  const send = (value: unknown) => () =>
    post("/configuration/edits", {
      body: { edits: [{ section, name, value }], note: draft["note"] || null, basedOn: before.version },
    });
  const save = useChange({ change: send(section === "channels" ? { id: name, ...part } : part), changes: changed });
  const remove = useChange({ change: send(null), changes: changed });
  const path = pathOf(section, name, before.channels);
  return {
    fields,
    draft,
    set,
    save,
    remove,
    isWrong: part === undefined,
    isTaken: named === undefined && partIn(before, section, name) !== undefined,
    problemsOf: (field: string) => save.result?.problems.filter((problem) => isAt(problem.path, path + field)) ?? [],
  };
}

function PartForm(props: PartFormProps) {
  const form = usePart(props);
  const { fields, draft, set, save, remove, isWrong, isTaken, problemsOf } = form;
  const result = remove.result ?? save.result;
  if (typeof result?.version === "number") return <ChangeResult result={result} />;
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
                .map((problem) => problem.say)
                .join("; ") || undefined
            }
          />
        ))}
        <RestInput value={textIn(draft, "rest")} isWrong={isWrong} onChange={(rest) => set({ rest })} />
        <TextInput
          label={say("Note")}
          value={draft["note"]}
          onChange={({ currentTarget }) => set({ note: currentTarget.value })}
          error={save.errorAt("note")}
        />
        <FailedEdit error={save.error ?? remove.error} />
        <ChangeResult result={withoutProblems(result, shown)} />
        <Group justify="space-between">
          {props.name !== undefined && (
            <Button variant="default" loading={remove.isPending} onClick={remove.start}>
              {say("Remove")}
            </Button>
          )}
          <Button type="submit" loading={save.isPending} disabled={isWrong || isTaken} ml="auto">
            {say("Save")}
          </Button>
        </Group>
      </Stack>
    </Form>
  );
}

/** The name of a part that is new. */
function NameInput({ draft, set, isTaken }: Pick<ReturnType<typeof usePart>, "draft" | "set" | "isTaken">) {
  return (
    <TextInput
      label={say("Name")}
      required
      data-autofocus
      value={draft["name"]}
      onChange={({ currentTarget }) => set({ name: currentTarget.value })}
      error={isTaken ? say("There is one of this name already.") : undefined}
    />
  );
}

/** What was refused: a field that no form has, such as the version that a change is based on, is named too. */
function FailedEdit({ error }: { readonly error: Error | null }) {
  if (error === null) return null;
  return (
    <Alert color="red" role="alert" title={say("Not changed")}>
      {error.message}
    </Alert>
  );
}

function textIn(draft: PartDraft, name: string): string {
  return draft[name] ?? "";
}

/** What became of a change, its problems without those that stand beside their fields; undefined where all do. */
function withoutProblems(
  result: ConfigurationChange | undefined,
  shown: ReadonlySet<Problem>,
): ConfigurationChange | undefined {
  if (result === undefined || shown.size === 0) return result;
  const problems = result.problems.filter((problem) => !shown.has(problem));
  return problems.length === 0 ? undefined : { ...result, problems };
}

/** A part as it is written; undefined where there is none of that name. */
function partIn(found: ConfigurationParts, section: Edit["section"], name: string): unknown {
  if (section !== "channels") return Object.hasOwn(found[section], name) ? found[section][name] : undefined;
  return found.channels.find((channel) => memberOf(channel, "id") === name);
}

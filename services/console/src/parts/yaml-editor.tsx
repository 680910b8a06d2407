import { Alert, Button, Card, Group, Stack, Text, Textarea, TextInput } from "@mantine/core";
import { useState } from "react";
import { post } from "../api/client.ts";
import type { ConfigurationChange, ConfigurationDocument } from "../api/types.ts";
import { localTime } from "../format/times.ts";
import { translate } from "../texts/translate.ts";
import { ChangeResult } from "./change-result.tsx";
import { FailedChange, useChange } from "./use-change.tsx";
import { usePermission } from "./use-may.ts";
import { editorText, type YamlDraft } from "./yaml-draft.ts";

interface YamlEditorProps {
  readonly found: ConfigurationDocument;
  /** Queries to repeat after a save. */
  readonly changes: readonly string[];
}

/** Editor of the configuration's YAML. */
export function YamlEditor({ found, changes }: YamlEditorProps) {
  const mayEdit = usePermission("admin");
  const { text, note, basedOn, isOutdated, maySave, setText, setNote, discard, check, save } = useEditor(
    found,
    changes,
  );
  return (
    <Card withBorder>
      <Stack>
        <Text size="sm" c="dimmed">
          {translate("Version {version}, by {actor}, {time}. Pasted keys are encrypted and then shown as kept:.", {
            version: found.version ?? 0,
            actor: found.actor ?? "",
            time: localTime(found.time),
          })}
        </Text>
        <Textarea
          label={translate("YAML")}
          autosize
          minRows={12}
          maxRows={30}
          spellCheck={false}
          readOnly={!mayEdit || save.isPending}
          styles={{ input: { fontFamily: "monospace" } }}
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
        />
        {isOutdated && !save.isPending && <OutdatedDraft basedOn={basedOn} onDiscard={discard} />}
        <FailedChange error={check.error} />
        <FailedChange error={save.error} />
        <ChangeResult result={currentResult(save.result, found) ?? check.result} />
        {mayEdit && (
          <Group align="end">
            <TextInput
              label={translate("Note")}
              w={300}
              value={note}
              onChange={({ currentTarget }) => setNote(currentTarget.value)}
              error={save.errorAt("note")}
            />
            <Button variant="default" loading={check.isPending} onClick={startAfterReset(check, save)}>
              {translate("Check")}
            </Button>
            <Button loading={save.isPending} onClick={startAfterReset(save, check)} disabled={!maySave}>
              {translate("Save")}
            </Button>
          </Group>
        )}
      </Stack>
    </Card>
  );
}

function useEditor(found: ConfigurationDocument, changes: readonly string[]) {
  const [draft, setDraft] = useState<YamlDraft>();
  const [note, setNote] = useState("");
  const shown = editorText(found, draft);
  const { text, basedOn } = shown;
  const send = (check: boolean) => () =>
    post("/configuration", { body: { document: text, note: note || null, basedOn, check } });
  const discard = (): void => {
    setDraft(undefined);
    setNote("");
  };
  const check = useChange({ change: send(true), changes: [] });
  const save = useChange({
    change: send(false),
    changes,
    onDone({ version }) {
      if (version !== null) discard();
    },
  });
  const setText = (changed: string): void => setDraft({ text: changed, basedOn });
  return { ...shown, note, setText, setNote, discard, check, save };
}

/** Returns the result of a save, unless a newer version was saved after it. */
function currentResult(
  result: ConfigurationChange | undefined,
  { version }: ConfigurationDocument,
): ConfigurationChange | undefined {
  return result?.version === null || result?.version === version ? result : undefined;
}

/** Returns a function that starts a change, and removes the result of the other one. */
const startAfterReset = (change: { readonly start: () => void }, other: { readonly reset: () => void }) => () => {
  other.reset();
  change.start();
};

function OutdatedDraft({ basedOn, onDiscard }: { readonly basedOn: number; readonly onDiscard: () => void }) {
  return (
    <Alert color="yellow" role="alert" title={translate("Another version was saved")}>
      <Group justify="space-between">
        {translate(
          "Your text began with version {version}. Copy it, then open the newest version and repeat your edits.",
          { version: basedOn },
        )}
        <Button size="xs" variant="default" onClick={onDiscard}>
          {translate("Open the newest version")}
        </Button>
      </Group>
    </Alert>
  );
}

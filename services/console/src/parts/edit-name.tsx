import { Button, Group, Stack, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { translate } from "../texts/translate.ts";
import { Dialog } from "./dialog.tsx";
import { FieldsForm } from "./form.tsx";
import { FailedChange, useChange } from "./use-change.tsx";
import { useDraft } from "./use-draft.ts";

interface EditNameProps {
  readonly id: string;
  readonly name: string;
  readonly rename: (name: string) => Promise<unknown>;
  /** Deletes the organisation or team; absent if the person may not. */
  readonly remove?: (() => Promise<unknown>) | undefined;
  readonly onRemoved?: () => void;
}

/** Button and form that rename or delete an organisation or a team. */
export function EditName(props: EditNameProps) {
  const [opened, { open, close }] = useDisclosure(false);
  const title = translate("Edit {name}", { name: props.id });
  return (
    <>
      <Button size="xs" variant="default" onClick={open} aria-label={title}>
        {translate("Edit")}
      </Button>
      <Dialog opened={opened} onClose={close} title={title}>
        {opened && (
          <Stack>
            <NameForm {...props} onDone={close} />
            {props.remove !== undefined && <Remove remove={props.remove} onDone={props.onRemoved ?? close} />}
          </Stack>
        )}
      </Dialog>
    </>
  );
}

function NameForm({ name, rename, onDone }: EditNameProps & { readonly onDone: () => void }) {
  const { draft, field } = useDraft({ name });
  const change = useChange({ change: () => rename(draft.name), changes: ["organisations"], onDone });
  return (
    <FieldsForm change={change} draft={draft} action={translate("Save")}>
      <TextInput label={translate("Name")} required data-autofocus {...field("name", change)} />
    </FieldsForm>
  );
}

function Remove({ remove, onDone }: { readonly remove: () => Promise<unknown>; readonly onDone: () => void }) {
  const change = useChange({ change: remove, changes: ["organisations"], onDone });
  return (
    <>
      <FailedChange error={change.error} />
      <Group justify="end">
        <Button color="red" variant="outline" loading={change.isPending} onClick={change.start}>
          {translate("Delete")}
        </Button>
      </Group>
    </>
  );
}

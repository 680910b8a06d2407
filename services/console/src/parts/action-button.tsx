import { Button, Group, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { Dialog } from "./dialog.tsx";
import { FailedChange, useChange } from "./use-change.tsx";

interface ActionProps {
  readonly text: string;
  /** Complete name of the action for screen readers, and title of its dialog. */
  readonly label: string;
  readonly run: () => Promise<unknown>;
  /** First parts of the keys of queries that the action affects. */
  readonly changes: readonly string[];
}

/** Small button that makes a change at once, and shows why it failed. */
export function ActionButton({ text, label, run, changes }: ActionProps) {
  const change = useChange({ change: run, changes });
  return (
    <Stack gap={4} align="start">
      <Button
        size="compact-xs"
        variant="default"
        tt="capitalize"
        loading={change.isPending}
        onClick={change.start}
        aria-label={label}
      >
        {text}
      </Button>
      <FailedChange error={change.error} />
    </Stack>
  );
}

/** Small button that makes a change after a confirmation. */
export function ConfirmedButton({ text, label, run, changes, consequence }: ActionProps & { consequence: string }) {
  const [opened, { open, close }] = useDisclosure(false);
  const change = useChange({ change: run, changes, onDone: close });
  return (
    <>
      <Button size="compact-xs" variant="default" onClick={open} aria-label={label}>
        {text}
      </Button>
      <Dialog opened={opened} onClose={close} title={label}>
        <Stack>
          <Text>{consequence}</Text>
          <FailedChange error={change.error} />
          <Group justify="end">
            <Button color="red" loading={change.isPending} onClick={change.start}>
              {text}
            </Button>
          </Group>
        </Stack>
      </Dialog>
    </>
  );
}

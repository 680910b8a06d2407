import { Button, Group, Stack } from "@mantine/core";
import type { ReactNode } from "react";
import { FailedChange } from "./use-change.tsx";

/** Form that submits a change. */
export function Form({
  change,
  children,
}: {
  readonly change: { readonly start: () => void };
  readonly children: ReactNode;
}) {
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        change.start();
      }}
    >
      {children}
    </form>
  );
}

/** Form with its fields one below the other, the reason for a failure, and a button with the text `action`. */
export function FieldsForm({
  change,
  action,
  children,
}: {
  readonly change: { readonly start: () => void; readonly error: Error | null; readonly isPending: boolean };
  readonly action: string;
  readonly children: ReactNode;
}) {
  return (
    <Form change={change}>
      <Stack>
        {children}
        <FailedChange error={change.error} />
        <Group justify="end">
          <Button type="submit" loading={change.isPending}>
            {action}
          </Button>
        </Group>
      </Stack>
    </Form>
  );
}

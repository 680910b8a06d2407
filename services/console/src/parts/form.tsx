import { Button, Group, Select, Stack } from "@mantine/core";
import type { ReactNode } from "react";
import { FailedChange } from "./use-change.tsx";
import { translate, translateTerm } from "../texts/translate.ts";

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

/** Form with fields, the reason for a failure, and a button. */
export function FieldsForm({
  change,
  draft,
  action,
  children,
}: {
  readonly draft: Readonly<Record<string, string>>;
  readonly change: { readonly start: () => void; readonly error: Error | null; readonly isPending: boolean };
  readonly action: string;
  readonly children: ReactNode;
}) {
  return (
    <Form change={change}>
      <Stack>
        {children}
        <FailedChange error={change.error} draft={draft} />
        <Group justify="end">
          <Button type="submit" loading={change.isPending}>
            {action}
          </Button>
        </Group>
      </Stack>
    </Form>
  );
}

/** Choice of a role. */
export function RoleSelect<Role extends string>({
  roles,
  value,
  onChoose,
  error,
}: {
  readonly roles: readonly Role[];
  readonly value: Role;
  readonly onChoose: (role: Role) => void;
  readonly error: string | undefined;
}) {
  return (
    <Select
      label={translate("Role")}
      data={roles.map((role) => ({ value: role, label: translateTerm(role) }))}
      allowDeselect={false}
      value={value}
      onChange={(chosen) => onChoose(roles.find((role) => role === chosen) ?? value)}
      error={error}
    />
  );
}

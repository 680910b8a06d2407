import { Button, Stack, Text, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useState } from "react";
import { Copied } from "./copied.tsx";
import { Dialog } from "./dialog.tsx";
import { FieldsForm, RoleSelect } from "./form.tsx";
import { useChange } from "./use-change.tsx";
import { useDraft } from "./use-draft.ts";
import { translate } from "../texts/translate.ts";

/** Result of an invitation. Without `url`, the person signs in as before. */
interface Invited {
  readonly name: string;
  readonly url: string | null;
}

interface InviteProps<Role extends string> {
  /** Team, account or organisation that the person joins. */
  readonly to: string;
  readonly roles: readonly [Role, ...Role[]];
  readonly invite: (name: string, role: Role) => Promise<Invited>;
  /** Queries that list the members. */
  readonly changes: readonly string[];
}

/** Button that invites a person and shows the sign-in link. */
export function Invite<Role extends string>({ to, ...props }: InviteProps<Role>) {
  const [opened, { open, close }] = useDisclosure(false);
  const title = translate("Invite to {name}", { name: to });
  return (
    <>
      <Button size="xs" variant="default" onClick={open} aria-label={title}>
        {translate("Invite")}
      </Button>
      <Dialog opened={opened} onClose={close} title={title}>
        {opened && <InviteFields {...props} />}
      </Dialog>
    </>
  );
}

function InviteFields<Role extends string>({ roles, invite, changes }: Omit<InviteProps<Role>, "to">) {
  const [invited, setInvited] = useState<Invited>();
  const { draft, set, field } = useDraft<{ name: string; role: Role }>({ name: "", role: roles[0] });
  const change = useChange({
    change: () => invite(draft.name, draft.role),
    changes,
    onDone: setInvited,
  });
  if (invited !== undefined) return <InviteLink {...invited} />;
  return (
    <FieldsForm change={change} draft={draft} action={translate("Invite")}>
      <TextInput label={translate("Name")} required data-autofocus {...field("name", change)} />
      <RoleSelect roles={roles} value={draft.role} onChoose={(role) => set({ role })} error={change.errorAt("role")} />
    </FieldsForm>
  );
}

function InviteLink({ name, url }: Invited) {
  if (url === null) return <Text>{translate("{name} has access already and signs in as before.", { name })}</Text>;
  return (
    <Stack>
      <Text>{translate("Send this link to {name}. It works once, within ten minutes.", { name })}</Text>
      <Copied text={new URL(url, location.origin).href} label={translate("Invitation")} />
    </Stack>
  );
}

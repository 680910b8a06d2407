import { Button, Card, Group, Stack, Text, TextInput, Title } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { get, post } from "../api/client.ts";
import type { Organisation, Team } from "../api/types.ts";
import { Budgets } from "../parts/budgets.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { EditName } from "../parts/edit-name.tsx";
import { FieldsForm } from "../parts/form.tsx";
import { Invite } from "../parts/invite.tsx";
import { Keys } from "../parts/keys.tsx";
import { PageLink } from "../parts/page-link.tsx";
import { Page } from "../parts/page.tsx";
import { QueryResult } from "../parts/states.tsx";
import { TeamMembers } from "../parts/team-members.tsx";
import { useChange } from "../parts/use-change.tsx";
import { useDraft } from "../parts/use-draft.ts";
import { usePermission } from "../parts/use-may.ts";
import { translate } from "../texts/translate.ts";

const route = getRouteApi("/frame/organisations/$id");

export function OrganisationPage() {
  const { id } = route.useParams();
  const mayChange = usePermission("operator", "as a member too");
  const organisation = useQuery({
    queryKey: ["organisations", id],
    queryFn: () => get("/organisations/{id}", { params: { id } }),
  });
  return (
    <Page title={translate("Organisation {id}", { id })}>
      <QueryResult query={organisation}>
        {(found) => (
          <Stack>
            {found.mayAdminister && <Admins organisation={found} mayChange={mayChange} />}
            {found.mayAdminister && found.accounts[0] !== undefined && (
              <Budgets accountId={found.accounts[0]} organisation={id} />
            )}
            {found.teams.map((team) => (
              <TeamPart
                key={team.id}
                organisation={id}
                team={team}
                mayManageTeam={mayChange && team.mayAdminister}
                mayRenameOrDelete={mayChange && found.mayAdminister}
              />
            ))}
          </Stack>
        )}
      </QueryResult>
    </Page>
  );
}

interface AdminsProps {
  readonly organisation: Organisation;
  readonly mayChange: boolean;
}

function Admins({ organisation: { id, name, admins }, mayChange }: AdminsProps) {
  const mayDelete = usePermission("operator");
  const navigate = useNavigate();
  const params = { id };
  return (
    <Card withBorder>
      <Group justify="space-between" mb="sm">
        <Title order={3} size="h5">
          {translate("Admins")}
        </Title>
        {mayChange && (
          <Group gap="xs">
            <Invite
              to={id}
              roles={["admin"]}
              invite={(name, role) => post("/organisations/{id}/members", { params: { id }, body: { name, role } })}
              changes={["organisations"]}
            />
            <CreateTeam organisation={id} />
            <EditName
              id={id}
              name={name}
              rename={(wanted) => post("/organisations/{id}", { params, body: { name: wanted } })}
              remove={mayDelete ? () => post("/organisations/{id}/delete", { params }) : undefined}
              onRemoved={() => void navigate({ to: "/organisations" })}
            />
          </Group>
        )}
      </Group>
      <TeamMembers organisation={id} members={admins.map((name) => ({ name, role: "admin" }))} mayRemove={mayChange} />
    </Card>
  );
}

function TeamPart({
  organisation,
  team,
  mayManageTeam,
  mayRenameOrDelete,
}: {
  readonly organisation: string;
  readonly team: Team;
  readonly mayManageTeam: boolean;
  readonly mayRenameOrDelete: boolean;
}) {
  const { id, name, account, members } = team;
  const params = { id: organisation, team: id };
  return (
    <Card withBorder component="section" aria-label={translate("Team {name}", { name })}>
      <Group justify="space-between" mb="sm">
        <div>
          <Title order={3} size="h5">
            {translate("Team {name}", { name })}
          </Title>
          <Text size="xs" c="dimmed">
            {translate("The account {account} pays.", { account })}{" "}
            <PageLink to="/calls" search={{ span: "7d", account, team: id }}>
              {translate("Calls")}
            </PageLink>
          </Text>
        </div>
        <Group gap="xs">
          {mayManageTeam && (
            <Invite
              to={id}
              roles={["member", "admin"]}
              invite={(person, role) =>
                post("/organisations/{id}/members", {
                  params: { id: organisation },
                  body: { name: person, team: id, role },
                })
              }
              changes={["organisations"]}
            />
          )}
          {mayRenameOrDelete && (
            <EditName
              id={id}
              name={name}
              rename={(newName) => post("/organisations/{id}/teams/{team}", { params, body: { name: newName } })}
              remove={() => post("/organisations/{id}/teams/{team}/delete", { params })}
            />
          )}
        </Group>
      </Group>
      <Stack>
        <TeamMembers organisation={organisation} team={id} members={members} mayRemove={mayManageTeam} />
        <Keys accountId={account} team={id} />
        <Budgets accountId={account} team={{ id, mayChange: mayManageTeam }} />
      </Stack>
    </Card>
  );
}

function CreateTeam({ organisation }: { readonly organisation: string }) {
  const [opened, { open, close }] = useDisclosure(false);
  const { draft, field } = useDraft({ id: "", name: "", account: "" });
  const create = useChange({
    change: () =>
      post("/organisations/{id}/teams", {
        params: { id: organisation },
        body: { ...draft, name: draft.name || null },
      }),
    changes: ["organisations"],
    onDone: close,
  });
  return (
    <>
      <Button size="xs" onClick={open}>
        {translate("Create team")}
      </Button>
      <Dialog opened={opened} onClose={close} title={translate("Create team")}>
        <FieldsForm change={create} draft={draft} action={translate("Create")}>
          <TextInput label={translate("Id")} required data-autofocus {...field("id", create)} />
          <TextInput label={translate("Name")} {...field("name", create)} />
          <TextInput
            label={translate("Account that pays (teams may share one)")}
            required
            {...field("account", create)}
          />
        </FieldsForm>
      </Dialog>
    </>
  );
}

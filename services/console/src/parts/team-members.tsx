import { post } from "../api/client.ts";
import type { Team } from "../api/types.ts";
import { translate, translateTerm } from "../texts/translate.ts";
import { ConfirmedButton } from "./action-button.tsx";
import { DataTable } from "./data-table.tsx";

interface MembersProps {
  readonly organisation: string;
  /** Team of the members; undefined for the admins of the organisation. */
  readonly team?: string | undefined;
  readonly members: Team["members"];
  readonly mayRemove: boolean;
}

/** Members of a team or admins of an organisation. */
export function TeamMembers({ organisation, team, members, mayRemove }: MembersProps) {
  return (
    <DataTable
      label={translate("Members of {name}", { name: team ?? organisation })}
      rows={members}
      keyOf={({ name }) => name}
      columns={[
        { heading: translate("Name"), cell: ({ name }) => name },
        { heading: translate("Role"), cell: ({ role }) => translateTerm(role) },
        ...(mayRemove
          ? [
              {
                heading: translate("Action"),
                cell: ({ name }: Team["members"][number]) => (
                  <RemoveMember organisation={organisation} team={team} name={name} />
                ),
              },
            ]
          : []),
      ]}
    />
  );
}

function RemoveMember({
  organisation,
  team,
  name,
}: Pick<MembersProps, "organisation" | "team"> & { readonly name: string }) {
  return (
    <ConfirmedButton
      text={translate("Remove")}
      label={translate("Remove {name} from {team}", { name, team: team ?? organisation })}
      consequence={translate("The person loses this access immediately.")}
      run={() =>
        post("/organisations/{id}/members/{name}/remove", {
          params: { id: organisation, name },
          body: { team: team ?? null },
        })
      }
      changes={["organisations"]}
    />
  );
}

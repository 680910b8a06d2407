import { Card, Group, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { get, post } from "../api/client.ts";
import { translate, translateTerm } from "../texts/translate.ts";
import { DataTable } from "./data-table.tsx";
import { Invite } from "./invite.tsx";
import { QueryResult } from "./states.tsx";
import { usePermission } from "./use-may.ts";

/** Members of an account, with a button to invite one. */
export function AccountMembers({ accountId }: { readonly accountId: string }) {
  const mayInvite = usePermission("operator");
  const params = { id: accountId };
  const members = useQuery({
    queryKey: ["members", accountId],
    queryFn: () => get("/accounts/{id}/members", { params }),
  });
  return (
    <Card withBorder>
      <Group justify="space-between" mb="sm">
        <Title order={3} size="h5">
          {translate("Members")}
        </Title>
        {mayInvite && (
          <Invite
            to={accountId}
            roles={["viewer", "operator"]}
            invite={(name, role) => post("/accounts/{id}/members", { params, body: { name, role } })}
            changes={["members"]}
          />
        )}
      </Group>
      <QueryResult query={members}>
        {(rows) =>
          rows.length === 0 ? (
            <Text size="sm" c="dimmed">
              {translate("No members. Members see the whole account.")}
            </Text>
          ) : (
            <DataTable
              label={translate("Members")}
              rows={rows}
              keyOf={({ name }) => name}
              columns={[
                { heading: translate("Name"), cell: ({ name, email }) => email ?? name },
                { heading: translate("Role"), cell: ({ role }) => translateTerm(role) },
                {
                  heading: translate("State"),
                  cell: ({ disabled }) => (disabled ? translate("disabled") : translate("active")),
                },
              ]}
            />
          )
        }
      </QueryResult>
    </Card>
  );
}

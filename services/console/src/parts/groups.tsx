import { Card, Group, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { get } from "../api/client.ts";
import { plainNumber } from "../api/plain-number.ts";
import { DataTable } from "./data-table.tsx";
import { EditPart } from "./edit-part.tsx";
import { Empty, QueryResult } from "./states.tsx";
import { translate } from "../texts/translate.ts";

/** Table of the groups of API keys. */
export function Groups() {
  const groups = useQuery({ queryKey: ["groups"], queryFn: () => get("/groups") });
  return (
    <Card withBorder>
      <Group justify="space-between" mb="sm">
        <Title order={3} size="h5">
          {translate("Groups")}
        </Title>
        <EditPart section="groups" />
      </Group>
      <QueryResult query={groups}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty>{translate("No groups are configured. Every key belongs to a group.")}</Empty>
          ) : (
            <DataTable
              label={translate("Groups")}
              rows={rows}
              keyOf={({ name }) => name}
              columns={[
                { heading: translate("Group"), cell: ({ name }) => name },
                {
                  heading: translate("Price multiplier"),
                  numeric: true,
                  cell: ({ multiplier = 1 }) => plainNumber(multiplier),
                },
                { heading: translate("Models"), cell: ({ models }) => models.join(", ") },
                { heading: translate("Action"), cell: ({ name }) => <EditPart section="groups" name={name} /> },
              ]}
            />
          )
        }
      </QueryResult>
    </Card>
  );
}

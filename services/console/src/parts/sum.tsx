import { Table, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { post } from "../api/client.ts";
import type { Call } from "../api/types.ts";
import { exactUsd } from "../format/money.ts";
import { QueryResult } from "./states.tsx";
import { translate, translateTerm } from "../texts/translate.ts";

/** Cost of a call as a sum of units × price × factor × multiplier. */
export function CostSum({ call }: { readonly call: Call }) {
  const bill = useQuery({
    queryKey: ["bill", call.id],
    queryFn: () => post("/bill", { body: call }),
    staleTime: Infinity,
  });
  return (
    <QueryResult query={bill}>
      {({ lines, otherNanos }) => (
        <Table aria-label={translate("Cost")}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{translate("Unit")}</Table.Th>
              <Table.Th ta="right">{translate("Amount × price per unit")}</Table.Th>
              <Table.Th ta="right">{translate("Cost")}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {lines.map(({ model, unit, amount, dollarsEach, factor, multiplier, dollars }) => (
              <Table.Tr key={`${model} ${unit}`}>
                <Table.Td>{model === undefined ? translateTerm(unit) : `${model}: ${translateTerm(unit)}`}</Table.Td>
                <Table.Td ta="right" style={{ whiteSpace: "nowrap" }}>
                  {amount} × ${dollarsEach}
                  {factor === "1" ? "" : ` × ${factor}`}
                  {multiplier === "1" ? "" : ` × ${multiplier}`}
                </Table.Td>
                <Table.Td ta="right">${dollars}</Table.Td>
              </Table.Tr>
            ))}
            {otherNanos !== "0" && (
              <Table.Tr>
                <Table.Td>{translate("other")}</Table.Td>
                <Table.Td ta="right">
                  <Text size="sm">
                    {translate("price by resolution, or minimum charge of a call that did not finish")}
                  </Text>
                </Table.Td>
                <Table.Td ta="right">{exactUsd(otherNanos)}</Table.Td>
              </Table.Tr>
            )}
          </Table.Tbody>
          <Table.Tfoot>
            <Table.Tr>
              <Table.Th>{translate("rounded to the nano-dollar")}</Table.Th>
              <Table.Td />
              <Table.Th ta="right">{exactUsd(call.costNanos)}</Table.Th>
            </Table.Tr>
          </Table.Tfoot>
        </Table>
      )}
    </QueryResult>
  );
}

import { ScrollArea, Table } from "@mantine/core";
import type { ReactNode } from "react";

/** A column of a table: its heading and what its cells show. */
export interface Column<Row> {
  readonly heading: string;
  readonly cell: (row: Row) => ReactNode;
  /** Numbers are set to the right. */
  readonly numeric?: boolean;
}

/** A table that scrolls sideways on narrow screens, by keyboard too. */
export function DataTable<Row>({
  label,
  rows,
  columns,
  keyOf,
}: {
  readonly label: string;
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  readonly keyOf: (row: Row) => string;
}) {
  const align = ({ numeric }: Column<Row>) => (numeric === true ? "right" : "left");
  return (
    <ScrollArea type="auto" viewportProps={{ tabIndex: 0, role: "region", "aria-label": label }}>
      <Table striped highlightOnHover aria-label={label} style={{ fontVariantNumeric: "tabular-nums" }}>
        <Table.Thead>
          <Table.Tr>
            {columns.map((column) => (
              <Table.Th key={column.heading} ta={align(column)} style={{ whiteSpace: "nowrap" }}>
                {column.heading}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={keyOf(row)}>
              {columns.map((column) => (
                <Table.Td key={column.heading} ta={align(column)}>
                  {column.cell(row)}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </ScrollArea>
  );
}

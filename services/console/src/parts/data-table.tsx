import { Button, Group, ScrollArea, Table } from "@mantine/core";
import { useRef, type ReactNode } from "react";
import { csvOf, saveFile } from "./csv.ts";
import { useRowWindow } from "./use-row-window.ts";
import { translate } from "../texts/translate.ts";

const narrowPadding = 6;

export interface Column<Row> {
  readonly heading: string;
  readonly cell: (row: Row) => ReactNode;
  /** True for numbers, which are aligned to the right. */
  readonly numeric?: boolean;
}

/** Table that scrolls horizontally and can be saved as CSV. */
export function DataTable<Row>({
  label,
  rows,
  columns,
  keyOf,
  withCsv = true,
  rowHeight,
}: {
  readonly label: string;
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  readonly keyOf: (row: Row) => string;
  readonly withCsv?: boolean;
  /** Height of every row in px. If present, only visible rows are rendered, and there is no CSV. */
  readonly rowHeight?: number;
}) {
  const table = useRef<HTMLTableElement>(null);
  const body = useRef<HTMLTableSectionElement>(null);
  const { first, last } = useRowWindow(body, rows.length, rowHeight);
  const save = (): void => {
    if (table.current !== null) saveFile(`${label.toLowerCase().replaceAll(" ", "-")}.csv`, csvOf(table.current));
  };
  return (
    <>
      <ScrollArea type="auto" viewportProps={{ tabIndex: 0, role: "region", "aria-label": label }}>
        <Table
          striped
          highlightOnHover
          aria-label={label}
          horizontalSpacing={rowHeight === undefined ? "xs" : narrowPadding}
          style={{ fontVariantNumeric: "tabular-nums" }}
          ref={table}
        >
          <Head columns={columns} />
          <Table.Tbody ref={body}>
            <RowSpace rows={first} rowHeight={rowHeight} columns={columns.length} />
            {rows.slice(first, last).map((row) => (
              <Table.Tr key={keyOf(row)} h={rowHeight}>
                <Cells row={row} columns={columns} rowHeight={rowHeight} />
              </Table.Tr>
            ))}
            <RowSpace rows={rows.length - last} rowHeight={rowHeight} columns={columns.length} />
          </Table.Tbody>
        </Table>
      </ScrollArea>
      {withCsv && rowHeight === undefined && (
        <Group justify="end">
          <Button
            size="compact-xs"
            variant="subtle"
            onClick={save}
            aria-label={translate("Save {what} as CSV", { what: label })}
          >
            {translate("CSV")}
          </Button>
        </Group>
      )}
    </>
  );
}

function Cells<Row>({
  row,
  columns,
  rowHeight,
}: {
  readonly row: Row;
  readonly columns: readonly Column<Row>[];
  readonly rowHeight: number | undefined;
}) {
  return columns.map((column) => (
    <Table.Td key={column.heading} ta={align(column)} style={lineOf(column, rowHeight)}>
      {column.cell(row)}
    </Table.Td>
  ));
}

function RowSpace({
  rows,
  rowHeight = 0,
  columns,
}: {
  readonly rows: number;
  readonly rowHeight: number | undefined;
  readonly columns: number;
}) {
  if (rows === 0) return null;
  return (
    <tr aria-hidden style={{ height: rows * rowHeight }}>
      <td colSpan={columns} />
    </tr>
  );
}

function Head<Row>({ columns }: { readonly columns: readonly Column<Row>[] }) {
  return (
    <Table.Thead>
      <Table.Tr>
        {columns.map((column) => (
          <Table.Th key={column.heading} ta={align(column)}>
            {column.heading}
          </Table.Th>
        ))}
      </Table.Tr>
    </Table.Thead>
  );
}

/** Keeps numbers and rows of fixed height on one line. */
function lineOf({ numeric }: { readonly numeric?: boolean }, rowHeight: number | undefined) {
  return numeric === true || rowHeight !== undefined ? ({ whiteSpace: "nowrap" } as const) : undefined;
}

function align({ numeric }: { readonly numeric?: boolean }): "right" | "left" {
  return numeric === true ? "right" : "left";
}

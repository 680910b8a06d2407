import { Badge, Card, Code, Group, Table, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import type { Call } from "../api/types.ts";
import { exactUsd } from "../format/money.ts";
import { formatDuration } from "../format/numbers.ts";
import { translate, translateTerm } from "../texts/translate.ts";

type Try = NonNullable<Call["tries"]>[number];

export function Timeline({ call }: { readonly call: Call }) {
  const { tries = [], dropped = [], heldNanos, firstByteMs, latencyMs, costNanos } = call;
  return (
    <Card withBorder>
      <Title order={3} size="h5" mb="xs">
        {translate("Timeline")}
      </Title>
      <Table aria-label={translate("Timeline")}>
        <Table.Tbody>
          <Step name={translate("held")} after="0 ms">
            {heldNanos === undefined ? translate("unknown") : exactUsd(heldNanos)}
          </Step>
          {tries.map((one, at) => (
            // Attempts have no id and never change their order.
            // oxlint-disable-next-line react/no-array-index-key
            <Step key={at} name={translate("attempt {number}", { number: at + 1 })} after={formatDuration(one.ms)}>
              <Attempt attempt={one} />
            </Step>
          ))}
          <Step name={translate("first byte")} after={formatDuration(firstByteMs)} />
          <Step name={translate("settled")} after={formatDuration(latencyMs)}>
            {exactUsd(costNanos)}
          </Step>
        </Table.Tbody>
      </Table>
      {dropped.length > 0 && (
        <Group gap={4} mt="xs">
          <Text size="sm">{translate("Dropped because the vendor does not support it:")}</Text>
          {dropped.map((name) => (
            <Code key={name}>{name}</Code>
          ))}
        </Group>
      )}
    </Card>
  );
}

function Step({
  name,
  after,
  children,
}: {
  readonly name: string;
  readonly after: string;
  readonly children?: ReactNode;
}) {
  return (
    <Table.Tr>
      <Table.Th style={{ whiteSpace: "nowrap" }}>{name}</Table.Th>
      <Table.Td>{children}</Table.Td>
      <Table.Td ta="right" style={{ whiteSpace: "nowrap" }}>
        {after}
      </Table.Td>
    </Table.Tr>
  );
}

function Attempt({ attempt }: { readonly attempt: Try }) {
  const { channel, key, status, failed, vendorCode, vendorMessage, added = [] } = attempt;
  return (
    <Group gap={6}>
      <Text size="sm">
        {channel} / {key}
      </Text>
      <Badge variant="dot" color={failed === undefined ? "teal" : "red"}>
        {failed === undefined ? translateTerm("answered") : failed} {status ?? ""}
      </Badge>
      {vendorCode !== undefined && <Code>{vendorCode}</Code>}
      {vendorMessage !== undefined && (
        <Text size="sm" c="dimmed" style={{ overflowWrap: "anywhere" }}>
          {vendorMessage}
        </Text>
      )}
      {added.length > 0 && (
        <Text size="sm" c="dimmed" style={{ overflowWrap: "anywhere" }}>
          {translate("The channel added {names}", { names: added.join(", ") })}
        </Text>
      )}
    </Group>
  );
}

import { Group, Stack, Title } from "@mantine/core";
import type { ReactNode } from "react";

/** Page with a heading and controls. */
export function Page({
  title,
  controls,
  children,
}: {
  readonly title: ReactNode;
  readonly controls?: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <Stack gap="md">
      <Group justify="space-between">
        <Title order={2}>{title}</Title>
        {controls}
      </Group>
      {children}
    </Stack>
  );
}

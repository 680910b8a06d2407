import { Group, Stack, Title } from "@mantine/core";
import type { ReactNode } from "react";

/** Page: heading, controls next to the heading, and content. */
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

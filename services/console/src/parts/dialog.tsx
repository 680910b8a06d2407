import { CloseButton, Group, Modal, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { translate } from "../texts/translate.ts";

/** Dialog over the page. Its heading is no <header>, because a page may have only one. */
export function Dialog({
  title,
  opened,
  onClose,
  children,
}: {
  readonly title: string;
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
}) {
  return (
    <Modal.Root opened={opened} onClose={onClose} size="lg">
      <Modal.Overlay />
      <Modal.Content aria-label={title}>
        <Modal.Body>
          <Group justify="space-between" mb="sm">
            <Title order={2} size="h4">
              {title}
            </Title>
            <CloseButton aria-label={translate("Close")} onClick={onClose} />
          </Group>
          {children}
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}

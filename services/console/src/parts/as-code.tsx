import { Button, Stack } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { translate } from "../texts/translate.ts";
import type { Gateway } from "./client-settings.ts";
import { samplesFor } from "./code-samples.ts";
import { CopiedTabs } from "./copied-tabs.tsx";
import type { PlaygroundKind } from "./playground-kinds.ts";

/** SDK code for a call of the playground, without the API key. */
export function AsCode({
  kind,
  gateway,
  text,
}: {
  readonly kind: PlaygroundKind;
  readonly gateway: Omit<Gateway, "key">;
  readonly text: string;
}) {
  const [opened, { toggle }] = useDisclosure(false);
  const samples = samplesFor(kind, { ...gateway, key: "sk-your-key" }, text);
  return (
    <Stack mt="sm" align="flex-start">
      <Button size="compact-xs" variant="default" onClick={toggle} aria-expanded={opened}>
        {translate("View code")}
      </Button>
      {opened && <CopiedTabs texts={samples} labelOf={(client) => translate("Code for {client}", { client })} />}
    </Stack>
  );
}

import { Button, Stack, Tabs } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { say } from "../texts/say.ts";
import { samplesFor, type CodeKind } from "./code-samples.ts";
import { Copied } from "./copied.tsx";
import type { Gateway } from "./new-key.tsx";

/** The call of the playground as code of an SDK, to copy. The key itself is not in it. */
export function AsCode({
  kind,
  gateway,
  text,
}: {
  readonly kind: CodeKind;
  readonly gateway: Gateway;
  readonly text: string;
}) {
  const [opened, { toggle }] = useDisclosure(false);
  const samples = samplesFor(kind, { ...gateway, key: "sk-your-key" }, text);
  return (
    <Stack mt="sm" align="flex-start">
      <Button size="compact-xs" variant="subtle" onClick={toggle} aria-expanded={opened}>
        {say("As code")}
      </Button>
      {opened && (
        <Tabs defaultValue={Object.keys(samples)[0] ?? null} keepMounted={false} w="100%">
          <Tabs.List>
            {Object.keys(samples).map((name) => (
              <Tabs.Tab key={name} value={name}>
                {name}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          {Object.entries(samples).map(([name, code]) => (
            <Tabs.Panel key={name} value={name} pt="xs">
              <Copied text={code} label={say("Code for {client}", { client: name })} />
            </Tabs.Panel>
          ))}
        </Tabs>
      )}
    </Stack>
  );
}

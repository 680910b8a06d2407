import { Tabs } from "@mantine/core";
import { Copied } from "./copied.tsx";

/** Tabs with texts to copy, by the tabs' names. */
export function CopiedTabs({
  texts,
  labelOf,
}: {
  readonly texts: Readonly<Record<string, string>>;
  readonly labelOf: (name: string) => string;
}) {
  // Numbered, because a tab's value becomes part of an id, which must not contain a space.
  const tabs = Object.entries(texts).map(([name, text], at) => ({ name, text, value: String(at) }));
  return (
    <Tabs defaultValue="0" keepMounted={false} w="100%">
      <Tabs.List>
        {tabs.map(({ name, value }) => (
          <Tabs.Tab key={name} value={value}>
            {name}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {tabs.map(({ name, text, value }) => (
        <Tabs.Panel key={name} value={value} pt="xs">
          <Copied text={text} label={labelOf(name)} />
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}

import { Button, Code, CopyButton, Group } from "@mantine/core";

/** A text with a button that copies it. */
export function Copied({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <Group align="start" wrap="nowrap">
      <Code block flex={1} aria-label={label} style={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}>
        {text}
      </Code>
      <CopyButton value={text}>
        {({ copied, copy }) => (
          <Button size="xs" variant="default" onClick={copy} aria-label={`Copy ${label}`}>
            {copied ? "Copied" : "Copy"}
          </Button>
        )}
      </CopyButton>
    </Group>
  );
}

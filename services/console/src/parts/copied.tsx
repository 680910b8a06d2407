import { Button, Code, CopyButton, Group } from "@mantine/core";
import { say } from "../texts/say.ts";

/** Text with a copy button. */
export function Copied({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <Group align="start" wrap="nowrap">
      <Code block flex={1} aria-label={label} style={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}>
        {text}
      </Code>
      <CopyButton value={text}>
        {({ copied, copy }) => (
          <Button size="xs" variant="default" onClick={copy} aria-label={say("Copy {what}", { what: label })}>
            {copied ? say("Copied") : say("Copy")}
          </Button>
        )}
      </CopyButton>
    </Group>
  );
}

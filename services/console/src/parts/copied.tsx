import { Button, Code, CopyButton, Group } from "@mantine/core";
import { translate } from "../texts/translate.ts";

/** Text with a copy button. */
export function Copied({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <Group align="start" wrap="nowrap">
      <Code block flex={1} aria-label={label} style={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}>
        {text}
      </Code>
      <CopyButton value={text}>
        {({ copied, copy }) => (
          <Button size="xs" variant="default" onClick={copy} aria-label={translate("Copy {what}", { what: label })}>
            {copied ? translate("Copied") : translate("Copy")}
          </Button>
        )}
      </CopyButton>
    </Group>
  );
}

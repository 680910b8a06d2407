import { Button, Code, Group } from "@mantine/core";
import { useTimeout } from "@mantine/hooks";
import { useRef, useState, type RefObject } from "react";
import { translate } from "../texts/translate.ts";
import { copyOrSelect } from "./copy-or-select.ts";

const resultMs = 3_000;

/** Text with a copy button. */
export function Copied({ text, label }: { readonly text: string; readonly label: string }) {
  const code = useRef<HTMLElement>(null);
  return (
    <Group align="start" wrap="nowrap">
      <Code block flex={1} ref={code} aria-label={label} style={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}>
        {text}
      </Code>
      <CopyButton code={code} label={translate("Copy {what}", { what: label })} />
    </Group>
  );
}

/** Short text with a copy button. */
export function CopiedWord({ text }: { readonly text: string }) {
  const code = useRef<HTMLElement>(null);
  return (
    <Group gap="xs">
      <Code ref={code}>{text}</Code>
      <CopyButton code={code} />
    </Group>
  );
}

function CopyButton({ code, label }: { readonly code: RefObject<HTMLElement | null>; readonly label?: string }) {
  const [text, setText] = useState<"Copy" | "Copied" | "Selected: press Ctrl+C or ⌘C">("Copy");
  const { start } = useTimeout(() => setText("Copy"), resultMs);
  const copy = async (): Promise<void> => {
    const { current } = code;
    if (current === null) return;
    const select = () => getSelection()?.selectAllChildren(current);
    const isCopied = await copyOrSelect(current.textContent, select, navigator.clipboard);
    setText(isCopied ? "Copied" : "Selected: press Ctrl+C or ⌘C");
    start();
  };
  return (
    <Button size="xs" variant="default" onClick={() => void copy()} aria-label={label}>
      {translate(text)}
    </Button>
  );
}

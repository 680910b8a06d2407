import { Alert, Button, Card, Group, Select, Stack, Text } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import type { Model } from "../api/types.ts";
import { translate } from "../texts/translate.ts";
import { AsCode } from "./as-code.tsx";
import type { GatewayAccess, GatewayModel } from "./gateway-request.ts";
import { PageLink } from "./page-link.tsx";
import { openSession } from "./spoken-session.ts";

/** Spoken session with a realtime model. */
export function PlaygroundSession({
  gateway,
  models,
}: {
  readonly gateway: GatewayAccess;
  readonly models: readonly Model[];
}) {
  const names = models.filter(({ kind }) => kind === "realtime").map(({ name }) => name);
  const [chosen, setChosen] = useState<string | null>(null);
  const model = chosen ?? names[0] ?? "";
  const { lines, used, state, failure, begin, end } = useSession({ ...gateway, model });
  return (
    <Card withBorder>
      <Stack>
        <Select label={translate("Model")} data={names} value={model || null} onChange={setChosen} w={280} />
        <Group>
          {state === "open" ? (
            <Button color="red" onClick={end}>
              {translate("End the session")}
            </Button>
          ) : (
            <Button loading={state === "opening"} disabled={model === ""} onClick={() => void begin()}>
              {translate("Speak")}
            </Button>
          )}
          <Text size="sm" role="status">
            {state === "open" ? translate("The microphone is on.") : ""}
          </Text>
        </Group>
        {names.length === 0 && <Text size="sm">{translate("No model of this kind is configured.")}</Text>}
        {failure !== undefined && (
          <Alert color="red" title={translate("The call failed")} role="alert">
            {failure}
          </Alert>
        )}
        <Stack gap={4} aria-label={translate("Transcript")} role="log">
          {lines.map((line, at) => (
            // Lines are only appended, and only the last line grows.
            // oxlint-disable-next-line react/no-array-index-key
            <Text key={at}>{line}</Text>
          ))}
        </Stack>
        {used !== undefined && (
          <Group gap="xs">
            <Text size="xs" c="dimmed">
              {translate("{input} + {output} tokens", used)}
            </Text>
            <PageLink size="xs" to="/calls" search={{ span: "1d", model }}>
              {translate("cost details")}
            </PageLink>
          </Group>
        )}
        <AsCode kind="realtime" gateway={{ address: gateway.address, model }} text="" />
      </Stack>
    </Card>
  );
}

/** Returns the session of this page, which ends with the page. */
function useSession(gateway: GatewayModel) {
  const [lines, setLines] = useState<readonly string[]>([]);
  const [state, setState] = useState<"closed" | "opening" | "open">("closed");
  const [failure, setFailure] = useState<string>();
  const [used, setUsed] = useState<{ readonly input: number; readonly output: number }>();
  const close = useRef<() => void>(undefined);
  useEffect(() => () => close.current?.(), []);
  const begin = async (): Promise<void> => {
    setState("opening");
    setLines([]);
    setUsed(undefined);
    setFailure(undefined);
    try {
      close.current = await openSession(gateway, {
        onText: (text, isNew) =>
          setLines((before) => (isNew ? [...before, text] : [...before.slice(0, -1), (before.at(-1) ?? "") + text])),
        onUsage: (input, output) =>
          setUsed((before) => ({ input: (before?.input ?? 0) + input, output: (before?.output ?? 0) + output })),
        onEnd: (why) => {
          setState("closed");
          setFailure(why);
        },
      });
      setState("open");
    } catch (error) {
      setState("closed");
      setFailure(error instanceof Error ? error.message : String(error));
    }
  };
  return { lines, used, state, failure, begin, end: () => close.current?.() };
}

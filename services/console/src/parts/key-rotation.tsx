import { Button, Group, NativeSelect, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useState } from "react";
import { post } from "../api/client.ts";
import type { Token } from "../api/types.ts";
import { localTime } from "../format/times.ts";
import { ConfirmedButton } from "./action-button.tsx";
import { Dialog } from "./dialog.tsx";
import { NewKey } from "./new-key.tsx";
import { FailedChange, useChange } from "./use-change.tsx";
import { translate } from "../texts/translate.ts";

/** Texts for the seconds for which an old key works. */
const gracePeriods = {
  0: "Immediately",
  3_600: "1 hour",
  86_400: "1 day",
  604_800: "7 days",
  2_592_000: "30 days",
} as const;
const defaultGrace = "604800";

/** Button that replaces the key of a token. The new key is shown once. */
export function RotateKey({ token: { id, name, previous } }: { readonly token: Token }) {
  const [opened, { open, close }] = useDisclosure(false);
  const [grace, setGrace] = useState(defaultGrace);
  const [key, setKey] = useState<string>();
  const change = useChange({
    change: () => post("/tokens/{id}/rotate", { params: { id }, body: { graceSeconds: Number(grace) } }),
    changes: ["tokens"],
    onDone: (rotated) => setKey(rotated.key),
  });
  const end = (): void => {
    close();
    setKey(undefined);
    setGrace(defaultGrace);
  };
  const title = translate("Rotate the key {name}", { name: name ?? id });
  return (
    <>
      <Button size="compact-xs" variant="default" onClick={open} aria-label={title}>
        {translate("Rotate")}
      </Button>
      <Dialog opened={opened} onClose={end} title={title}>
        {key === undefined ? (
          <Stack>
            <Text>{translate("The new key has the same limits and budgets.")}</Text>
            <NativeSelect
              label={translate("Old key expires after")}
              data={Object.entries(gracePeriods).map(([value, text]) => ({ value, label: translate(text) }))}
              value={grace}
              onChange={(event) => setGrace(event.currentTarget.value)}
            />
            {previous !== undefined && Date.parse(previous.expiresAt) > Date.now() && (
              <div>
                <Text size="sm">{translate("If you rotate again, the previous key stops working immediately.")}</Text>
                <PreviousKey previous={previous} />
              </div>
            )}
            <FailedChange error={change.error} />
            <Group justify="end">
              <Button loading={change.isPending} onClick={change.start}>
                {translate("Rotate")}
              </Button>
            </Group>
          </Stack>
        ) : (
          <NewKey value={key} />
        )}
      </Dialog>
    </>
  );
}

/** Button that deletes a token after a confirmation. */
export function DeleteKey({ token: { id, name } }: { readonly token: Token }) {
  return (
    <ConfirmedButton
      text={translate("Delete")}
      label={translate("Delete the key {name}", { name: name ?? id })}
      consequence={translate("The key stops working immediately. This cannot be undone. Its usage is kept.")}
      run={() => post("/tokens/{id}/delete", { params: { id } })}
      changes={["tokens", "budgets"]}
    />
  );
}

/** End and last use of the replaced key. */
export function PreviousKey({ previous }: { readonly previous: NonNullable<Token["previous"]> }) {
  const { hint, expiresAt, lastUsedAt } = previous;
  const used = lastUsedAt === undefined ? translate("never") : localTime(lastUsedAt);
  return (
    <Text size="xs" c="dimmed">
      {translate("Old key {hint}: expires {time}, last used {used}", { hint, time: localTime(expiresAt), used })}
    </Text>
  );
}

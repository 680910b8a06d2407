import { Alert, Button, Group, Loader, Stack, Text } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { get } from "../api/client.ts";
import { settingsFor } from "./client-settings.ts";
import { Copied } from "./copied.tsx";
import { CopiedTabs } from "./copied-tabs.tsx";
import { chatOnce } from "./gateway.ts";
import type { GatewayModel } from "./gateway-request.ts";
import { translate } from "../texts/translate.ts";

/** New API key, which is shown only once, with settings and a test call. */
export function NewKey({ value }: { readonly value: string }) {
  const status = useQuery({ queryKey: ["config"], queryFn: () => get("/config") });
  const models = useQuery({ queryKey: ["models"], queryFn: () => get("/models") });
  const model = models.data?.find(({ kind, channels }) => kind === "chat" && channels.length > 0)?.name;
  const address = status.data?.edgeUrl ?? undefined;
  return (
    <Stack>
      <Alert color="teal" title={translate("Copy the key now: it is shown only once")}>
        <Copied text={value} label={translate("Key")} />
      </Alert>
      {status.isPending || models.isPending ? (
        <Loader role="status" size="sm" aria-label={translate("Loading")} />
      ) : (
        <CopiedTabs
          texts={settingsFor({ address: address ?? "https://your-gateway", key: value, model: model ?? "your-model" })}
          labelOf={(client) => translate("Settings for {client}", { client })}
        />
      )}
      {address !== undefined && model !== undefined && (
        <FirstCall gateway={{ address, key: async () => value, model }} />
      )}
    </Stack>
  );
}

function FirstCall({ gateway }: { readonly gateway: GatewayModel }) {
  const call = useMutation({ mutationFn: () => chatOnce(gateway, "Say hello.") });
  return (
    <Stack gap="xs">
      <Group>
        <Button size="xs" loading={call.isPending} onClick={() => call.mutate()}>
          {translate("Send a test call")}
        </Button>
        <Text size="sm" c="dimmed">
          {translate("to {model}", { model: gateway.model })}
        </Text>
      </Group>
      {call.data !== undefined && (
        <Alert color="teal" title={translate("Answer")} role="status">
          {call.data}
        </Alert>
      )}
      {call.error !== null && (
        <Alert color="red" title={translate("The call failed")} role="alert">
          {call.error.message}
        </Alert>
      )}
    </Stack>
  );
}

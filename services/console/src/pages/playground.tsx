import { PasswordInput, Stack, Tabs } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { get } from "../api/client.ts";
import type { Model } from "../api/types.ts";
import { Page } from "../parts/page.tsx";
import { PlaygroundChat } from "../parts/playground-chat.tsx";
import { PlaygroundMedia } from "../parts/playground-media.tsx";
import { PlaygroundSession } from "../parts/playground-session.tsx";
import { Empty, QueryResult } from "../parts/states.tsx";
import { playgroundKinds, type PlaygroundKind } from "../parts/playground-kinds.ts";
import { say, sayWord } from "../texts/say.ts";

const route = getRouteApi("/frame/playground");

/** Page on which every kind of call can be made with an API key, as a client would. */
export function PlaygroundPage() {
  const status = useQuery({ queryKey: ["config"], queryFn: () => get("/config") });
  return (
    <Page title={say("Playground")}>
      <QueryResult query={status}>
        {({ edgeUrl }) =>
          edgeUrl === null ? (
            <Empty>{say("To use the playground, set EDGE_URL of control to the address that clients use.")}</Empty>
          ) : (
            <Playground address={edgeUrl} />
          )
        }
      </QueryResult>
    </Page>
  );
}

function Playground({ address }: { readonly address: string }) {
  const { kind } = route.useSearch();
  const navigate = route.useNavigate();
  const models = useQuery({ queryKey: ["models"], queryFn: () => get("/models") });
  const [key, setKey] = useState("");
  const choose = (chosen: string | null): void => {
    const found = playgroundKinds.find((known) => known === chosen);
    if (found !== undefined) void navigate({ search: { kind: found } });
  };
  return (
    <Stack>
      <PasswordInput
        label={say("Key")}
        description={say("Stored on this page only")}
        required
        w={280}
        value={key}
        onChange={({ currentTarget }) => setKey(currentTarget.value)}
      />
      <Tabs value={kind} onChange={choose} keepMounted={false}>
        <Tabs.List>
          {playgroundKinds.map((name) => (
            <Tabs.Tab key={name} value={name}>
              {sayWord(name)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {playgroundKinds.map((name) => (
          <Tabs.Panel key={name} value={name} pt="md">
            <KindPanel kind={name} address={address} apiKey={key} models={models.data ?? []} />
          </Tabs.Panel>
        ))}
      </Tabs>
    </Stack>
  );
}

function KindPanel({
  kind,
  ...given
}: {
  readonly kind: PlaygroundKind;
  readonly address: string;
  readonly apiKey: string;
  readonly models: readonly Model[];
}) {
  if (kind === "chat") return <PlaygroundChat {...given} />;
  if (kind === "realtime") return <PlaygroundSession {...given} />;
  return <PlaygroundMedia kind={kind} {...given} />;
}

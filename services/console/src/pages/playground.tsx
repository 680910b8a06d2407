import { Group, Select, Stack, Tabs } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { get } from "../api/client.ts";
import type { Model, PlaygroundAccount } from "../api/types.ts";
import type { GatewayAccess } from "../parts/gateway-request.ts";
import { Page } from "../parts/page.tsx";
import { PlaygroundChat } from "../parts/playground-chat.tsx";
import { usePlaygroundKey } from "../parts/playground-key.ts";
import { PlaygroundMedia } from "../parts/playground-media.tsx";
import { PlaygroundSession } from "../parts/playground-session.tsx";
import { Empty, QueryResult } from "../parts/states.tsx";
import { playgroundKinds, type PlaygroundKind } from "../parts/playground-kinds.ts";
import { usePermission } from "../parts/use-may.ts";
import { translate, translateTerm } from "../texts/translate.ts";

const route = getRouteApi("/frame/playground");

/** Page on which a person can make every kind of call. */
export function PlaygroundPage() {
  const mayCall = usePermission("operator", "as a member too");
  return (
    <Page title={translate("Playground")}>
      {mayCall ? (
        <OwnPlayground />
      ) : (
        <Empty>{translate("Your role permits no calls. Ask an admin for a higher one.")}</Empty>
      )}
    </Page>
  );
}

function OwnPlayground() {
  const status = useQuery({ queryKey: ["config"], queryFn: () => get("/config") });
  const accounts = useQuery({ queryKey: ["playground-accounts"], queryFn: () => get("/playground/accounts") });
  return (
    <QueryResult query={status}>
      {({ edgeUrl }) =>
        edgeUrl === null ? (
          <Empty>{translate("To use the playground, set EDGE_URL of control to the address that clients use.")}</Empty>
        ) : (
          <QueryResult query={accounts}>
            {([first, ...others]) =>
              first === undefined ? (
                <Empty>{translate("No account pays for your calls yet. Ask an admin for an account or a team.")}</Empty>
              ) : (
                <Playground address={edgeUrl} accounts={[first, ...others]} />
              )
            }
          </QueryResult>
        )
      }
    </QueryResult>
  );
}

interface PlaygroundProps {
  readonly address: string;
  readonly accounts: readonly [PlaygroundAccount, ...PlaygroundAccount[]];
}

function Playground({ address, accounts }: PlaygroundProps) {
  const { kind } = route.useSearch();
  const navigate = route.useNavigate();
  const models = useQuery({ queryKey: ["models"], queryFn: () => get("/models") });
  const groups = useQuery({ queryKey: ["groups"], queryFn: () => get("/groups") });
  const [account, setAccount] = useState(accounts[0]);
  const [group, setGroup] = useState<string | null>(null);
  const gateway = { address, key: usePlaygroundKey(account, group) };
  const choose = (chosen: string | null): void => {
    const found = playgroundKinds.find((known) => known === chosen);
    if (found !== undefined) void navigate({ search: { kind: found } });
  };
  return (
    <Stack>
      <Group align="end">
        {accounts.length > 1 && (
          <Select
            label={translate("Account that pays")}
            searchable
            allowDeselect={false}
            data={accounts.map(nameOf)}
            value={nameOf(account)}
            onChange={(name) => setAccount(accounts.find((each) => nameOf(each) === name) ?? account)}
          />
        )}
        {(groups.data ?? []).length > 1 && (
          <Select
            label={translate("Group")}
            placeholder={translate("Same as your keys")}
            clearable
            data={(groups.data ?? []).map(({ name }) => name)}
            value={group}
            onChange={setGroup}
          />
        )}
      </Group>
      <Tabs value={kind} onChange={choose} keepMounted={false}>
        <Tabs.List>
          {playgroundKinds.map((name) => (
            <Tabs.Tab key={name} value={name}>
              {translateTerm(name)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {playgroundKinds.map((name) => (
          <Tabs.Panel key={name} value={name} pt="md">
            <KindPanel kind={name} gateway={gateway} models={models.data ?? []} />
          </Tabs.Panel>
        ))}
      </Tabs>
    </Stack>
  );
}

function nameOf({ account, team }: PlaygroundAccount): string {
  return team === null ? account : `${team} (${account})`;
}

function KindPanel({
  kind,
  ...panelProps
}: {
  readonly kind: PlaygroundKind;
  readonly gateway: GatewayAccess;
  readonly models: readonly Model[];
}) {
  if (kind === "chat") return <PlaygroundChat {...panelProps} />;
  if (kind === "realtime") return <PlaygroundSession {...panelProps} />;
  return <PlaygroundMedia kind={kind} {...panelProps} />;
}

import { Alert, Button, Card, Code, Group, Stack, Text, Title } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { get, post } from "../api/client.ts";
import type { ConfigurationDocument, DifferenceLine } from "../api/types.ts";
import { localTime } from "../format/times.ts";
import { ChangeResult, Problems } from "../parts/change-result.tsx";
import { DataTable } from "../parts/data-table.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Page } from "../parts/page.tsx";
import { QueryResult } from "../parts/states.tsx";
import { FailedChange, useChange } from "../parts/use-change.tsx";
import { usePermission } from "../parts/use-may.ts";
import { YamlEditor } from "../parts/yaml-editor.tsx";
import { translate } from "../texts/translate.ts";

const changedQueries = ["configuration", "versions", "models", "channels", "groups"];

/** Page of the configuration as YAML. A configuration file is read-only. */
export function ConfigurationPage() {
  const configuration = useQuery({
    queryKey: ["configuration"],
    queryFn: () => get("/configuration"),
  });
  return (
    <Page title={translate("Configuration")}>
      <QueryResult query={configuration}>
        {(found) => (
          <Stack>
            {found.problems.length > 0 && (
              <Problems
                title={translate("Errors were found. The last valid version is still active")}
                color="red"
                problems={found.problems}
              />
            )}
            {found.source === "file" ? (
              <FromFile found={found} />
            ) : (
              <YamlEditor found={found} changes={changedQueries} />
            )}
            {found.source === "books" && <History />}
          </Stack>
        )}
      </QueryResult>
    </Page>
  );
}

function FromFile({ found }: { readonly found: ConfigurationDocument }) {
  return (
    <Card withBorder>
      <Alert mb="sm" title={translate("The configuration is a file")}>
        {translate(
          "MODELGATE_CONFIG names {path}. Changes to that file take effect immediately; changes on these pages are shown as YAML to copy.",
          { path: found.path ?? "" },
        )}
      </Alert>
      <Code block aria-label={translate("Configuration")} tabIndex={0} mah={600} style={{ overflow: "auto" }}>
        {found.document}
      </Code>
    </Card>
  );
}

function History() {
  const [shown, setShown] = useState<number>();
  const versions = useQuery({
    queryKey: ["versions"],
    queryFn: () => get("/configuration/versions"),
  });
  return (
    <Card withBorder>
      <Title order={3} size="h5" mb="sm">
        {translate("Versions")}
      </Title>
      <QueryResult query={versions}>
        {(rows) => (
          <DataTable
            label={translate("Versions")}
            rows={rows}
            keyOf={({ version }) => String(version)}
            columns={[
              { heading: translate("Version"), numeric: true, cell: ({ version }) => version },
              { heading: translate("Time"), cell: ({ time }) => localTime(time) },
              { heading: translate("Author"), cell: ({ actor }) => actor },
              { heading: translate("Note"), cell: ({ note }) => note },
              {
                heading: translate("Change"),
                cell: ({ version }) => (
                  <Button
                    size="compact-xs"
                    variant="default"
                    aria-label={translate("show version {version}", { version })}
                    onClick={() => setShown(version)}
                  >
                    {translate("show")}
                  </Button>
                ),
              },
            ]}
          />
        )}
      </QueryResult>
      {shown !== undefined && <Version key={shown} version={shown} />}
    </Card>
  );
}

const lineSigns = { added: "+", removed: "-", same: " " } as const;
const backgrounds = {
  added: "var(--mantine-color-teal-light)",
  removed: "var(--mantine-color-red-light)",
  same: undefined,
} as const;

function Difference({ label, lines }: { readonly label: string; readonly lines: readonly DifferenceLine[] }) {
  return (
    <Code block aria-label={label} tabIndex={0}>
      {lines.map(({ kind, text }, at) => (
        <div key={`${at} ${text}`} style={{ background: backgrounds[kind] }}>
          {lineSigns[kind]} {text}
        </div>
      ))}
    </Code>
  );
}

function Version({ version }: { readonly version: number }) {
  const mayRestore = usePermission("admin");
  const [opened, { open, close }] = useDisclosure(false);
  const versionQuery = useQuery({
    queryKey: ["versions", version],
    queryFn: () => get("/configuration/versions/{version}", { params: { version: String(version) } }),
  });
  const restore = useChange({
    change: () => post("/configuration/versions/{version}/restore", { params: { version: String(version) } }),
    changes: changedQueries,
  });
  return (
    <QueryResult query={versionQuery}>
      {({ difference, back }) => (
        <Stack mt="sm">
          <Difference label={translate("Changes in version {version}", { version })} lines={difference} />
          <FailedChange error={restore.error} />
          <ChangeResult result={restore.result} />
          {mayRestore && (
            <Group>
              <Button size="xs" variant="default" disabled={back.length === 0} onClick={open}>
                {translate("Restore version {version}", { version })}
              </Button>
              <Dialog opened={opened} onClose={close} title={translate("Restore version {version}", { version })}>
                <Stack>
                  <Text size="sm">{translate("Changes to the current configuration:")}</Text>
                  <Difference label={translate("Changes if you restore version {version}", { version })} lines={back} />
                  <Group justify="end">
                    <Button
                      loading={restore.isPending}
                      onClick={() => {
                        restore.start();
                        close();
                      }}
                    >
                      {translate("Restore")}
                    </Button>
                  </Group>
                </Stack>
              </Dialog>
            </Group>
          )}
        </Stack>
      )}
    </QueryResult>
  );
}

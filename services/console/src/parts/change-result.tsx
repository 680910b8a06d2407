import { Alert, List } from "@mantine/core";
import type { ConfigurationChange, Problem } from "../api/types.ts";
import { Copied } from "./copied.tsx";
import { translate } from "../texts/translate.ts";

/** Result of a configuration change: the new version, problems, or YAML to copy. */
export function ChangeResult({ result }: { readonly result: ConfigurationChange | undefined }) {
  if (result === undefined) return null;
  const { version, problems, warnings, copy } = result;
  if (problems.length > 0)
    return <Problems title={translate("Not saved: errors were found")} color="red" problems={problems} />;
  return (
    <>
      {copy !== null && (
        <Alert color="blue" title={translate("The configuration is a file: copy this into it")} role="status">
          <Copied text={copy} label={translate("YAML")} />
        </Alert>
      )}
      {copy === null && (
        <Alert color="teal" role="status">
          {version === null
            ? translate("The configuration is valid.")
            : translate("Saved as version {version}. It is now active.", { version })}
        </Alert>
      )}
      {warnings.length > 0 && <Problems title={translate("Warnings")} color="yellow" problems={warnings} />}
    </>
  );
}

/** Problems of a configuration with the paths of their fields. */
export function Problems({
  title,
  color,
  problems,
}: {
  readonly title: string;
  readonly color: string;
  readonly problems: readonly Problem[];
}) {
  return (
    <Alert color={color} title={title} role="alert">
      <List size="sm">
        {problems.map(({ path, message }) => (
          <List.Item key={`${path} ${message}`}>
            <code>{path}</code> {message}
          </List.Item>
        ))}
      </List>
    </Alert>
  );
}

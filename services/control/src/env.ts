import {
  proxiesVariable,
  serviceVariables,
  storeVariables,
  type EnvOf,
  type VariableReader,
} from "@modelgate/platform";
import type { AllowedSources } from "./configuration/sources.ts";

/** Reads the path of the configuration file. */
export const configurationPath = (read: VariableReader): string | undefined =>
  read.optionalText(
    "MODELGATE_CONFIG",
    "Path of the configuration (YAML); unset: it lives in the books, and is edited in the console or by `gatectl config`.",
  );

/** Reads the sources of keys and addresses that a configuration from the console or the API may name. */
const allowedSources = (read: VariableReader): Omit<AllowedSources, "inside"> => ({
  keysFolder: read.optionalText(
    "CONFIG_KEYS_FOLDER",
    "Folder whose files keys may name with file: in a configuration from the console or the API; unset: no file.",
  ),
  variables: new Set(
    read
      .text(
        "CONFIG_VARIABLES",
        "",
        "Variables that a configuration from the console or the API may name beside vendors' usual ones, separated by commas.",
      )
      .split(",")
      .map((name) => name.trim()),
  ),
});

/** Environment variables of control, in addition to those that the configuration references. */
export const variables = serviceVariables("control", (read) => ({
  ...storeVariables(read),
  configuration: {
    path: configurationPath(read),
    seedPath: read.optionalText(
      "MODELGATE_SEED",
      "Path of the configuration (YAML) that the books begin with; unset: one group, and no models yet.",
    ),
    /** Interval, in ms, of polling the configuration and its key files, in case no change is announced. */
    pollMs: 2_000,
    allowed: allowedSources(read),
    /** Interval, in ms, between two requests for a vendor's model list, for channels that serve every listed model. */
    listModelsMs: 3_600_000,
  },
  ledgerUrl: read.url("LEDGER_URL", "Address of the ledger, which reads the books for control."),
  edgeUrl: read.optionalUrl(
    "EDGE_URL",
    "Address of the gateway for clients, which the console shows and its playground calls.",
  ),
  consoleUrl: read.optionalUrl(
    "CONSOLE_URL",
    "Address of the console for browsers, where they reach it through another one.",
  ),
  proxies: proxiesVariable(read),
  oidc: {
    issuer: read.optionalUrl("OIDC_ISSUER", "Address of an OpenID provider that people sign in to the console with."),
    clientId: read.text("OIDC_CLIENT_ID", "modelgate", "Name of the console at that provider."),
    clientSecret: read.optionalSecret("OIDC_CLIENT_SECRET", "Its secret there; unset: a public client."),
    groupsClaim: read.text("OIDC_GROUPS_CLAIM", "groups", "Claim of an ID token that names a person's groups."),
    roles: read.text(
      "OIDC_ROLES",
      "",
      "Roles of groups, as in platform=admin,support=viewer,acme=operator@acme: a role after @ is a member's of that account.",
    ),
  },
}));

/** Values of these variables. */
export type Env = EnvOf<typeof variables>;

import {
  proxiesVariable,
  serviceVariables,
  storeVariables,
  type EnvOf,
  type VariableReader,
} from "@modelgate/platform";
import type { AllowedSources } from "./configuration/sources.ts";

/** Reads the path of the configuration file. */
export const readConfigurationPath = (read: VariableReader): string | undefined =>
  read.optionalText(
    "MODELGATE_CONFIG",
    "Path of the configuration (YAML). If unset, the configuration is stored in the books, and you edit it in the console or with `gatectl config`.",
  );

/** Reads the sources that a configuration from the console or the API may name. */
const readAllowedSources = (read: VariableReader): Omit<AllowedSources, "internalAddresses"> => ({
  keysFolder: read.optionalText(
    "CONFIG_KEYS_FOLDER",
    "Folder with files that a configuration from the console or the API may use as keys (`file:/path`). If unset, it may not use files.",
  ),
  variables: new Set(
    read
      .text(
        "CONFIG_VARIABLES",
        "",
        "Variables that a configuration from the console or the API may name, separated by commas. It may always name the vendors' usual variables.",
      )
      .split(",")
      .map((name) => name.trim()),
  ),
});

/** Environment variables of control. */
export const variables = serviceVariables("control", (read) => ({
  ...storeVariables(read),
  configuration: {
    path: readConfigurationPath(read),
    seedPath: read.optionalText(
      "MODELGATE_SEED",
      "Path of the first configuration (YAML) for new books. If unset, the first configuration has one group and no models.",
    ),
    /** Interval in ms of polling the configuration and its key files. */
    pollMs: 2_000,
    allowed: readAllowedSources(read),
    /** Interval in ms between requests for a vendor's model list. */
    listModelsMs: 3_600_000,
  },
  ledgerUrl: read.url("LEDGER_URL", "Address of the ledger, which reads the books for control."),
  edgeUrl: read.optionalUrl(
    "EDGE_URL",
    "Address of the edge for clients. The console shows this address, and the playground calls it.",
  ),
  consoleUrl: read.optionalUrl(
    "CONSOLE_URL",
    "Address of the console in browsers, if it differs from that of control.",
  ),
  proxies: proxiesVariable(read),
  oidc: {
    issuer: read.optionalUrl("OIDC_ISSUER", "Address of an OpenID provider with which people sign in to the console."),
    clientId: read.text("OIDC_CLIENT_ID", "modelgate", "Client ID of the console at the OpenID provider."),
    clientSecret: read.optionalSecret(
      "OIDC_CLIENT_SECRET",
      "Client secret of the console at the OpenID provider. If unset, the console is a public client.",
    ),
    groupsClaim: read.text("OIDC_GROUPS_CLAIM", "groups", "Claim of an ID token that lists a person's groups."),
    roles: read.text(
      "OIDC_ROLES",
      "",
      "Roles of groups, for example `platform=admin,support=viewer,acme=operator@acme`. A role with `@` and an account makes a person a member of that account.",
    ),
  },
}));

export type Env = EnvOf<typeof variables>;

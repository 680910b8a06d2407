import { serviceVariables, storeVariables, type EnvOf } from "@modelgate/platform";

/** Every variable that control reads; beside them, those that the configuration names with env:NAME and ${NAME}. */
export const variables = serviceVariables("control", (read) => ({
  ...storeVariables(read),
  configuration: {
    path: read.text("MODELGATE_CONFIG", undefined, "Path of the configuration (YAML)."),
    pollMs: read.integer(
      "CONFIG_POLL_MS",
      2_000,
      "How often that file, and the key files that it names, are checked where no notice of a change arrives.",
      { min: 50 },
    ),
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
}));

/** The values of those variables. */
export type Env = EnvOf<typeof variables>;

import { serviceVariables, stateVariables, variable } from "@modelgate/platform";

const { NATS_URL: _bus, NATS_REPLICAS: _replicas, NATS_KEEP_BYTES: _keep, ...state } = stateVariables;

/** Every variable that control reads; beside them, those that the configuration names with env:NAME and ${NAME}. */
export const variables = {
  ...serviceVariables("CONTROL"),
  ...state,
  /** Path of the YAML. */
  MODELGATE_CONFIG: variable.text(),
  /** The ledger, which reads the books for control. */
  LEDGER_URL: variable.url(),
  /** The gateway's address for clients: the console's playground calls it, and its settings to copy show it. */
  EDGE_URL: variable.optionalUrl(),
  /** The console's own address, where browsers reach it through another one: sessions are sent over https only if it is one. */
  CONSOLE_URL: variable.optionalUrl(),
  /** How often the file is looked at where no notice of its change arrives, and the key files that it names. */
  CONFIG_POLL_MS: variable.integer({ fallback: 2_000, min: 50 }),
};

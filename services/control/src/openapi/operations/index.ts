import type { Operation } from "../operation.ts";
import { accounts } from "./accounts.ts";
import { calls } from "./calls.ts";
import { channels } from "./channels.ts";
import { configuration } from "./configuration.ts";
import { operators } from "./operators.ts";
import { session } from "./session.ts";
import { system } from "./system.ts";

/** Every operation of control's API, by method and path. */
export const operations: Readonly<Record<string, Operation>> = {
  ...session,
  ...accounts,
  ...calls,
  ...channels,
  ...configuration,
  ...operators,
  ...system,
};

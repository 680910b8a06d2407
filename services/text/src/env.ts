import { serviceVariables, stateVariables, variable } from "@modelgate/platform";
import { relayVariables } from "@modelgate/relay";
import { imagesVariables } from "@modelgate/relay/images";

/** Every variable that the text service reads, with its bounds. */
export const variables = {
  ...serviceVariables("TEXT"),
  ...stateVariables,
  ...relayVariables,
  ...imagesVariables,
  /** How long a stored response can be referred to. */
  RESPONSE_LIFETIME_MS: variable.integer({ fallback: 7 * 24 * 3_600_000, min: 1_000 }),
  /** Largest response that is stored, with its input, compressed. */
  RESPONSE_BYTES: variable.integer({ fallback: 4 * 1024 * 1024, min: 1_024 }),
};

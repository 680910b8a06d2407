import { serviceVariables, type EnvOf } from "@modelgate/platform";
import { relayVariables } from "@modelgate/relay";
import { imagesVariables } from "@modelgate/relay/images";

/** Every variable that the text service reads, with its bounds. */
export const variables = serviceVariables("text", (read) => ({
  relay: relayVariables(read),
  images: imagesVariables(read),
  responses: {
    lifetimeMs: read.integer(
      "RESPONSE_LIFETIME_MS",
      7 * 24 * 3_600_000,
      "How long a stored response can be referred to.",
      { min: 1_000 },
    ),
    mostBytes: read.integer(
      "RESPONSE_BYTES",
      4 * 1024 * 1024,
      "Largest response that is stored, with its input, compressed.",
      { min: 1_024 },
    ),
  },
}));

/** The values of those variables. */
export type Env = EnvOf<typeof variables>;

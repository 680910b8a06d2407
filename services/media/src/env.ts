import { serviceVariables, type EnvOf } from "@modelgate/platform";
import { relayVariables } from "@modelgate/relay";
import { imagesVariables } from "@modelgate/relay/images";

const mebibyte = 1024 * 1024;

/** Every variable that the media service reads, with its bounds. */
export const variables = serviceVariables("media", (read) => ({
  relay: relayVariables(read, { outputTokens: 8_192 }),
  images: imagesVariables(read),
  form: {
    /** Maximum parts of a form. */
    parts: 64,
    /** Largest text field of a form. */
    fieldBytes: mebibyte,
    /** All text fields of a form together. */
    fieldsBytes: 4 * mebibyte,
  },
}));

/** The values of those variables. */
export type Env = EnvOf<typeof variables>;

import { serviceVariables, type EnvOf } from "@modelgate/platform";
import { relayVariables } from "@modelgate/relay";
import { imagesVariables } from "@modelgate/relay/images";

const mebibyte = 1024 * 1024;

/** Environment variables of the media service. */
export const variables = serviceVariables("media", (read) => ({
  relay: relayVariables(read, { outputTokens: 8_192 }),
  images: imagesVariables(read),
  form: {
    parts: 64,
    /** Maximum bytes of a form's text field. */
    fieldBytes: mebibyte,
    /** Maximum bytes of all text fields of a form. */
    fieldsBytes: 4 * mebibyte,
  },
}));

/** Settings of the service: the values of the variables, and the constants above. */
export type Env = EnvOf<typeof variables>;

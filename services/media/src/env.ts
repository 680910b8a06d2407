import { serviceVariables, type EnvOf } from "@modelgate/platform";
import { relayVariables } from "@modelgate/relay";
import { imagesVariables } from "@modelgate/relay/images";

const mebibyte = 1024 * 1024;

/** Every variable that the media service reads, with its bounds. */
export const variables = serviceVariables("media", (read) => ({
  relay: relayVariables(read, { outputTokens: 8_192 }),
  images: imagesVariables(read),
  form: {
    parts: read.integer("FORM_PARTS", 64, "Most parts of a form.", { min: 1 }),
    fieldBytes: read.integer("FORM_FIELD_BYTES", mebibyte, "Largest text field of a form.", { min: 1_024 }),
    fieldsBytes: read.integer("FORM_FIELDS_BYTES", 4 * mebibyte, "All text fields of a form together.", { min: 1_024 }),
  },
}));

/** The values of those variables. */
export type Env = EnvOf<typeof variables>;

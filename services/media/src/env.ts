import { serviceVariables, stateVariables, variable } from "@modelgate/platform";
import { relayVariables } from "@modelgate/relay";
import { imagesVariables } from "@modelgate/relay/images";

const mebibyte = 1024 * 1024;

/** Every variable that the media service reads, with its bounds. */
export const variables = {
  ...serviceVariables("MEDIA"),
  ...stateVariables,
  ...relayVariables,
  ...imagesVariables,
  /** Output tokens held for per image. */
  HOLD_OUTPUT_TOKENS: variable.integer({ fallback: 8_192, min: 1 }),
  /** Parts of a form, one text field of it, and all of them. */
  FORM_PARTS: variable.integer({ fallback: 64, min: 1 }),
  FORM_FIELD_BYTES: variable.integer({ fallback: mebibyte, min: 1_024 }),
  FORM_FIELDS_BYTES: variable.integer({ fallback: 4 * mebibyte, min: 1_024 }),
};

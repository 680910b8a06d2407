import { serviceVariables, stateVariables, variable } from "@modelgate/platform";
import { relayVariables } from "@modelgate/relay";

const mebibyte = 1024 * 1024;

/** Every variable that the media service reads, with its bounds. */
export const variables = {
  ...serviceVariables("MEDIA"),
  ...stateVariables,
  ...relayVariables,
  /** Largest answer of a vendor: several images in Base64. */
  ANSWER_BYTES: variable.integer({ fallback: 128 * mebibyte, min: 1_024 }),
  /** Output tokens held for per image. */
  HOLD_OUTPUT_TOKENS: variable.integer({ fallback: 8_192, min: 1 }),
  /** Parts of a form, one text field of it, and all of them. */
  FORM_PARTS: variable.integer({ fallback: 64, min: 1 }),
  FORM_FIELD_BYTES: variable.integer({ fallback: mebibyte, min: 1_024 }),
  FORM_FIELDS_BYTES: variable.integer({ fallback: 4 * mebibyte, min: 1_024 }),
  /** Largest image that a client brings, in a form or at an address, or that is fetched from a vendor's address. */
  IMAGE_BYTES: variable.integer({ fallback: 32 * mebibyte, min: 1_024 }),
  /** How long an image may take to be fetched, redirects and all, and how many of those there may be. */
  FETCH_MS: variable.integer({ fallback: 20_000, min: 10 }),
  FETCH_REDIRECTS: variable.integer({ fallback: 3, max: 20 }),
  /** Hosts of the operator's own network that images may be fetched from, separated by commas. */
  FETCH_PRIVATE_HOSTS: variable.text(""),
  /** How long a vendor's task is waited for. */
  TASK_WAIT_MS: variable.integer({ fallback: 180_000, min: 100 }),
};

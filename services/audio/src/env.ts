import { serviceVariables, stateVariables, variable } from "@modelgate/platform";
import { relayVariables } from "@modelgate/relay";

const mebibyte = 1024 * 1024;

/** Every variable that the audio service reads, with its bounds. */
export const variables = {
  ...serviceVariables("AUDIO"),
  ...stateVariables,
  ...relayVariables,
  /** Largest JSON body: the text to speak. */
  BODY_BYTES: variable.integer({ fallback: mebibyte, min: 1_024 }),
  /** Most characters of one text to speak. */
  SPEECH_CHARACTERS: variable.integer({ fallback: 4_096, min: 1 }),
};

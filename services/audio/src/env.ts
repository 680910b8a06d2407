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
  /** Largest file to be transcribed. */
  FILE_BYTES: variable.integer({ fallback: 256 * mebibyte, min: 1_024 }),
  /** Largest text field of a form, and all of them together: voices of known speakers travel in them. */
  FIELD_BYTES: variable.integer({ fallback: 2 * mebibyte, min: 1_024 }),
  FIELDS_BYTES: variable.integer({ fallback: 8 * mebibyte, min: 1_024 }),
  /** Most parts of a form. */
  FORM_PARTS: variable.integer({ fallback: 64, min: 2, max: 10_000 }),
  /** Longest that a file is held for, and charged for where its vendor tells none, whose length cannot be read. */
  UNREAD_SECONDS: variable.integer({ fallback: 4 * 60 * 60, min: 1 }),
  /** Bytes of files that the process has on disk at once, and where; absent: the machine's folder for such files. */
  SPOOL_BYTES: variable.integer({ fallback: 4_096 * mebibyte, min: 1_024 }),
  SPOOL_FOLDER: variable.optionalText(),
};

import { serviceVariables, type EnvOf } from "@modelgate/platform";
import { relayVariables } from "@modelgate/relay";

const mebibyte = 1024 * 1024;

/**
 * Every variable that the audio service reads, with its limits. JSON bodies are limited to 1 MiB: they hold only text
 * to speak.
 */
export const variables = serviceVariables("audio", (read) => ({
  relay: relayVariables(read, { bodyBytes: mebibyte }),
  speech: {
    /** Maximum characters of a text to speak. */
    characters: 4_096,
  },
  form: {
    fileBytes: read.integer("FILE_BYTES", 256 * mebibyte, "Largest file to be transcribed.", { min: 1_024 }),
    /** Largest text field of a form: voices of known speakers travel in them. */
    fieldBytes: 2 * mebibyte,
    /** All text fields of a form together. */
    fieldsBytes: 8 * mebibyte,
    /** Maximum parts of a form. */
    parts: 64,
  },
  /** Length that a file is held for whose length cannot be read, and charged for where its vendor reports none. */
  maxUnreadSeconds: 4 * 60 * 60,
  spool: {
    bytes: read.integer("SPOOL_BYTES", 4_096 * mebibyte, "Files that the process has on disk at once.", { min: 1_024 }),
    folder: read.optionalText("SPOOL_FOLDER", "Where they are; unset: the machine's folder for temporary files."),
  },
}));

/** The values of those variables. */
export type Env = EnvOf<typeof variables>;

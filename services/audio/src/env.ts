import { serviceVariables, type EnvOf } from "@modelgate/platform";
import { relayVariables } from "@modelgate/relay";

const mebibyte = 1024 * 1024;

/** Every variable that the audio service reads, with its bounds. Its JSON bodies are texts to speak. */
export const variables = serviceVariables("audio", (read) => ({
  relay: relayVariables(read, { bodyBytes: mebibyte }),
  speech: { characters: read.integer("SPEECH_CHARACTERS", 4_096, "Most characters of a text to speak.", { min: 1 }) },
  form: {
    fileBytes: read.integer("FILE_BYTES", 256 * mebibyte, "Largest file to be transcribed.", { min: 1_024 }),
    // Voices of known speakers travel in text fields.
    fieldBytes: read.integer("FIELD_BYTES", 2 * mebibyte, "Largest text field of a form.", { min: 1_024 }),
    fieldsBytes: read.integer("FIELDS_BYTES", 8 * mebibyte, "All text fields of a form together.", { min: 1_024 }),
    parts: read.integer("FORM_PARTS", 64, "Most parts of a form.", { min: 2, max: 10_000 }),
  },
  mostUnreadSeconds: read.integer(
    "UNREAD_SECONDS",
    4 * 60 * 60,
    "Length that a file is held for whose length cannot be read, and charged for where its vendor reports none.",
    { min: 1 },
  ),
  spool: {
    bytes: read.integer("SPOOL_BYTES", 4_096 * mebibyte, "Files that the process has on disk at once.", { min: 1_024 }),
    folder: read.optionalText("SPOOL_FOLDER", "Where they are; unset: the machine's folder for temporary files."),
  },
}));

/** The values of those variables. */
export type Env = EnvOf<typeof variables>;

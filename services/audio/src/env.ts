import { serviceVariables, type EnvOf } from "@modelgate/platform";
import { relayVariables } from "@modelgate/relay";

const mebibyte = 1024 * 1024;

/** Environment variables of the audio service. JSON bodies are small, because they contain only text to speak. */
export const variables = serviceVariables("audio", (read) => ({
  relay: relayVariables(read, { bodyBytes: mebibyte }),
  speech: {
    /** Maximum characters of a text to speak. */
    characters: 4_096,
  },
  form: {
    fileBytes: read.integer("FILE_BYTES", 256 * mebibyte, "Maximum size of a file to transcribe.", { min: 1_024 }),
    /** Maximum bytes of one text field of a form. A field may contain reference voices of speakers. */
    fieldBytes: 2 * mebibyte,
    /** Maximum bytes of all text fields of a form. */
    fieldsBytes: 8 * mebibyte,
    parts: 64,
  },
  /** Maximum seconds assumed for a file whose length cannot be read. */
  maxUnreadSeconds: 4 * 60 * 60,
  spool: {
    bytes: read.integer("SPOOL_BYTES", 4_096 * mebibyte, "Maximum size of all uploaded files on disk together.", {
      min: 1_024,
    }),
    folder: read.optionalText(
      "SPOOL_FOLDER",
      "Folder for uploaded files. If unset, this is the system's folder for temporary files.",
    ),
  },
}));

/** Values of the variables, and the constants above. */
export type Env = EnvOf<typeof variables>;

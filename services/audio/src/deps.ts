import { BufferBudget, type Environment, type FormLimits, type Logger, type SpoolPlace } from "@modelgate/platform";
import { loadTokenizer, openRelay, paceOf, sharesOf, type OpenRelay } from "@modelgate/relay";
import type { variables } from "./env.ts";
import { openLengthReader, type LengthReader } from "./upload/length-reader.ts";

/** What the audio service's endpoints work with. */
export interface Deps extends OpenRelay {
  readonly lengths: LengthReader;
  readonly speech: {
    /** Most characters of one text. */
    readonly characters: number;
  };
  readonly upload: {
    readonly limits: FormLimits;
    readonly place: SpoolPlace;
    /** Longest that a file is held for whose length cannot be read, in seconds. */
    readonly mostUnreadSeconds: number;
  };
}

/** What a form has beside its fields and its file: boundaries and the heads of its parts. */
const frameBytes = 64 * 1024;

/** Opens everything once. */
export async function openDeps(env: Environment<typeof variables>, log: Logger): Promise<Deps> {
  const [open] = await Promise.all([openRelay(env, log), loadTokenizer()]);
  const lengths = openLengthReader();
  return {
    ...open,
    lengths,
    async [Symbol.asyncDispose]() {
      await lengths[Symbol.asyncDispose]();
      await open[Symbol.asyncDispose]();
    },
    speech: { characters: env.SPEECH_CHARACTERS },
    upload: {
      limits: {
        maxBytes: env.FILE_BYTES + env.FIELDS_BYTES + frameBytes,
        ...paceOf(env),
        parts: env.FORM_PARTS,
        files: 1,
        fieldBytes: env.FIELD_BYTES,
        fieldsBytes: env.FIELDS_BYTES,
        fileBytes: env.FILE_BYTES,
        budget: open.body.budget,
      },
      place: { folder: env.SPOOL_FOLDER, budget: new BufferBudget(env.SPOOL_BYTES, sharesOf(env)) },
      mostUnreadSeconds: env.UNREAD_SECONDS,
    },
  };
}

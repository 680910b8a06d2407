import { BufferBudget, type FormLimits, type ServiceContext, type Spool } from "@modelgate/platform";
import { openRelay, type ServiceRelay } from "@modelgate/relay";
import type { Env } from "./env.ts";
import { openLengthReader, type LengthReader } from "./upload/length-reader.ts";

export interface Deps extends ServiceRelay {
  readonly lengths: LengthReader;
  readonly speech: {
    /** Maximum characters of a text to speak. */
    readonly characters: number;
  };
  readonly upload: {
    readonly limits: FormLimits;
    readonly spool: Spool;
    /** Maximum seconds for which money is reserved if a file's length cannot be read. */
    readonly maxUnreadSeconds: number;
  };
}

/** Maximum bytes of a form's boundaries and part headers. */
const formOverheadBytes = 64 * 1024;

/** Opens the relay, the disk space for uploads, and the threads that read the lengths of files. */
export async function openDeps(context: Pick<ServiceContext<Env>, "ending" | "env" | "log" | "shared">): Promise<Deps> {
  const { env } = context;
  const openedRelay = await openRelay(env.relay, context);
  const { form, spool } = env;
  return {
    ...openedRelay,
    lengths: openLengthReader(),
    speech: env.speech,
    upload: {
      limits: {
        ...form,
        ...env.relay.pace,
        maxBytes: form.fileBytes + form.fieldsBytes + formOverheadBytes,
        files: 1,
        budget: openedRelay.body.budget,
      },
      spool: { folder: spool.folder, budget: new BufferBudget(spool.bytes, env.relay.buffers.shares) },
      maxUnreadSeconds: env.maxUnreadSeconds,
    },
  };
}

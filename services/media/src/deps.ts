import type { Environment, FormLimits, Logger } from "@modelgate/platform";
import { openRelay, paceOf, type OpenRelay } from "@modelgate/relay";
import { openImages, type ImagesDeps } from "@modelgate/relay/images";
import { mostInputImages } from "@modelgate/wires/images";
import type { variables } from "./env.ts";

/** What the media service's endpoints work with. */
export interface Deps extends OpenRelay {
  /** Bounds of forms. */
  readonly form: FormLimits;
  readonly images: ImagesDeps;
}

/** Opens everything once. */
export async function openDeps(env: Environment<typeof variables>, log: Logger): Promise<Deps> {
  const open = await openRelay(env, log);
  const { budget } = open.relay;
  return {
    ...open,
    form: {
      maxBytes: env.BODY_BYTES,
      ...paceOf(env),
      totalMs: env.BODY_TOTAL_MS,
      parts: env.FORM_PARTS,
      // And a mask.
      files: mostInputImages + 1,
      fieldBytes: env.FORM_FIELD_BYTES,
      fieldsBytes: env.FORM_FIELDS_BYTES,
      fileBytes: env.IMAGE_BYTES,
      budget,
    },
    images: openImages(env, budget),
  };
}

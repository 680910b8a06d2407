import type { FormLimits, Logger } from "@modelgate/platform";
import { openRelay, type OpenRelay } from "@modelgate/relay";
import { openImages, type ImagesDeps } from "@modelgate/relay/images";
import { mostInputImages } from "@modelgate/wires/images";
import type { Env } from "./env.ts";

/** What the media service's endpoints work with. */
export interface Deps extends OpenRelay {
  /** Bounds of forms. */
  readonly form: FormLimits;
  readonly images: ImagesDeps;
}

/** Opens everything once. */
export async function openDeps(env: Env, log: Logger): Promise<Deps> {
  const open = await openRelay(env.relay, log);
  const { budget } = open.relay;
  return {
    ...open,
    form: {
      ...env.form,
      ...env.relay.pace,
      maxBytes: env.relay.body.maxBytes,
      totalMs: env.relay.body.totalMs,
      // And a mask.
      files: mostInputImages + 1,
      fileBytes: env.images.mostBytes,
      budget,
    },
    images: openImages(env.images, budget),
  };
}

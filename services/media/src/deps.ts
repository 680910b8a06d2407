import type { FormLimits, ServiceContext } from "@modelgate/platform";
import { openRelay, type ServiceRelay } from "@modelgate/relay";
import { openImages, type ImagesDeps } from "@modelgate/relay/images";
import { maxInputImages } from "@modelgate/wires/images";
import type { Env } from "./env.ts";

export interface Deps extends ServiceRelay {
  readonly form: FormLimits;
  readonly images: ImagesDeps;
}

/** Opens the relay, and the fetching of images that requests name by URL. */
export async function openDeps(context: Pick<ServiceContext<Env>, "ending" | "env" | "log" | "shared">): Promise<Deps> {
  const { env } = context;
  const openedRelay = await openRelay(env.relay, context);
  const { budget } = openedRelay.relay;
  return {
    ...openedRelay,
    form: {
      ...env.form,
      ...env.relay.pace,
      maxBytes: env.relay.body.maxBytes,
      totalMs: env.relay.body.totalMs,
      // The input images, and one mask.
      files: maxInputImages + 1,
      fileBytes: env.images.maxBytes,
      budget,
    },
    images: openImages(env.images, budget),
  };
}

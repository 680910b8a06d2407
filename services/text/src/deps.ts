import { idSource, type ServiceContext } from "@modelgate/platform";
import { openRelay, type OpenRelay, type RelayEnv } from "@modelgate/relay";
import { openImages, type ImagesDeps, type ImagesEnv } from "@modelgate/relay/images";

/** The variables that calls of text read. */
export interface TextEnv {
  readonly relay: RelayEnv;
  readonly images: ImagesEnv;
}

/** Dependencies of text calls. */
export interface Deps extends OpenRelay {
  /** Ids of answers that another wire's vendor gave; the wire's own prefix comes before it. */
  readonly newAnswerId: () => string;
  /** For generated content that vendors of images draw. */
  readonly images: ImagesDeps;
}

/** Opens everything once. */
export async function openDeps(context: Pick<ServiceContext<TextEnv>, "env" | "log" | "shared">): Promise<Deps> {
  const { env } = context;
  const open = await openRelay(env.relay, context);
  return { ...open, newAnswerId: idSource("answer"), images: openImages(env.images, open.relay.budget) };
}

import { idSource, type ServiceContext } from "@modelgate/platform";
import { openRelay, type OpenRelay, type RelayEnv } from "@modelgate/relay";
import { openImages, type ImagesDeps, type ImagesEnv } from "@modelgate/relay/images";

/** Environment variables that text calls read. */
export interface TextEnv {
  readonly relay: RelayEnv;
  readonly images: ImagesEnv;
}

/** Dependencies of text calls. */
export interface Deps extends OpenRelay {
  /** Creates the id of an answer that a vendor of another wire gave; the wire prepends its prefix. */
  readonly newAnswerId: () => string;
  /** Image dependencies, for generated content that an image model produces. */
  readonly images: ImagesDeps;
}

/** Opens all dependencies. */
export async function openDeps(context: Pick<ServiceContext<TextEnv>, "env" | "log" | "shared">): Promise<Deps> {
  const { env } = context;
  const open = await openRelay(env.relay, context);
  return { ...open, newAnswerId: idSource("answer"), images: openImages(env.images, open.relay.budget) };
}

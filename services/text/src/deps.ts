import { idSource, type ServiceContext } from "@modelgate/platform";
import { openRelay, type ServiceRelay, type RelayEnv } from "@modelgate/relay";
import { openImages, type ImagesDeps, type ImagesEnv } from "@modelgate/relay/images";

/** Environment variables of text calls. */
export interface TextEnv {
  readonly relay: RelayEnv;
  readonly images: ImagesEnv;
}

/** Dependencies of text calls. */
export interface Deps extends ServiceRelay {
  /** Creates the id of an answer from a vendor of another wire. The client's wire adds its prefix to the id. */
  readonly newAnswerId: () => string;
  /** Dependencies of images, for requests of the Gemini wire that an image model answers. */
  readonly images: ImagesDeps;
}

/** Opens the dependencies of text calls. */
export async function openDeps(context: Pick<ServiceContext<TextEnv>, "env" | "log" | "shared">): Promise<Deps> {
  const { env } = context;
  const openedRelay = await openRelay(env.relay, context);
  return { ...openedRelay, newAnswerId: idSource("answer"), images: openImages(env.images, openedRelay.relay.budget) };
}

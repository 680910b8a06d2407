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
  /** Creates a unique id that begins with `answer_`. Callers replace this prefix by that of the client's wire. */
  readonly newAnswerId: () => string;
  /** Dependencies of image calls, for requests of the Gemini wire that an image model answers. */
  readonly images: ImagesDeps;
}

export async function openDeps(
  context: Pick<ServiceContext<TextEnv>, "ending" | "env" | "log" | "shared">,
): Promise<Deps> {
  const { env } = context;
  const openedRelay = await openRelay(env.relay, context);
  return { ...openedRelay, newAnswerId: idSource("answer"), images: openImages(env.images, openedRelay.relay.budget) };
}

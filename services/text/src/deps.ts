import { idSource, type ServiceContext } from "@modelgate/platform";
import { openRelay, type OpenRelay } from "@modelgate/relay";
import { openImages, type ImagesDeps } from "@modelgate/relay/images";
import type { Env } from "./env.ts";
import { openCompactionSeal, type CompactionSeal } from "./responses/compaction-seal.ts";
import { openResponseStore, type ResponseStore } from "./responses/response-store.ts";

/** What the text service's endpoints work with. */
export interface Deps extends OpenRelay {
  /** Ids of answers that another wire's vendor gave; the wire's own prefix comes before it. */
  readonly newAnswerId: () => string;
  readonly responses: ResponseStore;
  readonly compactions: CompactionSeal;
  /** For generated content that vendors of images draw. */
  readonly images: ImagesDeps;
}

/** Opens everything once. */
export async function openDeps(context: Pick<ServiceContext<Env>, "env" | "log" | "shared">): Promise<Deps> {
  const { env } = context;
  const open = await openRelay(env.relay, context);
  return {
    ...open,
    newAnswerId: idSource("answer"),
    responses: openResponseStore(open.relay.redis, { ...env.responses, body: open.body }),
    compactions: openCompactionSeal(env.relay.secrets),
    images: openImages(env.images, open.relay.budget),
  };
}

import { idSource, type ServiceContext } from "@modelgate/platform";
import { openRelay, type OpenRelay } from "@modelgate/relay";
import { openImages, type ImagesDeps } from "@modelgate/relay/images";
import { ConversationStore } from "./conversations/conversation-store.ts";
import { BackgroundStore } from "./background/background-store.ts";
import type { Env } from "./env.ts";
import { openRecordSeal } from "./record-seal.ts";
import { openCompactionSeal, type CompactionSeal } from "./responses/compaction-seal.ts";
import { parseStored, type ResponseStore } from "./responses/stored-response.ts";
import { openTurnStore, type TurnStore } from "./responses/turn-store.ts";
import { parseThread, type StoredThread } from "./threads/thread-store.ts";

/** How many WebSockets for responses there may be, and for how long. */
export type SocketLimits = Readonly<Env["sockets"]> & {
  /** How long open responses may go on when the process is asked to end. */
  readonly drainMs: number;
};

/** Bounds of responses that are made in the background. */
export type BackgroundLimits = Readonly<Env["background"]> & {
  /** How long they may go on when the process is asked to end. */
  readonly drainMs: number;
};

/** What the text service's endpoints work with. */
export interface Deps extends OpenRelay {
  /** Ids of answers that another wire's vendor gave; the wire's own prefix comes before it. */
  readonly newAnswerId: () => string;
  readonly responses: ResponseStore;
  /** Threads of messages, by the id of their last one. */
  readonly threads: TurnStore<StoredThread>;
  readonly conversations: ConversationStore;
  readonly background: BackgroundLimits;
  /** What processes let each other know of responses in the background. */
  readonly backgroundStore: BackgroundStore;
  readonly compactions: CompactionSeal;
  /** Bounds of WebSockets for responses. */
  readonly sockets: SocketLimits;
  /** For generated content that vendors of images draw. */
  readonly images: ImagesDeps;
}

/** Opens everything once. */
export async function openDeps(
  context: Pick<ServiceContext<Env>, "drainMs" | "env" | "log" | "shared">,
): Promise<Deps> {
  const { drainMs, env } = context;
  const open = await openRelay(env.relay, context);
  const { body, relay } = open;
  const records = { redis: relay.redis, seal: openRecordSeal(env.relay.secrets) };
  return {
    ...open,
    newAnswerId: idSource("answer"),
    responses: openTurnStore(records, { kind: "response", parse: parseStored }, { ...env.responses, body }),
    threads: openTurnStore(records, { kind: "thread", parse: parseThread }, { ...env.threads, body }),
    conversations: new ConversationStore(records, { ...env.conversations, body }),
    background: { ...env.background, drainMs },
    backgroundStore: new BackgroundStore(records, env.background),
    sockets: { ...env.sockets, drainMs },
    compactions: openCompactionSeal(env.relay.secrets),
    images: openImages(env.images, open.relay.budget),
  };
}

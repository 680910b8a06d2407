import { openContentQuota } from "@modelgate/accounts";
import { sharedContentRedis, type ContentEnv, type ServiceContext } from "@modelgate/platform";
import type { Deps, TextEnv } from "../deps.ts";
import { BackgroundStore } from "./background/background-store.ts";
import { makeCompactionCipher, type CompactionCipher } from "./compaction/compaction-cipher.ts";
import { ConversationStore } from "./conversations/conversation-store.ts";
import { makeRecordCipher } from "./record-cipher.ts";
import { openResponseStore, parseStored, type ResponseStore } from "./stored-response.ts";
import { parseThread, type StoredThread } from "./threads/thread-store.ts";
import { openTurnStore, type TurnStore } from "./turn-store.ts";
import type { ResponsesEnv } from "./variables.ts";

export type SocketLimits = ResponsesEnv["sockets"];

export type BackgroundLimits = ResponsesEnv["background"];

/** Dependencies of calls that use stored responses, conversations or threads, background responses, or WebSockets. */
export interface ResponsesDeps extends Deps {
  readonly responses: ResponseStore;
  /** Stored interactions. `response` is the interaction object, and `input` contains the steps of its request. */
  readonly interactions: ResponseStore;
  /** Threads of the Anthropic messages wire, by the id of their last message. */
  readonly threads: TurnStore<StoredThread>;
  readonly conversations: ConversationStore;
  readonly background: BackgroundLimits;
  readonly backgroundStore: BackgroundStore;
  readonly compactions: CompactionCipher;
  readonly sockets: SocketLimits;
  /** Signal that is aborted with a Failure when the process ends the calls that are still open. */
  readonly ending: AbortSignal;
}

/** Environment variables that the stores read. */
interface StoresEnv extends Pick<TextEnv, "relay">, ContentEnv {
  readonly responses: ResponsesEnv;
}

/** Opens the stores. They may use another Redis than the calls. */
export async function openResponses(
  { ending, env, shared }: Pick<ServiceContext<StoresEnv>, "ending" | "env" | "shared">,
  deps: Deps,
): Promise<ResponsesDeps> {
  const { body } = deps;
  const { background, conversations, sockets, stored, threads } = env.responses;
  const redis = await sharedContentRedis(shared, { redis: env.relay.redis, content: env.content });
  const quota = openContentQuota(redis, env.content);
  const recordStore = { redis, quota, cipher: makeRecordCipher(env.relay.secrets) };
  const compactions = makeCompactionCipher(env.relay.secrets);
  return {
    ...deps,
    ending,
    responses: openResponseStore(recordStore, compactions, { ...stored, body }),
    interactions: openTurnStore(recordStore, { kind: "interaction", parse: parseStored }, { ...stored, body }),
    threads: openTurnStore(recordStore, { kind: "thread", parse: parseThread }, { ...threads, body }),
    conversations: new ConversationStore(
      { ...recordStore, compactions, log: deps.relay.log },
      { ...conversations, body },
    ),
    background,
    backgroundStore: new BackgroundStore(recordStore, background),
    sockets,
    compactions,
  };
}

import type { CatalogChannel } from "@modelgate/catalog";
import { Failure } from "@modelgate/contracts";
import { resolveServingModel } from "@modelgate/relay";
import type { TranscriberNames } from "@modelgate/wires/realtime";
import type { Deps } from "./deps.ts";
import type { SessionPrice } from "./hold-use.ts";
import type { RealtimeCall } from "./session-call.ts";

/** Kinds of models that transcribe a client's speech. */
const transcriptionKinds = ["transcription"] as const;

/** Returns the names of the models that may transcribe a client's speech in sessions through a channel. */
export function transcriberNamesAt(
  { relay }: Deps,
  { caller }: RealtimeCall,
  channel: CatalogChannel,
): TranscriberNames {
  return {
    get defaultName() {
      const models = relay.catalog.current().modelsOf(caller);
      return models.find(({ name, kind }) => kind === "transcription" && channel.models.has(name))?.name;
    },
    toVendor(name) {
      relay.catalog.current().resolve(caller, name, transcriptionKinds);
      return channel.models.get(name) ?? name;
    },
    toClient(upstreamName) {
      const models = relay.catalog.current().modelsOf(caller);
      const match = models.find(
        ({ name, kind }) => kind === "transcription" && channel.models.get(name) === upstreamName,
      );
      return match?.name ?? upstreamName;
    },
  };
}

/** Returns the price of transcribing with a model; undefined if the client cannot use it. */
export function transcriptPrice({ relay }: Deps, call: RealtimeCall, name: string): SessionPrice | undefined {
  try {
    return resolveServingModel(
      relay,
      { caller: call.caller, endpoint: { ...call.endpoint, kinds: transcriptionKinds } },
      name,
    );
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}

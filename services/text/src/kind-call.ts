import type { Price, UpstreamWire } from "@modelgate/contracts";
import type { ServiceCall } from "@modelgate/platform";
import { estimateTokens, runCall, type Exchange, type Measure, type RequestSize } from "@modelgate/relay";
import type { KindCall } from "./exchanges/kind.ts";
import type { InputSize } from "@modelgate/wires/kind";
import type { Parsed } from "@modelgate/wires/wire";
import type { Deps } from "./deps.ts";
import { admitStoreUse, type StoreUse } from "./vendor-ids.ts";

/** A request of a kind that answers in one piece. */
export interface AskedKind<Request extends { readonly model: string }> {
  readonly ask: Parsed<Request> & StoreUse;
  readonly size: InputSize;
  /** The client's body. */
  readonly body: Buffer;
  /** The end user that it names. */
  readonly endUser?: string | undefined;
  /** Wires that it can be served through, best first. */
  readonly wires: readonly UpstreamWire[];
  readonly exchange: (wire: UpstreamWire, call: KindCall<Request>, upstreamModel: string) => Promise<Exchange>;
  /** How it is measured where its cost does not hang on text alone. */
  readonly measure?: (size: RequestSize, price: Price) => Measure;
  /** Bytes of text that are sent beside the client's own. */
  readonly addedBytes?: number;
}

/** Runs a call that answers in one piece: vectors, ranking, moderation. */
export async function runKind<Request extends { readonly model: string }>(
  deps: Deps,
  call: ServiceCall,
  asked: AskedKind<Request>,
): Promise<void> {
  const { ask, body, endUser, wires, exchange, addedBytes = 0, measure } = asked;
  const { model: name } = ask.request;
  const { textBytes, mediaTokens, maxOutputTokens } = asked.size;
  const { channelKey } = await admitStoreUse(deps, call, ask);
  const size: RequestSize = {
    textBytes: textBytes + addedBytes,
    mediaTokens,
    maxOutputTokens,
    choices: 1,
  };
  const kindCall: KindCall<Request> = {
    request: ask.request,
    dropped: ask.dropped,
    model: name,
    strict: call.strict,
    answerId: deps.newAnswerId().replace(/^answer_/, ""),
    bodyBytes: body.length,
    inputTokens: estimateTokens(textBytes) + mediaTokens,
  };
  await runCall(deps.relay, call, name, ({ model }) => ({
    endUser,
    cost:
      measure === undefined
        ? { by: "text", body, size, stream: false }
        : { by: "measure", measure: measure(size, model.price) },
    hearsOut: true,
    wires,
    prefer: channelKey,
    exchange: ({ wire, candidate }) => exchange(wire, kindCall, candidate.upstreamModel),
  }));
}

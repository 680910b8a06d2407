import type { Price, UpstreamWire } from "@modelgate/contracts";
import type { ServiceCall } from "@modelgate/platform";
import {
  estimateTokens,
  runCall,
  type AdmittedIds,
  type Call,
  type CallKind,
  type Exchange,
  type JsonBody,
  type Measure,
  type Plan,
  type RequestSize,
  type ServingModel,
  type WireRoute,
} from "@modelgate/relay";
import type { InputSize } from "@modelgate/wires/kind";
import type { Parsed } from "@modelgate/wires/wire";
import type { Deps } from "./deps.ts";
import type { KindCall } from "./exchanges/kind.ts";
import { admitStoreUse, type StoreUse } from "./vendor-ids.ts";

/** Options of a kind of call whose answer is not streamed. */
export interface UnstreamedKindOptions<Request> {
  measureInput(request: Request): InputSize;
  /** Wires (API formats) that the call can be sent in, best first. */
  readonly wires: readonly UpstreamWire[];
  exchange(wire: UpstreamWire, call: KindCall<Request>, upstreamModel: string): Promise<Exchange>;
  /** Measures a call whose cost does not depend on text alone; absent: the cost depends on text alone. */
  measure?(request: Request, size: RequestSize, price: Price): Measure;
  /** Bytes of text that the gateway adds to the client's for some vendors. */
  readonly addedBytes?: number;
}

/** A parsed request for embeddings, ranking or moderation. */
interface UnstreamedRequest<Request> {
  readonly model: string;
  readonly body: Buffer;
  readonly endUser: string | undefined;
  readonly size: RequestSize;
  readonly admitted: AdmittedIds;
  readonly kindCall: KindCall<Request>;
}

/** Plan of such a request with one model. */
interface UnstreamedPlan<Request> extends Plan {
  readonly kindCall: KindCall<Request>;
}

/** Kind of call whose answer is not streamed: embeddings, ranking and moderation. */
export class UnstreamedKind<Request extends { readonly model: string }> implements CallKind<
  UnstreamedRequest<Request>,
  UnstreamedPlan<Request>
> {
  readonly #options: UnstreamedKindOptions<Request>;

  constructor(options: UnstreamedKindOptions<Request>) {
    this.#options = options;
  }

  /** Runs a call whose body was parsed. */
  async run(
    deps: Deps,
    call: ServiceCall,
    { bytes, seen: parsed }: JsonBody<Parsed<Request> & StoreUse & { readonly endUser?: string | undefined }>,
  ): Promise<void> {
    const admitted = await admitStoreUse(deps, call, parsed);
    const { addedBytes } = this.#options;
    const { textBytes, mediaTokens, maxOutputTokens } = this.#options.measureInput(parsed.request);
    const { model } = parsed.request;
    await runCall(deps.relay, call, this, {
      model,
      body: bytes,
      endUser: parsed.endUser,
      admitted,
      size: {
        textBytes,
        addedBytes,
        mediaTokens,
        maxOutputTokens,
        choices: 1,
      },
      kindCall: {
        request: parsed.request,
        dropped: parsed.dropped,
        model,
        strict: call.strict,
        answerId: deps.newAnswerId().replace(/^answer_/, ""),
        bodyBytes: bytes.length,
        inputTokens: estimateTokens(textBytes) + mediaTokens,
      },
    });
  }

  plan(_: Call, request: UnstreamedRequest<Request>, { model }: ServingModel): UnstreamedPlan<Request> {
    const { body, endUser, size, admitted, kindCall } = request;
    const measure = this.#options.measure?.(kindCall.request, size, model.price);
    return {
      endUser,
      cost: measure === undefined ? { by: "text", body, size, stream: false } : { by: "measure", measure },
      finishAfterDisconnect: true,
      wires: this.#options.wires,
      prefer: admitted.channelKey,
      kindCall,
    };
  }

  exchange({ kindCall }: UnstreamedPlan<Request>, { wire, candidate }: WireRoute): Promise<Exchange> {
    return this.#options.exchange(wire, kindCall, candidate.upstreamModel);
  }
}

import type { Price, Units, UpstreamWire } from "@modelgate/contracts";
import type { ServiceCall } from "@modelgate/platform";
import {
  estimateTokens,
  exchangeWith,
  runCall,
  type AdmittedIds,
  type Call,
  type CallKind,
  type ConvertedCall,
  type Exchange,
  type JsonBody,
  type Measure,
  type Plan,
  type RequestSize,
  type ServingModel,
  type NonEmptyList,
  type WireRoute,
} from "@modelgate/relay";
import type { JsonRecord } from "@modelgate/formats/json";
import type { InputSize, UnstreamedClient, UnstreamedVendor } from "@modelgate/wires/kind";
import type { WithUsage, Parsed } from "@modelgate/wires/wire";
import type { Deps } from "./deps.ts";
import { admitStoreUse, type StoreUse } from "./vendor-ids.ts";

/** Options of a kind of call whose answer is not streamed. */
export interface UnstreamedKindOptions<Request, Answer, Vendor> {
  readonly wire: {
    readonly name: string;
    readonly client: UnstreamedClient<Request, Answer>;
    readonly vendor?: UnstreamedVendor<Request, Answer>;
  };
  /** Wires that the call can be sent in, best first. */
  readonly wires: readonly UpstreamWire[];
  /** Returns the vendor side of a wire for a request. */
  vendorOf(wire: UpstreamWire, request: Request): Vendor;
  /** Splits a request for a vendor, and joins the answers. Absent if requests are never split. */
  readonly batches?: {
    split(request: Request, vendor: Vendor, upstreamModel: string): NonEmptyList<Request>;
    join(answers: NonEmptyList<Answer>): Answer;
  };
  measureInput(request: Request): InputSize;
  /** Measures a call whose cost does not depend on text alone. */
  measure?(request: Request, size: RequestSize, price: Price): Measure;
  /** Maximum bytes of text that the gateway adds to the client's text for some vendors. */
  readonly addedBytes?: number;
}

interface UnstreamedRequest<Request, Answer, Vendor> {
  readonly model: string;
  readonly request: Request;
  readonly body: Buffer;
  readonly endUser: string | undefined;
  readonly size: RequestSize;
  readonly admitted: AdmittedIds;
  readonly converted: ConvertedCall<Vendor, Request, Answer>;
}

interface UnstreamedPlan<Request, Answer, Vendor> extends Plan {
  readonly request: Request;
  readonly converted: ConvertedCall<Vendor, Request, Answer>;
}

/** Kind of call whose answer is not streamed: embeddings, ranking and moderation. */
export class UnstreamedKind<
  Request extends { readonly model: string },
  Answer extends WithUsage,
  Vendor extends UnstreamedVendor<Request, Answer>,
> implements CallKind<UnstreamedRequest<Request, Answer, Vendor>, UnstreamedPlan<Request, Answer, Vendor>> {
  readonly #options: UnstreamedKindOptions<Request, Answer, Vendor>;

  constructor(options: UnstreamedKindOptions<Request, Answer, Vendor>) {
    this.#options = options;
  }

  /** Runs a call whose body was parsed. */
  async run(
    deps: Deps,
    call: ServiceCall,
    { bytes, inspected: parsed }: JsonBody<Parsed<Request> & StoreUse & { readonly endUser?: string | undefined }>,
  ): Promise<void> {
    const { request } = parsed;
    const admitted = await admitStoreUse(deps, call, parsed);
    const { textBytes, mediaTokens, maxOutputTokens } = this.#options.measureInput(request);
    const { addedBytes } = this.#options;
    await runCall(deps.relay, call, this, {
      model: request.model,
      request,
      body: bytes,
      endUser: parsed.endUser,
      admitted,
      size: { textBytes, addedBytes, mediaTokens, maxOutputTokens, choices: 1 },
      converted: this.convert(parsed, {
        refusesUnsupported: call.refusesUnsupported,
        bodyBytes: bytes.length,
        answerId: deps.newAnswerId().replace(/^answer_/, ""),
        inputTokens: estimateTokens(textBytes) + mediaTokens,
      }),
    });
  }

  /** Prepares a parsed request for its conversion to the wires of vendors. */
  convert(
    { request, dropped }: Parsed<Request>,
    call: {
      readonly refusesUnsupported: boolean;
      readonly bodyBytes: number;
      readonly answerId: string;
      readonly inputTokens: number;
    },
  ): ConvertedCall<Vendor, Request, Answer> {
    const { wire, batches } = this.#options;
    const { model } = request;
    const context = { ...call, model, request };
    return {
      unsupportedRules: { spelling: wire.client.spelling, refusesUnsupported: call.refusesUnsupported },
      dropped,
      bodyBytes: call.bodyBytes,
      requests: (vendor, target) => batches?.split(request, vendor, target.model) ?? [request],
      // Avoids the parsing of an answer with millions of numbers that the client receives unchanged.
      passUnparsed(bytes, vendor, target) {
        if (vendor !== wire.vendor || target.model !== model || bytes.length < largeBytes) return undefined;
        if (vendor.isAsRequested?.(bytes.toString("latin1", 0, edgeBytes), request) !== true) return undefined;
        const usage = usageAtEnd(bytes, vendor);
        return usage && { body: bytes, usage };
      },
      render([first, ...more], { addedBytes }) {
        const all: NonEmptyList<Answer> = [first.answer, ...more.map(({ answer }) => answer)];
        const answer = batches?.join(all) ?? first.answer;
        const body = Buffer.from(JSON.stringify(wire.client.render(answer, context)));
        return { body, usage: answer.usage, addedBytes };
      },
    };
  }

  plan(
    _: Call,
    { request, body, endUser, size, admitted, converted }: UnstreamedRequest<Request, Answer, Vendor>,
    { model }: ServingModel,
  ): UnstreamedPlan<Request, Answer, Vendor> {
    const measure = this.#options.measure?.(request, size, model.price);
    return {
      endUser,
      cost: measure === undefined ? { by: "text", body, size, stream: false } : { by: "measure", measure },
      finishAfterDisconnect: true,
      wires: this.#options.wires,
      prefer: admitted.channelKey,
      request,
      converted,
    };
  }

  exchange(
    { request, converted }: UnstreamedPlan<Request, Answer, Vendor>,
    { wire: name, candidate }: WireRoute,
  ): Promise<Exchange> {
    const vendor = this.#options.vendorOf(name, request);
    return exchangeWith({ name, vendor }, converted, { model: candidate.upstreamModel });
  }
}

/** Minimum bytes of an answer that is passed on without parsing. */
const largeBytes = 1024 * 1024;
/** Number of bytes that are read at the start and at the end of a large answer. */
const edgeBytes = 4_096;

/** Returns the usage at the end of a large JSON answer; undefined if it is not found. */
function usageAtEnd(
  bytes: Buffer,
  vendor: { usage(answer: JsonRecord, headers: object): Units | undefined },
): Units | undefined {
  const end = bytes.toString("utf8", bytes.length - edgeBytes);
  const usage = /"usage"\s*:\s*(\{[^{}]*\})[^{}[\]]*\}\s*$/.exec(end)?.[1];
  try {
    return usage === undefined ? undefined : vendor.usage({ usage: JSON.parse(usage) }, {});
  } catch {
    return undefined;
  }
}

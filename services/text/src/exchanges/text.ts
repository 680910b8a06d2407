import type { UpstreamWire } from "@modelgate/contracts";
import { inTurnsIfLong } from "@modelgate/platform";
import { reparseJson, type Exchange } from "@modelgate/relay";
import { includesAny } from "@modelgate/formats/json";
import {
  envelopeBytes,
  textWire,
  wires,
  withoutSignatures,
  type ClientOnlyWire,
  type FittedBody,
  type JsonObject,
  type TextWire,
  type VendorTextWire,
} from "@modelgate/wires/text";
import { convertedExchange, parseRequest, type ParsedRequest, type RenderedText } from "./converted.ts";
import { bodyForVendor, passThroughExchange, type PassVendor } from "./pass-through.ts";
import { promptBatchExchange } from "./several-prompts.ts";
import type { TextCall } from "./text-call.ts";

export interface AttemptOptions {
  readonly history?: "withoutSignatures" | undefined;
  /** Ids of items that the vendor's store does not contain. */
  readonly foreignItems?: ReadonlySet<string> | undefined;
  /** Name of the model whose rules apply. It differs from the vendor's name at Azure, which names deployments. */
  readonly rulesModel?: string | undefined;
  readonly isAnthropic?: boolean | undefined;
}

const noItems: ReadonlySet<string> = new Set();

/**
 * Creates the exchanges of one text call. The body is converted if the vendor has another wire, if the model does not
 * accept it unchanged, or if it contains opaque data that the vendor must not receive.
 */
export class TextExchangeFactory {
  readonly call: TextCall;
  #body: Promise<JsonObject> | undefined;
  #request: Promise<ParsedRequest> | undefined;
  #hasForeignSignatures: boolean | undefined;
  /** Requests that were rendered to choose a wire. The attempt uses them again. */
  #rendered: Map<string, RenderedFor> | undefined;

  constructor(call: TextCall) {
    this.call = call;
  }

  /** Creates the exchange of one attempt. Throws Failure (400). */
  async make(
    upstream: TextWire,
    upstreamModel: string,
    { history, foreignItems = noItems, rulesModel = upstreamModel, isAnthropic }: AttemptOptions = {},
  ): Promise<Exchange> {
    const call = this.call;
    const { name: wire, vendor } = upstream;
    const pass = wire === call.wire ? upstream.pass : undefined;
    if (pass !== undefined && (vendor === undefined || history === undefined)) {
      const to = { upstream, pass, upstreamModel, target: { model: rulesModel, foreignItems, isAnthropic } };
      const pendingBody = inTurnsIfLong(this.#passedBody(to));
      const body = pendingBody instanceof Promise ? await pendingBody : pendingBody;
      if (body !== undefined) return passThroughExchange(call, to, body);
    }
    if (vendor === undefined) throw new Error(`a call in ${call.wire} cannot be converted to ${wire}`);
    const to = { ...upstream, vendor };
    const { client }: ClientOnlyWire = wires[call.wire];
    if (call.choices > 1 && client.batch !== undefined) {
      // The neutral form cannot express a request with several prompts.
      const requestBody = await this.#parsedBody();
      if (client.batch.isBatch(requestBody))
        return await promptBatchExchange(
          { call, client, batch: client.batch, upstream: to },
          requestBody,
          upstreamModel,
        );
    }
    const began = performance.now();
    const read = await this.#parsedRequest();
    const request =
      history === "withoutSignatures"
        ? { ...read, parsed: { ...read.parsed, request: withoutSignatures(read.parsed.request) } }
        : read;
    const render = (): RenderedText =>
      this.#render(vendor, wire, request, { model: upstreamModel, rulesModel, isAnthropic });
    return await convertedExchange(call, to, { ...request, began, render });
  }

  /** Counts the fields that a wire cannot express; Infinity if it cannot express the request at all. */
  async countUnsupported(wire: UpstreamWire, upstreamModel: string): Promise<number> {
    if (wire === this.call.wire) return 0;
    const { vendor } = textWire(wire);
    if (vendor === undefined) return Infinity;
    const request = await this.#parsedRequest();
    try {
      return this.#render(vendor, wire, request, { model: upstreamModel, rulesModel: upstreamModel }).dropped.length;
    } catch {
      return Infinity; // the attempt in this wire reports the failure
    }
  }

  #parsedBody(): Promise<JsonObject> {
    return (this.#body ??= reparseJson(this.call.body));
  }

  #parsedRequest(): Promise<ParsedRequest> {
    return (this.#request ??= this.#parsedBody().then((requestBody) => parseRequest(this.call, requestBody)));
  }

  #render(
    vendor: VendorTextWire["vendor"],
    wire: UpstreamWire,
    { parsed }: ParsedRequest,
    { model, rulesModel, isAnthropic = false }: RenderTarget,
  ): RenderedText {
    const all = (this.#rendered ??= new Map<string, RenderedFor>());
    const key = `${wire} ${model} ${rulesModel} ${isAnthropic}`;
    const before = all.get(key);
    if (before?.vendor === vendor && before.parsed === parsed) return before.rendered;
    const vendorRequest = vendor.render(parsed.request, {
      model: rulesModel,
      defaultMaxTokens: this.call.defaultMaxTokens,
      isAnthropic,
    });
    // Some wires name the model only in the address. In others, the vendor's name of the model replaces `rulesModel`.
    const isNamed = model !== rulesModel && vendorRequest.body["model"] === rulesModel;
    const rendered = isNamed ? { ...vendorRequest, body: { ...vendorRequest.body, model } } : vendorRequest;
    all.set(key, { vendor, parsed, rendered });
    return rendered;
  }

  /** Returns the body for a vendor with the client's wire; undefined if the body must be converted. */
  *#passedBody(to: PassVendor): Generator<undefined, FittedBody | undefined> {
    const { upstream, pass, target } = to;
    const { body } = this.call;
    if (upstream.vendor !== undefined) {
      if (!pass.dropsForeignSignatures && (this.#hasForeignSignatures ??= yield* includesAny(body, envelopeBytes)))
        return undefined;
      if (pass.accepts !== undefined && !(yield* pass.accepts(body, target.model))) return undefined;
    }
    return yield* bodyForVendor(this.call, to);
  }
}

interface RenderTarget extends Pick<AttemptOptions, "isAnthropic"> {
  readonly model: string;
  readonly rulesModel: string;
}

interface RenderedFor {
  readonly vendor: VendorTextWire["vendor"];
  readonly parsed: ParsedRequest["parsed"];
  readonly rendered: RenderedText;
}

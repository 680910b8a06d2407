import type { UpstreamWire } from "@modelgate/contracts";
import { inTurnsIfLong } from "@modelgate/platform";
import { reparseJson, type Exchange } from "@modelgate/relay";
import { holdsAny } from "@modelgate/wires/json";
import {
  envelopeBytes,
  textWire,
  withoutSeals,
  type JsonObject,
  type TextPass,
  type TextWire,
  type VendorTextWire,
} from "@modelgate/wires/text";
import { converted, readRequest, type ReadRequest, type RenderedText } from "./converted.ts";
import { passThrough } from "./pass-through.ts";
import { severalPrompts } from "./several-prompts.ts";
import { clientWireOf, type TextCall } from "./text-call.ts";

/**
 * Makes the exchanges of one text call. With a vendor of its own wire it is passed on, with any other it is converted; so
 * is a call that carries another vendor's seals in its history, which must not reach this one. The body is read at most
 * once, and rendered once for each wire and model.
 */
export class TextExchangeMaker {
  readonly #call: TextCall;
  #body: Promise<JsonObject> | undefined;
  #request: Promise<ReadRequest> | undefined;
  #isSealedByOthers: boolean | undefined;
  /** Requests as they were rendered to find the wire that loses least: the attempt sends them. */
  #rendered: Map<string, RenderedFor> | undefined;

  constructor(call: TextCall) {
    this.#call = call;
  }

  /**
   * Makes one attempt's exchange. `unsealed` leaves out all seals of thoughts, also those of the vendor's own wire. Throws
   * Failure (400) for what the client said wrong or the wire cannot express.
   */
  async make(upstream: TextWire, upstreamModel: string, history?: "unsealed"): Promise<Exchange> {
    const call = this.#call;
    const { name: wire, vendor } = upstream;
    const own = wire === call.wire ? upstream.pass : undefined;
    if (
      own !== undefined &&
      (vendor === undefined || (history === undefined && (await this.#takes(own, upstreamModel))))
    )
      return await passThrough(call, { ...upstream, pass: own }, upstreamModel);
    if (vendor === undefined) throw new Error(`a call in ${call.wire} cannot be converted to ${wire}`);
    const to = { ...upstream, vendor };
    const { client } = clientWireOf(call);
    if (call.choices > 1 && client.batch !== undefined) {
      // One request of several prompts has no neutral form.
      const requestBody = await this.#parsed();
      if (client.batch.isBatch(requestBody))
        return await severalPrompts({ call, client, batch: client.batch, upstream: to }, requestBody, upstreamModel);
    }
    const began = performance.now();
    const read = await this.#read();
    const request =
      history === "unsealed"
        ? { ...read, parsed: { ...read.parsed, request: withoutSeals(read.parsed.request) } }
        : read;
    const render = (): RenderedText => this.#render(vendor, wire, request, upstreamModel);
    return await converted(call, to, { ...request, began, render });
  }

  /** Counts what the request loses in a wire of this model's vendor: Infinity where that cannot say it. */
  async countUnsupported(wire: UpstreamWire, upstreamModel: string): Promise<number> {
    if (wire === this.#call.wire) return 0;
    const { vendor } = textWire(wire);
    if (vendor === undefined) return Infinity;
    const request = await this.#read();
    try {
      return this.#render(vendor, wire, request, upstreamModel).dropped.length;
    } catch {
      return Infinity; // the attempt says what is refused
    }
  }

  #parsed(): Promise<JsonObject> {
    return (this.#body ??= reparseJson(this.#call.body));
  }

  #read(): Promise<ReadRequest> {
    return (this.#request ??= this.#parsed().then((requestBody) => readRequest(this.#call, requestBody)));
  }

  #render(vendor: VendorTextWire["vendor"], wire: UpstreamWire, { parsed }: ReadRequest, model: string): RenderedText {
    const all = (this.#rendered ??= new Map<string, RenderedFor>());
    const key = `${wire} ${model}`;
    const before = all.get(key);
    if (before?.vendor === vendor && before.parsed === parsed) return before.rendered;
    const rendered = vendor.render(parsed.request, { model, defaultMaxTokens: this.#call.defaultMaxTokens });
    all.set(key, { vendor, parsed, rendered });
    return rendered;
  }

  /** Returns true where a vendor of the client's own wire can take the body as it is. */
  async #takes({ dropsForeignSeals, takes: inspect }: TextPass, model: string): Promise<boolean> {
    const { body } = this.#call;
    if (!dropsForeignSeals && (this.#isSealedByOthers ??= await inTurnsIfLong(holdsAny(body, envelopeBytes))))
      return false;
    const work = inspect?.(body, model);
    return work === undefined || (await inTurnsIfLong(work));
  }
}

/** A request that was rendered for a vendor's wire and model, and its source. */
interface RenderedFor {
  readonly vendor: VendorTextWire["vendor"];
  readonly parsed: ReadRequest["parsed"];
  readonly rendered: RenderedText;
}

import type { UpstreamWire } from "@modelgate/contracts";
import { inTurnsIfLong, once } from "@modelgate/platform";
import { reparseJson, type Exchange } from "@modelgate/relay";
import {
  hasEnvelope,
  textCodec,
  unsealed,
  type PassCodec,
  type TextCodec,
  type VendorTextCodec,
} from "@modelgate/wires/text";
import { converted, type Rendered } from "./converted.ts";
import { passed } from "./passed.ts";
import { readRequest, type ReadRequest } from "./read-request.ts";
import { severalPrompts } from "./several-prompts.ts";
import { codecOf, type TextCall } from "./text-call.ts";

/** What the attempts of one text call are made by. */
export interface TextExchanges {
  /** Makes one attempt's exchange. Throws Failure (400) for what the client said wrong or the wire cannot say. */
  make(upstream: TextCodec, upstreamModel: string, history?: "unsealed"): Promise<Exchange>;
  /** Counts what the request loses in a wire of this model's vendor: Infinity where that cannot say it. */
  countUnsupported(wire: UpstreamWire, upstreamModel: string): Promise<number>;
}

/**
 * The exchanges of one text call: with a vendor of its own wire it is passed on, with any other it is converted. So is
 * one that carries another vendor's seals in its history: they must not reach this one. `unsealed` leaves out all
 * seals, also those of the vendor's own wire.
 */
export function textExchanges(call: TextCall): TextExchanges {
  const { client } = codecOf(call);
  const parseBody = once(() => reparseJson(call.body));
  const read = once(async () => readRequest(call, await parseBody()));
  const readUnsealed = async (): Promise<ReadRequest> => {
    const { asked, parsed } = await read();
    return { asked, parsed: { ...parsed, request: unsealed(parsed.request) } };
  };
  // Which wire loses least is found by rendering for each: what was rendered is what the attempt sends.
  const kept = new Map<string, Kept>();
  const render = (vendor: VendorTextCodec["vendor"], wire: UpstreamWire, { parsed }: ReadRequest, model: string) => {
    const key = `${wire} ${model}`;
    const before = kept.get(key);
    if (before?.vendor === vendor && before.parsed === parsed) return before.rendered;
    const rendered = vendor.render(parsed.request, { model, defaultMaxTokens: call.defaultMaxTokens });
    kept.set(key, { vendor, parsed, rendered });
    return rendered;
  };
  const isSealedByOthers = once(() => inTurnsIfLong(hasEnvelope(call.body)));
  const takes = async ({ dropsForeignSeals, takes: look }: PassCodec, model: string): Promise<boolean> => {
    if (!dropsForeignSeals && (await isSealedByOthers())) return false;
    const work = look?.(call.body, model);
    return work === undefined || (await inTurnsIfLong(work));
  };
  const make: TextExchanges["make"] = async (upstream, upstreamModel, history) => {
    const { name: wire, vendor } = upstream;
    const own = wire === call.wire ? upstream.pass : undefined;
    if (own !== undefined && (vendor === undefined || (history === undefined && (await takes(own, upstreamModel)))))
      return await passed(call, { ...upstream, pass: own }, upstreamModel);
    if (vendor === undefined) throw new Error(`a call in ${call.wire} cannot be converted to ${wire}`);
    const to = { ...upstream, vendor };
    if (call.choices > 1 && client.batch !== undefined) {
      // One request of several prompts has no neutral form.
      const asked = await parseBody();
      if (client.batch.isBatch(asked))
        return await severalPrompts({ call, client, batch: client.batch, upstream: to }, asked, upstreamModel);
    }
    const began = performance.now();
    const request = await (history === "unsealed" ? readUnsealed : read)();
    return await converted(call, to, { ...request, began, render: () => render(vendor, wire, request, upstreamModel) });
  };
  return {
    make,
    async countUnsupported(wire, upstreamModel) {
      if (wire === call.wire) return 0;
      const { vendor } = textCodec(wire);
      if (vendor === undefined) return Infinity;
      const request = await read();
      try {
        return render(vendor, wire, request, upstreamModel).dropped.length;
      } catch {
        return Infinity; // the attempt says what is refused
      }
    },
  };
}

/** What was rendered for a vendor's wire and model, and of what. */
interface Kept {
  readonly vendor: VendorTextCodec["vendor"];
  readonly parsed: ReadRequest["parsed"];
  readonly rendered: Rendered;
}

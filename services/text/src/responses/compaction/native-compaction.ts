import { inTurnsIfLong } from "@modelgate/platform";
import { parseAnswer, type Exchange } from "@modelgate/relay";
import { wires, type PassTarget, type RequestedFees } from "@modelgate/wires/text";
import { fittedBody } from "../../exchanges/pass-through.ts";

/** Creates the exchange of a compaction with a vendor that has an endpoint for it. */
export async function vendorCompactionExchange(
  body: Buffer,
  { model, target, fees }: { readonly model: string; readonly target: PassTarget; readonly fees: RequestedFees },
): Promise<Exchange> {
  const { pass } = wires.responses;
  const renamed =
    target.model === model
      ? body
      : await inTurnsIfLong(pass.upstreamBody(body, { model: target.model, reportUsage: false }));
  const fitted = await inTurnsIfLong(fittedBody(pass, renamed, target));
  return {
    wire: "compact",
    body: fitted.body,
    // A compaction calls none of the tools that its request declares, so their fees are left out. A member that chooses
    // a model remains, and is refused.
    requestedFees: { tools: fees.tools.filter(({ choosesModel }) => choosesModel === true), tiers: fees.tiers },
    isStreamed: false,
    dropped: fitted.dropped,
    read: () => ({
      kind: "complete",
      async read(bytes) {
        const answer = await parseAnswer(bytes);
        return {
          usage: pass.usage(answer),
          fees: pass.fees(answer),
          body: bytes,
          text: () => pass.extractText(bytes.toString()),
        };
      },
    }),
  };
}

import { inTurnsIfLong } from "@modelgate/platform";
import { parseAnswer, type Exchange } from "@modelgate/relay";
import { textWires, type RequestedFees } from "@modelgate/wires/text";

/** A compaction by a vendor that has an endpoint for it: passed on as it is. */
export async function nativeCompact(
  body: Buffer,
  {
    model,
    upstreamModel,
    tiers,
  }: { readonly model: string; readonly upstreamModel: string } & Pick<RequestedFees, "tiers">,
): Promise<Exchange> {
  const { pass } = textWires.responses;
  return {
    wire: "compact",
    body:
      upstreamModel === model
        ? body
        : await inTurnsIfLong(pass.upstreamBody(body, { model: upstreamModel, reportUsage: false })),
    // Tools are only described to a compaction: it calls none.
    requestedFees: { tools: [], tiers },
    streams: false,
    dropped: [],
    read: () => ({
      kind: "whole",
      async read(bytes) {
        const answer = await parseAnswer(bytes);
        return {
          usage: pass.usage(answer),
          fees: pass.fees(answer),
          body: bytes,
          words: () => pass.wordsOf(bytes.toString()),
        };
      },
    }),
  };
}

import { inTurnsIfLong } from "@modelgate/platform";
import { parseAnswer, type Exchange } from "@modelgate/relay";
import { wires, type RequestedFees } from "@modelgate/wires/text";

/** Creates the exchange of a compaction by a vendor that has an endpoint for it: the request is passed through. */
export async function nativeCompact(
  body: Buffer,
  {
    model,
    upstreamModel,
    tiers,
  }: { readonly model: string; readonly upstreamModel: string } & Pick<RequestedFees, "tiers">,
): Promise<Exchange> {
  const { pass } = wires.responses;
  return {
    wire: "compact",
    body:
      upstreamModel === model
        ? body
        : await inTurnsIfLong(pass.upstreamBody(body, { model: upstreamModel, reportUsage: false })),
    // Tools are only declared in a compaction request; none are called.
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

import { inTurnsIfLong } from "@modelgate/platform";
import { parseAnswer, type Exchange } from "@modelgate/relay";
import { textCodecs, type AskedFees } from "@modelgate/wires/text";

/** A compaction by a vendor that has an endpoint for it: passed on as it is. */
export async function nativeCompact(
  body: Buffer,
  {
    model,
    upstreamModel,
    tiers,
  }: { readonly model: string; readonly upstreamModel: string } & Pick<AskedFees, "tiers">,
): Promise<Exchange> {
  const { pass } = textCodecs.responses;
  return {
    wire: "compact",
    body:
      upstreamModel === model
        ? body
        : await inTurnsIfLong(pass.upstreamBody(body, { model: upstreamModel, reportUsage: false })),
    // Tools are only described to a compaction: it calls none.
    asks: { tools: [], tiers },
    dropped: [],
    refuses: () => false,
    async read(json) {
      const seen = pass.readAnswer(await parseAnswer(json));
      return { ...seen, carry: () => ({ json, words: () => pass.wordsOf(json.toString()) }) };
    },
    stream: () => {
      throw new Error("a compaction is never streamed");
    },
  };
}

import { addUnits, present, type Units, type UpstreamWire } from "@modelgate/contracts";
import { parseAnyAnswer, renderJson, renderSupported, type UpstreamHead, type Exchange } from "@modelgate/relay";
import type { UnstreamedClient } from "@modelgate/wires/kind";
import { wires, type VectorsAnswer, type VectorsRequest, type VectorsVendor } from "@modelgate/wires/vectors";
import { vendorWire } from "@modelgate/wires/wire";
import { kindExchange, type KindCall } from "./kind.ts";
import { sendAll } from "./several-prompts.ts";

/**
 * Creates the exchange of an embeddings call. If the vendor accepts fewer inputs per request, the inputs are split into
 * several requests; the call has one hold of money and one usage event. The first request is the attempt; the others
 * are sent on the same route after it is answered.
 */
export async function vectorsExchange(
  call: KindCall<VectorsRequest>,
  clientWire: { readonly name: string; readonly client: UnstreamedClient<VectorsRequest, VectorsAnswer> },
  wire: UpstreamWire,
  upstreamModel: string,
): Promise<Exchange> {
  const { vendor } = vendorWire<VectorsVendor>(wires, wire);
  const batches = batchesOf(call.request, vendor.maxInputs(upstreamModel));
  if (batches.length === 1) return await kindExchange(call, clientWire, wire, vendor, upstreamModel);
  const { client } = clientWire;
  const unsupportedRules = { spelling: client.spelling, strict: call.strict };
  const rendered = batches.map((request) =>
    renderSupported(unsupportedRules, call.dropped, () => vendor.render(request, { model: upstreamModel })),
  );
  const [first, ...others] = await Promise.all(rendered.map(({ body }) => renderJson(body, call.bodyBytes)));
  if (first === undefined) throw new Error("a request without inputs");
  const parse = async ({ headers, bytes }: UpstreamHead & { readonly bytes: Buffer }) => {
    const body = await parseAnyAnswer(bytes);
    return { ...vendor.parse(body, headers), usage: vendor.usage(body, headers) };
  };
  return {
    wire,
    body: first,
    streams: false,
    dropped: [...new Set(rendered.flatMap(({ dropped }) => dropped))],
    read: ({ headers }) => ({
      kind: "task",
      async read(bytes) {
        const begun = await parse({ headers, bytes });
        return {
          // There is no `usage`, because the first answer reports only that of the first request.
          async finish(link) {
            const all = [begun, ...(await Promise.all((await sendAll(link, others)).map(parse)))];
            const usage = sumOf(all);
            const vectors = all.flatMap((each) => each.vectors);
            const answer = present({ vectors, usage });
            return { body: Buffer.from(JSON.stringify(client.render(answer, call))), usage, words: () => "" };
          },
        };
      },
    }),
  };
}

function batchesOf(request: VectorsRequest, maxInputs: number): readonly VectorsRequest[] {
  const { inputs } = request;
  return Array.from({ length: Math.ceil(inputs.length / maxInputs) }, (_, at) => ({
    ...request,
    inputs: inputs.slice(at * maxInputs, (at + 1) * maxInputs),
  }));
}

/** Sums the usage of several answers; undefined if one of them has none. */
function sumOf(answers: readonly { readonly usage: Units | undefined }[]): Units | undefined {
  const all = answers.flatMap(({ usage }) => (usage === undefined ? [] : [usage]));
  return all.length < answers.length ? undefined : all.reduce((sum, usage) => addUnits(sum, usage), {});
}

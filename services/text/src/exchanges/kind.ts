import type { Units, UpstreamWire } from "@modelgate/contracts";
import type { WholeClient, WholeVendor } from "@modelgate/wires/kind";
import type { JsonObject } from "@modelgate/wires/text";
import { type UpstreamHead, type Exchange, parseAnyAnswer, renderJson, renderSupported } from "@modelgate/relay";

/** A call of a kind that answers in one piece, read into its neutral form. */
export interface KindCall<Request> {
  readonly request: Request;
  /** Hints that had no place in the neutral form. */
  readonly dropped: readonly string[];
  /** The client's name of the model. */
  readonly model: string;
  readonly strict: boolean;
  readonly answerId: string;
  readonly inputTokens: number;
  /** Size of the client's body. */
  readonly bodyBytes: number;
}

/** The exchange of such a call: from the client's wire to the vendor's and back, always through the neutral form. */
export async function kindExchange<Request, Answer extends { readonly usage?: Units | undefined }>(
  call: KindCall<Request>,
  clientWire: { readonly name: string; readonly client: WholeClient<Request, Answer> },
  wire: UpstreamWire,
  vendor: WholeVendor<Request, Answer>,
  upstreamModel: string,
): Promise<Exchange> {
  const { name, client } = clientWire;
  const unsupportedRules = { spelling: client.spelling, strict: call.strict };
  const { body, dropped } = renderSupported(unsupportedRules, call.dropped, () =>
    vendor.render(call.request, { model: upstreamModel }),
  );
  const isSame = name === wire && call.model === upstreamModel;
  return await wholeExchange({
    wire,
    body,
    bodyBytes: call.bodyBytes,
    dropped,
    usageOf: (answer, { headers }) => vendor.usage(answer, headers),
    render: (answer, { headers }) =>
      client.render({ ...vendor.parse(answer, headers), usage: vendor.usage(answer, headers) }, call),
    // Millions of numbers are not parsed only to be written again as they came.
    usageUnparsed: isSame ? (bytes) => usageAtEnd(bytes, (answer) => vendor.usage(answer, {})) : undefined,
  });
}

/** From this size on an answer in the client's own wire goes on as it came, where its end reports its usage. */
const largeBytes = 1024 * 1024;
/** Bytes at a large answer's end in which its usage is looked for. */
const endBytes = 4_096;

/** The usage in the last bytes of a large answer that ends as a JSON object does; undefined where it is elsewhere. */
function usageAtEnd(bytes: Buffer, read: (answer: JsonObject) => Units | undefined): Units | undefined {
  if (bytes.length < largeBytes) return undefined;
  const end = bytes.toString("utf8", bytes.length - endBytes);
  const usage = /"usage"\s*:\s*(\{[^{}]*\})[^{}[\]]*\}\s*$/.exec(end)?.[1];
  try {
    return usage === undefined ? undefined : read({ usage: JSON.parse(usage) });
  } catch {
    return undefined;
  }
}

/** An exchange whose answer comes in one piece of JSON. */
export async function wholeExchange(how: {
  readonly wire: UpstreamWire;
  readonly body: JsonObject;
  /** Size of the client's body that it was made from. */
  readonly bodyBytes: number;
  readonly dropped: readonly string[];
  readonly usageOf: (answer: JsonObject, head: UpstreamHead) => Units | undefined;
  readonly render: (answer: JsonObject, head: UpstreamHead) => JsonObject;
  /** Bytes of text in the body besides the client's. */
  readonly addedBytes?: number;
  /** Finds the usage in an answer that may go on as it came, without parsing it; undefined where it cannot. */
  readonly usageUnparsed?: ((bytes: Buffer) => Units | undefined) | undefined;
}): Promise<Exchange> {
  return {
    wire: how.wire,
    body: await renderJson(how.body, how.bodyBytes),
    streams: false,
    dropped: how.dropped,
    read: (head) => ({
      kind: "whole",
      async read(bytes) {
        const known = how.usageUnparsed?.(bytes);
        if (known !== undefined) return { body: bytes, usage: known, words: noWords };
        const answer = await parseAnyAnswer(bytes);
        return {
          body: Buffer.from(JSON.stringify(how.render(answer, head))),
          usage: how.usageOf(answer, head),
          addedBytes: how.addedBytes,
          words: noWords,
        };
      },
    }),
  };
}

/** Counts nothing: the model writes no text here. */
function noWords(): string {
  return "";
}

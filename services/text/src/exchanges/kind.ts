import type { Units, UpstreamWire } from "@modelgate/contracts";
import type { KindCodec } from "@modelgate/wires/kind";
import type { JsonObject } from "@modelgate/wires/text";
import { type AnswerHead, type Exchange, parseAnyAnswer, renderJson, renderSupported } from "@modelgate/relay";

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

/** What such a call needs of its vendor's codec. */
export interface KindVendor<Request, Answer> extends Pick<
  KindCodec<UpstreamWire, Request, Answer>,
  "wire" | "renderRequest"
> {
  parseAnswer(body: JsonObject, headers: AnswerHead["headers"]): Answer;
  readUsage(body: JsonObject, headers: AnswerHead["headers"]): Units | undefined;
}

/** The exchange of such a call: from the client's codec to the vendor's and back, always through the neutral form. */
export async function kindExchange<Request, Answer>(
  call: KindCall<Request>,
  client: Pick<KindCodec<string, Request, Answer>, "renderAnswer" | "spelling" | "wire">,
  vendor: KindVendor<Request, Answer>,
  upstreamModel: string,
): Promise<Exchange> {
  const asker = { spelling: client.spelling, strict: call.strict };
  const { body, dropped } = renderSupported(asker, call.dropped, () =>
    vendor.renderRequest(call.request, { model: upstreamModel }),
  );
  const isSame = client.wire === vendor.wire && call.model === upstreamModel;
  return await wholeExchange({
    wire: vendor.wire,
    body,
    bodyBytes: call.bodyBytes,
    dropped,
    usageOf: (answer, { headers }) => vendor.readUsage(answer, headers),
    render: (answer, { headers }) => client.renderAnswer(vendor.parseAnswer(answer, headers), call),
    // Millions of numbers are not parsed only to be written again as they came.
    usageUnparsed: isSame ? (bytes) => usageAtEnd(bytes, (answer) => vendor.readUsage(answer, {})) : undefined,
  });
}

/** From this size on an answer in the client's own wire goes on as it came, where its end reports its usage. */
const largeBytes = 1024 * 1024;
/** How much of a large answer's end its usage is looked for in. */
const endBytes = 4_096;

/** The usage in the last bytes of a large answer that ends as a JSON object does; undefined where it stands elsewhere. */
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
  readonly usageOf: (answer: JsonObject, head: AnswerHead) => Units | undefined;
  readonly render: (answer: JsonObject, head: AnswerHead) => JsonObject;
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
          words: noWords,
        };
      },
    }),
  };
}

/** What the model wrote is no text here: nothing is counted. */
function noWords(): string {
  return "";
}

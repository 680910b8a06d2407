import type { Units, UpstreamWire } from "@modelgate/contracts";
import type { WholeClient, WholeVendor } from "@modelgate/wires/kind";
import type { JsonObject } from "@modelgate/wires/text";
import { type UpstreamHead, type Exchange, parseAnyAnswer, renderJson, renderSupported } from "@modelgate/relay";

/** A call with a non-streamed answer, parsed into its neutral form. */
export interface KindCall<Request> {
  readonly request: Request;
  /** Optional fields that the neutral form cannot express. */
  readonly dropped: readonly string[];
  /** The client's name of the model. */
  readonly model: string;
  readonly strict: boolean;
  readonly answerId: string;
  readonly inputTokens: number;
  /** Size of the client's body, in bytes. */
  readonly bodyBytes: number;
}

/**
 * Creates the exchange of such a call: from the client's wire to the vendor's and back, always through the neutral
 * form.
 */
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
    // Avoids parsing millions of numbers that are written again unchanged.
    usageUnparsed: isSame ? (bytes) => usageAtEnd(bytes, (answer) => vendor.usage(answer, {})) : undefined,
  });
}

/**
 * Minimum size, in bytes, from which an answer in the client's wire is passed through unparsed if its end reports the
 * usage.
 */
const largeBytes = 1024 * 1024;
/** Bytes at the end of a large answer that are searched for the usage. */
const endBytes = 4_096;

/** Returns the usage found in the last bytes of a large JSON answer; undefined where it is elsewhere. */
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

/** Creates an exchange whose answer is one JSON document. */
export async function wholeExchange(how: {
  readonly wire: UpstreamWire;
  readonly body: JsonObject;
  /** Size, in bytes, of the client's body that the request was made from. */
  readonly bodyBytes: number;
  readonly dropped: readonly string[];
  readonly usageOf: (answer: JsonObject, head: UpstreamHead) => Units | undefined;
  readonly render: (answer: JsonObject, head: UpstreamHead) => JsonObject;
  /** Bytes of text in the body in addition to the client's. */
  readonly addedBytes?: number;
  /**
   * Finds the usage without parsing an answer that may be passed through; returns undefined where the answer must be
   * parsed.
   */
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

/** Returns no text to count: the model writes none. */
function noWords(): string {
  return "";
}

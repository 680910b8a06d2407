import type { Units, UpstreamWire } from "@modelgate/contracts";
import type { UnstreamedClient, UnstreamedVendor } from "@modelgate/wires/kind";
import type { JsonObject } from "@modelgate/wires/text";
import { type UpstreamHead, type Exchange, parseAnyAnswer, renderJson, renderSupported } from "@modelgate/relay";

/** A call whose answer is not streamed, with its request in the neutral form. */
export interface KindCall<Request> {
  readonly request: Request;
  /** Optional fields of the client's request that the neutral form cannot express. */
  readonly dropped: readonly string[];
  /** Name of the model in the client's request. */
  readonly model: string;
  readonly strict: boolean;
  readonly answerId: string;
  readonly inputTokens: number;
  /** Size of the client's body, in bytes. */
  readonly bodyBytes: number;
}

/**
 * Creates the exchange of a call whose answer is not streamed. Request and answer are always converted through the
 * neutral form.
 */
export async function kindExchange<Request, Answer extends { readonly usage?: Units | undefined }>(
  call: KindCall<Request>,
  clientWire: { readonly name: string; readonly client: UnstreamedClient<Request, Answer> },
  wire: UpstreamWire,
  vendor: UnstreamedVendor<Request, Answer>,
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
    // This avoids parsing an answer with millions of numbers that the client receives unchanged.
    usageUnparsed: isSame ? (bytes) => usageAtEnd(bytes, (answer) => vendor.usage(answer, {})) : undefined,
  });
}

/** Minimum bytes of an answer in the client's wire that is passed on without parsing if its end contains the usage. */
const largeBytes = 1024 * 1024;
/** Number of bytes at the end of a large answer in which the usage is searched. */
const endBytes = 4_096;

/**
 * Returns the usage in the last bytes of a large JSON answer; undefined if the answer is small or its end contains no
 * usage.
 */
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
  /** Bytes of the client's body from which the request was created. */
  readonly bodyBytes: number;
  readonly dropped: readonly string[];
  readonly usageOf: (answer: JsonObject, head: UpstreamHead) => Units | undefined;
  readonly render: (answer: JsonObject, head: UpstreamHead) => JsonObject;
  /** Bytes of text that the gateway added to the client's. */
  readonly addedBytes?: number;
  /** Returns the usage if the answer can be passed on without parsing; undefined if it must be parsed. */
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

/** Returns no text, because these models write none that must be counted. */
function noWords(): string {
  return "";
}

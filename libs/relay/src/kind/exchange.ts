import type { Units, UpstreamWire } from "@modelgate/contracts";
import type { JsonObject, KindCodec } from "@modelgate/wires";
import type { Exchange } from "../exchange.ts";
import { lastRemembered } from "../last-remembered.ts";
import { tellLosses } from "../losses.ts";

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
}

/** The exchange of such a call: from the client's codec to the vendor's and back, always through the neutral form. */
export function kindExchange<Request, Answer>(
  call: KindCall<Request>,
  client: KindCodec<UpstreamWire, Request, Answer>,
  vendor: KindCodec<UpstreamWire, Request, Answer>,
  upstreamModel: string,
): Exchange {
  const asker = { spelling: client.spelling, strict: call.strict };
  const { body, dropped } = tellLosses(asker, call.dropped, () =>
    vendor.renderRequest(call.request, { model: upstreamModel }),
  );
  return wholeExchange({
    wire: vendor.wire,
    body,
    dropped,
    usageOf: (answer) => vendor.readUsage(answer),
    render: (answer) => client.renderAnswer(vendor.parseAnswer(answer), call),
  });
}

/** An exchange whose answer comes in one piece of JSON; it is parsed once. */
export function wholeExchange(how: {
  readonly wire: UpstreamWire;
  readonly body: JsonObject;
  readonly dropped: readonly string[];
  readonly usageOf: (answer: JsonObject) => Units | undefined;
  readonly render: (answer: JsonObject) => JsonObject;
}): Exchange {
  const parsed = lastRemembered((bytes): JsonObject => JSON.parse(bytes.toString()));
  return {
    wire: how.wire,
    body: Buffer.from(JSON.stringify(how.body)),
    dropped: how.dropped,
    refuses: () => false,
    usageOf(bytes) {
      try {
        return how.usageOf(parsed(bytes));
      } catch {
        return undefined;
      }
    },
    // What the model wrote is no text here: nothing is counted.
    whole: (bytes) => ({ json: Buffer.from(JSON.stringify(how.render(parsed(bytes)))), words: () => "" }),
    stream() {
      throw new Error("an answer of this kind is never streamed");
    },
  };
}

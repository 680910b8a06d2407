import { inTurnsIfLong } from "@modelgate/platform";
import { parseAnswer, PassTranslator, renderSupported, type Exchange, type PassMode } from "@modelgate/relay";
import { withoutMembers } from "@modelgate/wires/json";
import {
  surplusBounds,
  withBound,
  type ClientFraming,
  type JsonObject,
  type TextPass,
  type TextWire,
} from "@modelgate/wires/text";
import { clientWireOf, type TextCall } from "./text-call.ts";
import { textReader } from "./text-reader.ts";

/** Passes a call on: the same wire at both ends. */
export async function passed(
  call: TextCall,
  upstream: TextWire & { readonly pass: TextPass },
  upstreamModel: string,
): Promise<Exchange> {
  const { client } = clientWireOf(call);
  const { pass, vendor } = upstream;
  const { stream, includeUsage, paidOutputTokens: tokens } = call;
  const rename = upstreamModel === call.model ? undefined : call.model;
  const surplus =
    tokens === undefined ? surplusBounds(call.boundNames, pass.boundOrder(upstreamModel)) : call.boundNames;
  const refused = pass.refuses?.(call.foreignNames ?? [], upstreamModel) ?? [];
  // The wish for a cost is this gateway's to grant: vendors may refuse it.
  const own = [...surplus, ...refused, ...(call.showsCost === true ? ["usage"] : [])];
  const kept = own.length === 0 ? call.body : withoutMembers(call.body, own);
  const lost = refused.filter((name) => name !== "usage");
  const change = {
    model: rename === undefined ? undefined : upstreamModel,
    reportUsage: stream && (!includeUsage || call.showsCost === true),
  };
  const renamed = await inTurnsIfLong(pass.upstreamBody(kept, change));
  const bounded =
    tokens === undefined ? renamed : await inTurnsIfLong(withBound(pass, renamed, { tokens, model: upstreamModel }));
  const { body, dropped } = renderSupported({ spelling: client.spelling, strict: call.strict }, lost, () =>
    pass.fit === undefined ? { body: bounded, dropped: [] } : pass.fit(bounded),
  );
  return {
    wire: upstream.name,
    body,
    streams: stream,
    dropped,
    capTools: vendor?.capTools,
    read: textReader(call, upstream, {
      async whole(bytes) {
        const answer = await parseAnswer(bytes);
        return {
          usage: pass.usage(answer),
          fees: pass.fees(answer),
          body: echoed(pass, rename === undefined ? bytes : pass.renameAnswer(bytes, rename), call.echo),
          words: () => pass.wordsOf(bytes.toString()),
        };
      },
      translator({ mayBeCut }) {
        const framing = call.asArray === true ? client.array?.framing() : undefined;
        const early = mayBeCut ? pass.earlyEnd?.(call) : undefined;
        const mode = call.echo === undefined ? passMode(call, rename, framing) : "patched";
        const { echo } = call;
        return new PassTranslator({ pass, mode, rename, echo, hideUsage: !includeUsage, framing, early });
      },
    }),
  };
}

/** A whole answer that repeats what the vendor was not sent. */
function echoed({ echoAnswer }: TextPass, answer: Buffer, echo: JsonObject | undefined): Buffer {
  return echo === undefined || echoAnswer === undefined ? answer : echoAnswer(answer, echo);
}

/** The cheapest way to pass a stream that gives the client what it requested. */
export function passMode(
  { stream, includeUsage }: Pick<TextCall, "stream" | "includeUsage">,
  rename: string | undefined,
  framing: ClientFraming | undefined,
): PassMode {
  return framing === undefined && rename === undefined && (!stream || includeUsage) ? "bytes" : "patched";
}

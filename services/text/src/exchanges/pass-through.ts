import { parseAnswer, PassTranslator, renderSupported, type Exchange, type PassMode } from "@modelgate/relay";
import { parseMember, withoutMembers } from "@modelgate/formats/json";
import {
  surplusOutputLimits,
  withAcceptedFiles,
  wires,
  withOutputLimit,
  type ClientFraming,
  type ClientOnlyWire,
  type FittedBody,
  type JsonObject,
  type PassTarget,
  type TextPass,
  type TextWire,
} from "@modelgate/wires/text";
import { textReader, type TextCall } from "./text-call.ts";

/** Vendor of a call that is passed through: its wire, which is also the client's, and the model. */
export interface PassVendor {
  readonly upstream: TextWire;
  readonly pass: TextPass;
  /** Vendor's name of the model. */
  readonly upstreamModel: string;
  /** Model whose rules the request must follow (`AttemptOptions.rulesModel`), and items that the vendor does not store. */
  readonly target: PassTarget;
}

/** Creates the exchange of a call whose client and vendor have the same wire. */
export function passThroughExchange(
  call: TextCall,
  { upstream, pass, upstreamModel }: PassVendor,
  { body, dropped }: FittedBody,
): Exchange {
  const { client }: ClientOnlyWire = wires[call.wire];
  const { vendor } = upstream;
  const { stream, includeUsage } = call;
  const rename = upstreamModel === call.model ? undefined : call.model;
  return {
    wire: upstream.name,
    body,
    isStreamed: stream,
    dropped,
    capTools: vendor?.capTools,
    read: textReader(call, upstream, {
      async whole(bytes) {
        const answer = await parseAnswer(bytes);
        return {
          usage: pass.usage(answer),
          fees: pass.fees(answer),
          body: withEcho(pass, rename === undefined ? bytes : pass.renameAnswer(bytes, rename), call.echo),
          text: () => pass.extractText(bytes.toString()),
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

/** Returns the client's body in the form that the vendor accepts, and the names of the fields that were left out. */
export function* bodyForVendor(
  call: TextCall,
  { pass, upstreamModel, target }: PassVendor,
): Generator<undefined, FittedBody> {
  const { model: rulesModel } = target;
  const { outputLimitNames, paidOutputTokens: tokens } = call;
  const showsCost = call.showsCost === true;
  const hasSeveralLimits = tokens === undefined && outputLimitNames.length > 1;
  const surplus = hasSeveralLimits ? surplusOutputLimits(outputLimitNames, pass.outputLimitOrder(rulesModel)) : [];
  const refused = pass.refuses?.(call.foreignNames ?? [], rulesModel) ?? [];
  const removed = [...(tokens === undefined ? surplus : outputLimitNames), ...refused];
  // The field `usage` requests the cost, which the gateway adds itself. Vendors may refuse the field.
  if (showsCost) removed.push("usage");
  const clientBody = call.hasPlainFiles === true ? yield* withAcceptedFiles(call.body) : call.body;
  const remaining = removed.length === 0 ? clientBody : withoutMembers(clientBody, removed);
  const model = upstreamModel === call.model ? undefined : upstreamModel;
  const reportUsage = call.stream && (!call.includeUsage || showsCost);
  let body = yield* pass.upstreamBody(remaining, { model, reportUsage });
  if (tokens !== undefined) body = yield* withOutputLimit(pass, body, { tokens, model: rulesModel });
  const unsupported = refused.filter((name) => name !== "usage" && parseMember(call.body, name) !== null);
  const fitted = yield* fittedBody(pass, body, target);
  if (unsupported.length + fitted.dropped.length === 0) return fitted;
  const { client }: ClientOnlyWire = wires[call.wire];
  return renderSupported(
    { spelling: client.spelling, refusesUnsupported: call.refusesUnsupported },
    unsupported,
    () => fitted,
  );
}

/** Removes from a body the fields and items that the vendor refuses. Returns the body and the names of these fields. */
export function* fittedBody(
  { fit }: Pick<TextPass, "fit">,
  body: Buffer,
  target: PassTarget,
): Generator<undefined, FittedBody> {
  return fit === undefined ? { body, dropped: [] } : yield* fit(body, target);
}

/** Sets the fields `echo` in a complete answer, if answers of the wire repeat fields of the request. */
function withEcho({ echoAnswer }: TextPass, answer: Buffer, echo: JsonObject | undefined): Buffer {
  return echo === undefined || echoAnswer === undefined ? answer : echoAnswer(answer, echo);
}

/** Returns "bytes" if the frames of a stream need no change for the client, otherwise "patched". */
export function passMode(
  { stream, includeUsage }: Pick<TextCall, "stream" | "includeUsage">,
  rename: string | undefined,
  framing: ClientFraming | undefined,
): PassMode {
  return framing === undefined && rename === undefined && (!stream || includeUsage) ? "bytes" : "patched";
}

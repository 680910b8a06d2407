import { parseAnswer, renderJson, renderSupported, type Exchange } from "@modelgate/relay";
import {
  wires,
  type AnswerContext,
  type ClientOnlyWire,
  type JsonObject,
  type ParsedText,
  type TextAnswer,
  type VendorTextWire,
} from "@modelgate/wires/text";
import { ConvertTranslator } from "./convert-translator.ts";
import { textReader, type TextCall } from "./text-call.ts";
import { Failure } from "@modelgate/contracts";

export type RenderedText = ReturnType<VendorTextWire["vendor"]["render"]>;

/** A request to convert, with the function that renders it for the vendor. */
export interface ConvertibleRequest extends ParsedRequest {
  /** Time at which parsing the request began, from `performance.now()`. */
  readonly began: number;
  /** Renders the request. Throws Failure if the vendor's wire cannot express it. */
  render(): RenderedText;
}

/**
 * Creates the exchange of a call whose request and answer are converted between the wires of client and vendor. Throws
 * Failure (400).
 */
export async function convertedExchange(
  call: TextCall,
  upstream: VendorTextWire,
  { requestBody, parsed, began, render }: ConvertibleRequest,
): Promise<Exchange> {
  const { name: wire, vendor } = upstream;
  const { client }: ClientOnlyWire = wires[call.wire];
  const unsupportedRules = { spelling: client.spelling, refusesUnsupported: call.refusesUnsupported };
  // Only vendors of the client's wire get the client's optional headers. Otherwise they are reported as dropped.
  const headers = wire === call.wire ? [] : (call.ownHeaders ?? []);
  const { body, dropped } = renderSupported(unsupportedRules, [...parsed.dropped, ...headers], render);
  const context = (): AnswerContext => ({
    model: call.model,
    requestBody,
    request: parsed.request,
    answerId: call.answerId,
    now: Math.floor(Date.now() / 1_000),
    inputTokens: call.inputTokens,
    elapsedMs: () => performance.now() - began,
  });
  return {
    wire,
    body: await renderJson(body, call.body.length),
    requestedFees: vendor.requestedFees(body) ?? { tools: [], tiers: [] },
    capTools: vendor.capTools,
    isStreamed: call.stream,
    dropped,
    read: textReader(call, upstream, {
      async whole(bytes) {
        const json = await parseAnswer(bytes);
        const answer = vendor.parse(json);
        const rendered = await renderJson(client.render(answer, context()), bytes.length);
        return { usage: vendor.usage(json), fees: vendor.fees(json), body: rendered, text: () => answerText(answer) };
      },
      translator() {
        const array = call.asArray === true ? client.array : undefined;
        const writer = (array ?? client).stream(context());
        const contentType = array?.framing().contentType ?? client.streamType;
        return new ConvertTranslator({ upstream, writer, contentType });
      },
    }),
  };
}

/** Returns the text of a complete answer, including the arguments of tool calls. */
export function answerText({ choices }: TextAnswer): string {
  const parts = choices.flatMap((choice) => choice.parts);
  return parts.map((part) => (part.kind === "tool-call" ? part.arguments : "text" in part ? part.text : "")).join("");
}

/** A client's request in the neutral form, and as JSON for wires whose answers repeat it. */
export interface ParsedRequest {
  readonly requestBody: JsonObject;
  readonly parsed: ParsedText;
}

/** Parses a call's request. Throws Failure (400 or 413). */
export function parseRequest(call: TextCall, requestBody: JsonObject): ParsedRequest {
  const { wire, model, stream, echo, paidOutputTokens } = call;
  const { client }: ClientOnlyWire = wires[wire];
  const read = client.read(requestBody, { model, stream });
  const maxTokens = read.request.maxTokens ?? paidOutputTokens;
  const parsed = paidOutputTokens === undefined ? read : { ...read, request: { ...read.request, maxTokens } };
  refuseLongArguments(parsed.request);
  return { requestBody: { ...requestBody, ...echo }, parsed };
}

/** Maximum characters of all tool arguments in a history. Parsing them as JSON blocks the event loop. */
const maxArguments = 2 * 1024 * 1024;

function refuseLongArguments({ turns }: ParsedText["request"]): void {
  const parts = turns.flatMap((turn) => turn.parts);
  const characters = parts.reduce((sum, part) => sum + (part.kind === "tool-call" ? part.arguments.length : 0), 0);
  if (characters > maxArguments)
    throw new Failure(
      "request_too_large",
      `The arguments of the tool calls in the history are longer than ${maxArguments} characters in total.`,
    );
}

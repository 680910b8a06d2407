import type { UpstreamAnswer } from "@modelgate/channels";
import { BufferBudget } from "@modelgate/platform";
import {
  Meter,
  meterStream,
  meterCompleteAnswer,
  readAnswer,
  type Exchange,
  type Metered,
  type TextCost,
  type VendorLink,
} from "@modelgate/relay";
import {
  wires,
  type ClientWireName,
  type PassThroughWireName,
  type TextAnswer,
  type TextEvent,
  type TextWire,
} from "@modelgate/wires/text";
import type { TextCall } from "../../src/exchanges/text-call.ts";
import { TextExchangeFactory } from "../../src/exchanges/text.ts";

/** Returns the call for a client's body as a service reads it. `more` replaces members of the call. */
export function callOf(wire: ClientWireName, body: object, more: Partial<TextCall> = {}): TextCall {
  const params = wires[wire].client.readParams(body, { model: "m" });
  return {
    wire,
    body: Buffer.from(JSON.stringify(body)),
    model: params.model,
    stream: params.stream,
    includeUsage: params.includeUsage,
    showsCost: params.showsCost,
    choices: params.choices,
    outputLimitNames: params.outputLimitNames,
    foreignNames: params.foreignNames,
    hasPlainFiles: params.hasPlainFiles,
    refusesUnsupported: false,
    defaultMaxTokens: 1_000,
    answerId: "answer-1",
    inputTokens: 1,
    ...more,
  };
}

export function exchangeOf(call: TextCall, vendor: TextWire, model = "vendor-model"): Promise<Exchange> {
  return new TextExchangeFactory(call).make(vendor, model);
}

export function sentBody({ body }: Exchange): string {
  if (!Buffer.isBuffer(body)) throw new Error("a text call is sent as bytes");
  return body.toString();
}

/** Renders an answer in the vendor's wire: a complete answer, or a stream if the exchange requests one. */
export function vendorAnswer(vendor: PassThroughWireName, exchange: Exchange, answer: TextAnswer): string {
  const { client } = wires[vendor];
  const requestBody = JSON.parse(sentBody(exchange));
  const { request } = client.read(requestBody, { model: "m" });
  const context = { model: "m", requestBody, request, answerId: "a_1", now: 1, inputTokens: 1 };
  if (!exchange.isStreamed) return JSON.stringify(client.render(answer, context));
  const writer = client.stream(context);
  return (
    eventsOf(answer)
      .map((event) => writer.write(event))
      .join("") + writer.end()
  );
}

/** Returns the stream events of an answer with one choice. */
function eventsOf({ id, model, createdAt, choices: [only], usage = {} }: TextAnswer): readonly TextEvent[] {
  if (only === undefined) throw new Error("an answer has a choice");
  const choice = 0;
  const parts = only.parts.flatMap((whole, part): readonly TextEvent[] => {
    if (!("text" in whole) && whole.kind !== "tool-call") throw new Error(`no events are made of ${whole.kind}`);
    const text = whole.kind === "tool-call" ? whole.arguments : whole.text;
    return [
      { type: "part-start", choice, part, opened: whole },
      { type: "part-delta", choice, part, text },
      { type: "part-end", choice, part },
    ];
  });
  return [
    { type: "start", id, model, createdAt },
    ...parts,
    { type: "finish", choice, reason: only.finish },
    { type: "usage", usage },
  ];
}

/** Answer that the client receives, and the units that are billed for it. */
export interface Answered {
  readonly text: string;
  readonly metered: Metered;
}

/** Reads a vendor's complete answer or stream for the client. Throws Failure as an attempt of a call does. */
export async function readForClient(exchange: Exchange, text: string): Promise<Answered> {
  const contentType = exchange.isStreamed ? "text/event-stream" : "application/json";
  const reader = exchange.read({ headers: { "content-type": contentType } });
  if (reader.kind === "job") throw new Error("no answer of text is a job");
  if (reader.kind !== "stream") {
    const whole =
      reader.kind === "task"
        ? await (await reader.read(Buffer.from(text))).finish(neverAgain)
        : await readAnswer(answerOf(text), reader, 1_000_000, new BufferBudget(1_000_000));
    return { text: whole.body.toString(), metered: await meterCompleteAnswer(costOf(exchange), whole) };
  }
  const splitter = reader.framing.splitter();
  const translator = reader.translator({ mayBeCut: false });
  const meter = new Meter();
  meter.textExtractor = translator;
  let out = "";
  for (const frame of splitter.push(Buffer.from(text))) {
    const reading = translator.read(frame);
    if (reading.failure !== undefined) throw reading.failure;
    meter.addOutput(reading.text);
    if (reading.usage !== undefined) meter.report(reading.usage);
    out += reading.render().toString();
  }
  out += translator.end().toString();
  return { text: out, metered: await meterStream(costOf(exchange), meter, "completed") };
}

/** Link to a vendor that fails for each further request. */
const refuseRequest = (): Promise<never> => Promise.reject(new Error("the answer was complete"));
const neverAgain: VendorLink = {
  poll: refuseRequest,
  send: refuseRequest,
  proxy: undefined,
  origin: "",
  signal: new AbortController().signal,
};

/** Returns the part of a text call's cost that the meter of a complete answer reads. */
function costOf(exchange: Exchange): TextCost {
  const body = Buffer.from(sentBody(exchange));
  const size = { textBytes: body.length, mediaTokens: 0, maxOutputTokens: undefined, choices: 1 };
  return { by: "text", body, stream: exchange.isStreamed, size };
}

function answerOf(text: string): UpstreamAnswer {
  const nothing = (): void => undefined;
  return {
    status: 200,
    headers: {},
    pipe(sink) {
      sink.data(Buffer.from(text));
      sink.end();
    },
    pause: nothing,
    resume: nothing,
    abort: nothing,
  };
}

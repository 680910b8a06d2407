import { Failure, type UpstreamWire } from "@modelgate/contracts";
import { inTurnsIfLong, once } from "@modelgate/platform";
import { withoutMembers } from "@modelgate/wires/json";
import {
  hasEnvelope,
  surplusBounds,
  textCodec,
  textCodecs,
  unsealed,
  type AnswerContext,
  type ClientFraming,
  type ClientOnlyCodec,
  type JsonObject,
  type Parsed,
  type PassCodec,
  type Target,
  type TextCodec,
  type VendorTextCodec,
} from "@modelgate/wires/text";
import {
  eventStream,
  type Exchange,
  parseAnswer,
  type PassMode,
  PassTranslator,
  renderJson,
  reparseJson,
  renderSupported,
  type Waiting,
} from "@modelgate/relay";
import { ConvertTranslator } from "./convert-translator.ts";
import { severalPrompts } from "./several-prompts.ts";
import type { TextCall } from "./text-call.ts";
import { textReader, wordsOf } from "./text-reader.ts";

export type { TextCall };

/** What the attempts of one text call are made by. */
export interface TextExchanges {
  /** Makes one attempt's exchange. Throws Failure (400) for what the client said wrong or the wire cannot say. */
  make(upstream: TextCodec, upstreamModel: string, history?: "unsealed"): Promise<Exchange>;
  /** Counts what the request loses in a wire of this model's vendor: Infinity where that cannot say it. */
  losses(wire: UpstreamWire, upstreamModel: string): Promise<number>;
}

/**
 * The exchanges of one text call: with a vendor of its own wire it is passed on, with any other it is converted. So is
 * one that carries another vendor's seals in its history: they must not reach this one. `unsealed` leaves out all
 * seals, also those of the vendor's own wire.
 */
export function textExchanges(call: TextCall): TextExchanges {
  const { client } = codecOf(call);
  const parseBody = once(() => reparseJson(call.body));
  const read = once(async () => readRequest(call, await parseBody()));
  const readUnsealed = async (): Promise<ReadRequest> => {
    const { asked, parsed } = await read();
    return { asked, parsed: { ...parsed, request: unsealed(parsed.request) } };
  };
  // Which wire loses least is found by rendering for each: what was rendered is what the attempt sends.
  const kept = new Map<string, Kept>();
  const render = (vendor: VendorTextCodec["vendor"], wire: UpstreamWire, { parsed }: ReadRequest, model: string) => {
    const key = `${wire} ${model}`;
    const before = kept.get(key);
    if (before?.vendor === vendor && before.parsed === parsed) return before.rendered;
    const rendered = vendor.renderRequest(parsed.request, targetOf(call, model));
    kept.set(key, { vendor, parsed, rendered });
    return rendered;
  };
  const isSealedByOthers = once(() => inTurnsIfLong(hasEnvelope(call.body)));
  const takes = async ({ dropsForeignSeals, takes: look }: PassCodec, model: string): Promise<boolean> => {
    if (!dropsForeignSeals && (await isSealedByOthers())) return false;
    const work = look?.(call.body, model);
    return work === undefined || (await inTurnsIfLong(work));
  };
  const make: TextExchanges["make"] = async (upstream, upstreamModel, history) => {
    const { wire, vendor } = upstream;
    const own = wire === call.wire ? upstream.pass : undefined;
    if (own !== undefined && (vendor === undefined || (history === undefined && (await takes(own, upstreamModel)))))
      return await passed(call, { ...upstream, pass: own }, upstreamModel);
    if (vendor === undefined) throw new Error(`a call in ${call.wire} cannot be converted to ${wire}`);
    const to = { ...upstream, vendor };
    if (call.choices > 1 && client.batch !== undefined) {
      // One request of several prompts has no neutral form.
      const asked = await parseBody();
      if (client.batch.isBatch(asked))
        return await severalPrompts({ call, client, batch: client.batch, upstream: to }, asked, upstreamModel);
    }
    const began = performance.now();
    const request = await (history === "unsealed" ? readUnsealed : read)();
    return await converted(call, to, { ...request, began, render: () => render(vendor, wire, request, upstreamModel) });
  };
  return {
    make,
    async losses(wire, upstreamModel) {
      if (wire === call.wire) return 0;
      const { vendor } = textCodec(wire);
      if (vendor === undefined) return Infinity;
      const request = await read();
      try {
        return render(vendor, wire, request, upstreamModel).dropped.length;
      } catch {
        return Infinity; // the attempt says what is refused
      }
    },
  };
}

/** Finds the codec of the client's wire. */
function codecOf({ wire }: Pick<TextCall, "wire">): ClientOnlyCodec {
  return textCodecs[wire];
}

/** Passes a call on: the same wire at both ends. */
async function passed(
  call: TextCall,
  upstream: TextCodec & { readonly pass: PassCodec },
  upstreamModel: string,
): Promise<Exchange> {
  const { client } = codecOf(call);
  const { pass, vendor } = upstream;
  const { stream, includeUsage } = call;
  const rename = upstreamModel === call.model ? undefined : call.model;
  const surplus = surplusBounds(call.boundNames, pass.boundOrder(upstreamModel));
  // The wish for a cost is this gateway's to grant: vendors may refuse it.
  const own = call.showsCost === true ? [...surplus, "usage"] : surplus;
  const kept = own.length === 0 ? call.body : withoutMembers(call.body, own);
  const change = {
    model: rename === undefined ? undefined : upstreamModel,
    reportUsage: stream && (!includeUsage || call.showsCost === true),
  };
  const renamed = await inTurnsIfLong(pass.upstreamBody(kept, change));
  const { body, dropped } = renderSupported({ spelling: client.spelling, strict: call.strict }, [], () =>
    pass.fit === undefined ? { body: renamed, dropped: [] } : pass.fit(renamed),
  );
  return {
    wire: upstream.wire,
    body,
    streams: stream,
    dropped,
    capTools: vendor?.capTools,
    read: textReader(call, upstream, {
      async whole(bytes) {
        const seen = pass.readAnswer(await parseAnswer(bytes));
        return {
          ...seen,
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
function echoed({ echoAnswer }: PassCodec, answer: Buffer, echo: JsonObject | undefined): Buffer {
  return echo === undefined || echoAnswer === undefined ? answer : echoAnswer(answer, echo);
}

/** The cheapest way to pass a stream that gives the client what it asked for. */
export function passMode(
  { stream, includeUsage }: Pick<TextCall, "stream" | "includeUsage">,
  rename: string | undefined,
  framing: ClientFraming | undefined,
): PassMode {
  return framing === undefined && rename === undefined && (!stream || includeUsage) ? "bytes" : "patched";
}

/** What the client said, in the neutral form; and as it came, for wires that repeat it. */
interface ReadRequest {
  readonly asked: JsonObject;
  readonly parsed: Parsed;
}

function readRequest({ wire, model, stream, echo }: TextCall, asked: JsonObject): ReadRequest {
  const parsed = codecOf({ wire }).client.parseRequest(asked, { model, stream });
  refuseLongArguments(parsed.request);
  return { asked: { ...asked, ...echo }, parsed };
}

/** Characters of all calls' arguments in a history that is converted: some wires want them parsed, at once. */
const mostArguments = 2 * 1024 * 1024;

function refuseLongArguments({ turns }: Parsed["request"]): void {
  const parts = turns.flatMap((turn) => turn.parts);
  const characters = parts.reduce((sum, part) => sum + (part.kind === "tool-call" ? part.arguments.length : 0), 0);
  if (characters > mostArguments)
    throw new Failure(
      "request_too_large",
      `The arguments of the calls in the history are longer than ${mostArguments} characters in total.`,
    );
}

/** A request as a vendor's codec rendered it. */
interface Kept {
  readonly vendor: VendorTextCodec["vendor"];
  readonly parsed: Parsed;
  readonly rendered: ReturnType<VendorTextCodec["vendor"]["renderRequest"]>;
}

/** A request that is converted: as it was read, and how it is rendered for its vendor. */
interface Converted extends ReadRequest {
  /** When it began to be read, of the monotonic clock, in ms. */
  readonly began: number;
  /** Throws Failure for what the vendor's wire cannot say. */
  render(): Kept["rendered"];
}

function targetOf({ defaultMaxTokens }: TextCall, model: string): Target {
  return { model, defaultMaxTokens };
}

/** Converts a call: another wire at the vendor's end. Throws Failure unsupported_parameter for what it cannot say. */
async function converted(
  call: TextCall,
  upstream: VendorTextCodec,
  { asked, parsed, began, render }: Converted,
): Promise<Exchange> {
  const { wire, vendor } = upstream;
  const { client } = codecOf(call);
  const asker = { spelling: client.spelling, strict: call.strict };
  // The client's headers reach vendors of its own wire only.
  const headers = wire === call.wire ? [] : (call.ownHeaders ?? []);
  const { body, dropped } = renderSupported(asker, [...parsed.dropped, ...headers], render);
  const context = (): AnswerContext => ({
    model: call.model,
    asked,
    request: parsed.request,
    answerId: call.answerId,
    now: Math.floor(Date.now() / 1_000),
    inputTokens: call.inputTokens,
    elapsedMs: () => performance.now() - began,
  });
  return {
    wire,
    body: await renderJson(body, call.body.length),
    asks: vendor.askedFees(body) ?? { tools: [], tiers: [] },
    capTools: vendor.capTools,
    streams: call.stream,
    dropped,
    read: textReader(call, upstream, {
      async whole(bytes) {
        const json = await parseAnswer(bytes);
        const answer = vendor.parseAnswer(json);
        const rendered = await renderJson(client.renderAnswer(answer, context()), bytes.length);
        return { ...vendor.readAnswer(json), body: rendered, words: () => wordsOf(answer) };
      },
      translator() {
        const array = call.asArray === true ? client.array : undefined;
        const writer = (array ?? client).writer(context());
        const contentType = array?.framing().contentType ?? client.streamType;
        return new ConvertTranslator({ upstream, writer, contentType });
      },
    }),
  };
}

/** How a client of a wire is kept waiting, and gets a failure, before its stream begins. */
export function waitingIn({ wire, asArray = false }: Pick<TextCall, "wire" | "asArray">): Waiting {
  const { client } = codecOf({ wire });
  const frame = (failure: Failure, requestId: string): string => client.failureFrame(failure, requestId);
  const framing = asArray ? client.array?.framing() : undefined;
  if (framing === undefined)
    return { contentType: client.streamType ?? eventStream, sign: client.keepAlive, fail: frame };
  const fail = (failure: Failure, requestId: string): string =>
    framing.reframe(Buffer.from(frame(failure, requestId))) + framing.end();
  return { contentType: framing.contentType, sign: framing.heartbeat(), fail };
}

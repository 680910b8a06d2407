import { inTurnsIfLong, type ServiceCall } from "@modelgate/platform";
import {
  countTokens,
  isSpoken,
  lookUp,
  parseAnyAnswer,
  priced,
  reparseJson,
  type CallPlan,
  type Exchange,
} from "@modelgate/relay";
import { isRecord } from "@modelgate/wires/json";
import type { CountCodec, ClientCodec, PassCodec, TextAsk, TextRequest } from "@modelgate/wires/text";
import type { Deps } from "./deps.ts";
import { sizeOf } from "./text-call.ts";

/** A wire whose clients may have input tokens counted. */
export interface CountingWire {
  readonly client: ClientCodec & { readonly count: CountCodec };
  readonly pass: PassCodec;
}

/** A request whose input tokens are wanted. */
export interface Counted extends Pick<CallPlan, "forward" | "prefer"> {
  readonly codec: CountingWire;
  readonly body: Buffer;
  readonly ask: TextAsk;
}

/** Tokens that each turn costs beside its words. */
const tokensPerTurn = 4;

/** Counts the input tokens of a request: by its vendor where that counts, else by the gateway's tokenizer. Costs nothing. */
export async function inputTokensOf(deps: Deps, call: ServiceCall, counted: Counted): Promise<number> {
  const { ask, body, codec } = counted;
  const { count } = codec.client;
  const plan = {
    ...priced(deps.relay, call, ask.model),
    body,
    stream: false,
    size: await sizeOf({ body, ask }),
    wires: [count.wire],
    forward: counted.forward,
    prefer: counted.prefer,
    exchange: (_: unknown, way: { readonly candidate: { readonly upstreamModel: string } }) =>
      countExchange(codec, body, way.candidate.upstreamModel),
  };
  if (isSpoken(deps.relay, call, plan)) {
    const tokens = count.read(await parseAnyAnswer(await lookUp(deps.relay, call, plan)));
    if (tokens !== undefined) return tokens;
  }
  return await countHere(await requestIn(codec.client, body, ask.model), ask);
}

/** Sends the body to the vendor under its own name of the model; the answer comes back untouched. */
async function countExchange({ client, pass }: CountingWire, body: Buffer, model: string): Promise<Exchange> {
  return {
    wire: client.count.wire,
    body: await inTurnsIfLong(pass.upstreamBody(body, { model, reportUsage: false })),
    dropped: [],
    refuses: () => false,
    async read(json) {
      await parseAnyAnswer(json);
      return { carry: () => ({ json, words: () => "" }) };
    },
    stream() {
      throw new Error("a count is never streamed");
    },
  };
}

async function countHere({ instructions, turns, tools }: TextRequest, { media }: TextAsk): Promise<number> {
  const said = [...instructions, ...turns.flatMap(({ parts }) => parts)];
  const words = said.map((part) => {
    if (part.kind === "tool-call") return `${part.name} ${part.arguments}`;
    if (part.kind === "tool-result")
      return part.parts.map((each) => (each.kind === "text" ? each.text : "")).join("\n");
    return "text" in part ? part.text : "";
  });
  const offered = (tools ?? []).map((tool) => JSON.stringify(tool));
  return (await countTokens([...words, ...offered].join("\n"))) + media.tokens + turns.length * tokensPerTurn;
}

/** Parses the request whose tokens are counted. */
async function requestIn(
  { count, parseRequest }: CountingWire["client"],
  body: Buffer,
  model: string,
): Promise<TextRequest> {
  const value = await reparseJson(body);
  return parseRequest(count.counted(isRecord(value) ? value : {}), { model, stream: false }).request;
}

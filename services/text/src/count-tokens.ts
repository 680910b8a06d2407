import type { UpstreamWire, TextWire } from "@modelgate/contracts";
import type { ServiceCall } from "@modelgate/platform";
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
import { changeModel, textCodecs, type TextAsk, type TextRequest } from "@modelgate/wires/text";
import type { Deps } from "./deps.ts";
import { sizeOf } from "./text-call.ts";

/** A request whose input tokens are wanted. */
export interface Counted extends Pick<CallPlan, "forward" | "prefer"> {
  readonly wire: TextWire;
  /** What a vendor that counts is asked in. */
  readonly counts: UpstreamWire;
  readonly body: Buffer;
  readonly ask: TextAsk;
  /** The request alone, for counting here. */
  readonly request: () => Promise<TextRequest>;
  /** The vendor's answer. */
  readonly read: (answer: Buffer) => number | undefined;
}

/** Tokens that each turn costs beside its words. */
const tokensPerTurn = 4;

/** Input tokens of a request: the vendor's count where it has one, else the gateway's own. Costs nothing. */
export async function inputTokensOf(deps: Deps, call: ServiceCall, counted: Counted): Promise<number> {
  const { ask, body, counts } = counted;
  const plan = {
    ...priced(deps.relay, call, ask.model),
    body,
    stream: false,
    size: await sizeOf({ body, ask }),
    wires: [counts],
    forward: counted.forward,
    prefer: counted.prefer,
    exchange: (_: UpstreamWire, way: { readonly candidate: { readonly upstreamModel: string } }) =>
      asIs(counts, changeModel(body, counted.wire, way.candidate.upstreamModel)),
  };
  if (isSpoken(deps.relay, call, plan)) {
    const tokens = counted.read(await lookUp(deps.relay, call, plan));
    if (tokens !== undefined) return tokens;
  }
  return countHere(await counted.request(), ask);
}

/** The body to the vendor and its answer back, untouched. */
function asIs(wire: UpstreamWire, body: Buffer): Exchange {
  return {
    wire,
    body,
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

/** A request in the neutral form, of a body that only wants to be counted. */
export async function requestIn(wire: TextWire, body: Buffer, model: string, added: object = {}): Promise<TextRequest> {
  const value = await reparseJson(body);
  return textCodecs[wire].parseRequest({ ...value, ...added }, { model, stream: false }).request;
}

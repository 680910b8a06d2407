import { channelKeyIdOf } from "@modelgate/channels";
import { inTurnsIfLong, type ServiceCall } from "@modelgate/platform";
import {
  countTokens,
  isSupported,
  parseAnyAnswer,
  resolveServingModel,
  queryVendor,
  reparseJson,
  type AdmittedIds,
  type Exchange,
  type VendorQuery,
} from "@modelgate/relay";
import { isRecord } from "@modelgate/formats/json";
import type { PassTarget, TokenCount, TextClient, TextPass, TextParams, TextRequest } from "@modelgate/wires/text";
import type { Deps } from "./deps.ts";
import { fittedBody } from "./exchanges/pass-through.ts";
import { foreignItems } from "./vendor-ids.ts";

/** A wire whose clients can request a count of input tokens. */
export interface CountingWire {
  readonly client: TextClient & { readonly count: TokenCount };
  readonly pass: TextPass;
}

/** A request to count input tokens. */
export interface TokenCountRequest extends Pick<VendorQuery, "forward" | "prefer"> {
  readonly wire: CountingWire;
  readonly body: Buffer;
  readonly params: TextParams;
  readonly admitted: AdmittedIds;
}

/** Tokens that each turn adds to those of its text. */
const tokensPerTurn = 4;

/** Returns the number of input tokens of a request. The vendor counts them if it can, otherwise the gateway. */
export async function inputTokensOf(deps: Deps, call: ServiceCall, request: TokenCountRequest): Promise<number> {
  const { params, body, wire } = request;
  const { count } = wire.client;
  const query: VendorQuery = {
    model: resolveServingModel(deps.relay, call, params.model).model,
    wires: [count.wire],
    forward: request.forward,
    prefer: request.prefer,
    exchange: (route) =>
      countExchange(wire, body, {
        model: route.candidate.upstreamModel,
        foreignItems: foreignItems(request.admitted, channelKeyIdOf(route)),
        isAnthropic: route.provider.isAnthropic,
      }),
  };
  if (isSupported(deps.relay, call, query)) {
    const tokens = count.read(await parseAnyAnswer(await queryVendor(deps.relay, call, query)));
    if (tokens !== undefined) return tokens;
  }
  return await countLocally(await parseCountedRequest(wire.client, body, params.model), params);
}

/** Creates the exchange in which the vendor counts tokens. */
async function countExchange({ client, pass }: CountingWire, original: Buffer, target: PassTarget): Promise<Exchange> {
  const { model } = target;
  const renamed = await inTurnsIfLong(pass.upstreamBody(original, { model, reportUsage: false }));
  const { body, dropped } = await inTurnsIfLong(fittedBody(pass, renamed, target));
  return {
    wire: client.count.wire,
    body,
    isStreamed: false,
    dropped,
    read: () => ({
      kind: "complete",
      async read(bytes) {
        await parseAnyAnswer(bytes);
        return { body: bytes };
      },
    }),
  };
}

async function countLocally({ instructions, turns, tools }: TextRequest, { media }: TextParams): Promise<number> {
  const content = [...instructions, ...turns.flatMap(({ parts }) => parts)];
  const texts = content.map((part) => {
    if (part.kind === "tool-call") return `${part.name} ${part.arguments}`;
    if (part.kind === "tool-result")
      return part.parts.map((each) => (each.kind === "text" ? each.text : "")).join("\n");
    return "text" in part ? part.text : "";
  });
  const toolTexts = (tools ?? []).map((tool) => JSON.stringify(tool));
  return (await countTokens([...texts, ...toolTexts].join("\n"))) + media.tokens + turns.length * tokensPerTurn;
}

async function parseCountedRequest(
  { count, read: parseRequest }: CountingWire["client"],
  body: Buffer,
  model: string,
): Promise<TextRequest> {
  const value = await reparseJson(body);
  return parseRequest(count.countBody(isRecord(value) ? value : {}), { model, stream: false }).request;
}

import { withoutUndefined } from "@modelgate/contracts";
import { addTurn } from "./conversations/conversation-turns.ts";
import { reparseJson, runCall, type FinalAnswer, type Call, type JsonBody } from "@modelgate/relay";
import type { JsonObject } from "@modelgate/wires/text";
import type { ResponsesDeps } from "./deps.ts";
import { renderCompactedTurn, type Compaction } from "./compaction/compaction.ts";
import { newAnswerId } from "../text-kind.ts";
import { responseIn } from "./answered-response.ts";
import { itemsOf } from "./conversation.ts";
import { recordCreatedItems } from "./created-items.ts";
import { prepareResponses, type PreparedResponses, type ParsedResponsesRequest } from "./prepare.ts";
import { ResponseKind } from "./response-kind.ts";
import { storeAnswered, type AnsweredResponse } from "./store-answered.ts";
import { summaryTokens } from "./compaction/summary.ts";

/** Receives each response before the client can refer to it, in the order of the requests. */
export type OnAnswered = (answered: Promise<AnsweredResponse | undefined>) => void;

export interface RunOptions {
  readonly onAnswered?: OnAnswered | undefined;
  /** Id of the response; a new one if absent. */
  readonly answerId?: string;
  /** Fields of the client's request that the answer repeats although the vendor does not get them. */
  readonly echo?: JsonObject | undefined;
  /** Called when the money is held and the request is about to be sent. */
  readonly onStart?: () => void;
  /** True if the caller of `runPrepared` stores the response. */
  readonly isStoredByCaller?: boolean;
}

/** Runs a request for a response, which may refer to earlier responses. */
export async function runResponses(
  deps: ResponsesDeps,
  call: Call,
  body: JsonBody<ParsedResponsesRequest>,
  onAnswered?: OnAnswered,
): Promise<void> {
  const prepared = await prepareResponses(deps, call, body);
  const { previousId } = body.inspected.params;
  const { conversationId } = prepared;
  const echo = withoutUndefined({
    previous_response_id: previousId,
    conversation: conversationId === undefined ? undefined : { id: conversationId },
  });
  const hasEcho = Object.keys(echo).length > 0;
  await runPrepared(deps, call, body, prepared, { onAnswered, echo: hasEcho ? echo : undefined });
}

/** Runs a request whose references are resolved. */
export async function runPrepared(
  deps: ResponsesDeps,
  call: Call,
  body: JsonBody<ParsedResponsesRequest>,
  prepared: PreparedResponses,
  { onAnswered, answerId = newAnswerId(deps, "responses"), echo, onStart, isStoredByCaller = false }: RunOptions,
): Promise<void> {
  const { params } = body.inspected;
  const mustStore = params.store && !isStoredByCaller;
  const { admitted, body: bytes, native } = prepared;
  const turn = params.compacts ? withSummaryLimit(prepared.params) : prepared.params;
  const { model } = turn;
  await runCall(deps.relay, call, new ResponseKind(deps), {
    model,
    input: {
      model,
      wire: "responses",
      body: bytes,
      params: turn,
      answerId,
      admitted,
      asArray: false,
      forward: undefined,
      echo,
      onStart,
    },
    native,
    compaction: params.compacts ? await compactionOf(deps, call, prepared, answerId) : undefined,
    onFinalAnswer(answered) {
      recordCreatedItems(deps, call, { answered, isStored: params.store, admitted });
      const { ancestors, conversationId } = prepared;
      const isTurn = conversationId !== undefined && !isStoredByCaller;
      if (!mustStore && !isTurn && onAnswered === undefined) return undefined;
      const response = responseOf({ answered, answerId, bytes: body.bytes, ancestors, isStored: params.store });
      onAnswered?.(response.catch(() => undefined));
      return storeAnswered(deps, call, response, {
        bodyBytes: body.bytes.length,
        answerBytes: answered.text.length,
        isStored: mustStore,
        addTurn: isTurn ? (stored) => addTurn(deps, call, conversationId, stored) : undefined,
      });
    },
  });
}

/** Raises the output limit for which money is held: the gateway's summary may exceed the client's limit. */
function withSummaryLimit(params: PreparedResponses["params"]): PreparedResponses["params"] {
  const { maxOutputTokens: max } = params;
  return max === undefined ? params : { ...params, maxOutputTokens: Math.max(max, summaryTokens) };
}

async function compactionOf(
  deps: ResponsesDeps,
  call: Call,
  { params, body }: PreparedResponses,
  answerId: string,
): Promise<Compaction> {
  const requestBody = await reparseJson(body);
  return {
    model: params.model,
    stream: params.stream,
    instructions: typeof requestBody["instructions"] === "string" ? requestBody["instructions"] : undefined,
    items: itemsOf(requestBody["input"]),
    encrypt: (summary) => deps.compactions.encrypt(call.caller.accountId, summary),
    answerId,
    requestBody,
    requestBytes: body.length,
    render: renderCompactedTurn,
  };
}

/**
 * Returns the response in an answer, with the input items of its request; undefined if the answer contains no response.
 */
async function responseOf({
  answered,
  answerId,
  bytes,
  ancestors,
  isStored,
}: {
  readonly answered: FinalAnswer;
  readonly answerId: string;
  readonly bytes: Buffer;
  readonly ancestors: readonly string[];
  readonly isStored: boolean;
}): Promise<AnsweredResponse | undefined> {
  const response = responseIn(answered.text);
  const id = response?.["id"];
  if (response === undefined || typeof id !== "string" || id === "") return undefined;
  const body = await reparseJson(bytes);
  // If the vendor assigned the id, it may store the response too: `parseStored` decides.
  const keptAt = id === answerId || answered.isEndedEarly || !isStored ? undefined : answered.channelKey;
  return { id, stored: { response, input: itemsOf(body["input"]), ancestors, keptAt } };
}

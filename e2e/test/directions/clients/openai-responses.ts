import type OpenAI from "openai";
import type {
  Response as ModelResponse,
  ResponseCreateParamsNonStreaming,
  ResponseInput,
  ResponseInputContent,
} from "openai/resources/responses/responses";
import { droppedIn, parametersOf, type Client, type Reply, type Piece, type Question } from "../question.ts";
import { openaiAt } from "../../../../services/text/test/every-vendor.ts";
import { openaiError } from "./openai-chat.ts";

/** Client of the Responses API. It sends every turn again, with the encrypted reasoning. */
export const openaiResponses: Client = {
  name: "openai responses",
  wire: "responses",
  endings: {
    stop: "completed",
    length: "max_output_tokens",
    calls: "completed",
  },
  ask(suite, key, question) {
    const { system, prompt } = question;
    return ask(openaiAt(suite.edgeUrl, key), question, [
      ...(system === undefined ? [] : [{ role: "system" as const, content: system }]),
      { role: "user", content: prompt.map(partOf) },
    ]);
  },
  errorOf(thrown) {
    if (!(thrown instanceof FailedResponse)) return openaiError(thrown);
    return { className: "response.failed", status: undefined, message: thrown.message, body: thrown.error };
  },
};

/** Error of a failed response, which the SDK delivers as an event instead of throwing it. */
class FailedResponse extends Error {
  readonly error: unknown;

  constructor(message = "", error: unknown) {
    super(message);
    this.error = error;
  }
}

function partOf(piece: Piece): ResponseInputContent {
  if ("text" in piece) return { type: "input_text", text: piece.text };
  if ("image" in piece)
    return { type: "input_image", detail: "auto", image_url: `data:image/png;base64,${piece.image}` };
  return { type: "input_file", filename: "q3.pdf", file_data: `data:application/pdf;base64,${piece.pdf}` };
}

function bodyOf(question: Question, input: ResponseInput): ResponseCreateParamsNonStreaming {
  const { tools, schema } = question;
  return {
    model: question.model,
    input,
    store: false,
    include: ["reasoning.encrypted_content"],
    ...(tools && {
      tools: tools.map((tool) => ({
        type: "function",
        name: tool.name,
        description: tool.description,
        parameters: parametersOf(tool),
        strict: false,
      })),
    }),
    ...(question.reasoning && { reasoning: { effort: "medium", summary: "auto" } }),
    ...(schema && { text: { format: { type: "json_schema", name: "answer", strict: true, schema: { ...schema } } } }),
    ...(question.maxTokens !== undefined && { max_output_tokens: question.maxTokens }),
  };
}

async function ask(openai: OpenAI, question: Question, input: ResponseInput): Promise<Reply> {
  const body = bodyOf(question, input);
  if (!question.stream) {
    const { data, response } = await openai.responses.create(body).withResponse();
    return replyOf(openai, question, input, data, response);
  }
  const { data: events, response } = await openai.responses.create({ ...body, stream: true }).withResponse();
  let words = "";
  let number = 0;
  let whole: ModelResponse | undefined;
  for await (const event of events) {
    if (event.sequence_number !== number++) throw new Error(`event ${event.sequence_number} is out of its order`);
    if (event.type === "response.output_text.delta") words += event.delta;
    if (event.type === "response.failed") throw new FailedResponse(event.response.error?.message, event.response.error);
    if (event.type === "response.completed" || event.type === "response.incomplete") whole = event.response;
  }
  if (whole === undefined) throw new Error("the stream ended without its response");
  const answer = { ...whole, output_text: textIn(whole) };
  if (words !== answer.output_text) throw new Error(`pieces and whole differ: ${words} ${answer.output_text}`);
  return replyOf(openai, question, input, answer, response);
}

function textIn({ output }: ModelResponse): string {
  const parts = output.flatMap((item) => (item.type === "message" ? item.content : []));
  return parts.map((part) => (part.type === "output_text" ? part.text : "")).join("");
}

function replyOf(
  openai: OpenAI,
  question: Question,
  input: ResponseInput,
  answer: ModelResponse,
  response: Response,
): Reply {
  const { output, usage } = answer;
  const thoughts = output.flatMap((item) =>
    item.type === "reasoning" ? [...item.summary, ...(item.content ?? [])] : [],
  );
  return {
    text: answer.output_text,
    reasoning: thoughts.map(({ text }) => text).join(""),
    calls: output.flatMap((item) =>
      item.type === "function_call"
        ? [{ id: item.call_id, name: item.name, arguments: JSON.parse(item.arguments) }]
        : [],
    ),
    finish: answer.incomplete_details?.reason ?? answer.status ?? "",
    usage: {
      input: usage?.input_tokens,
      cached: usage?.input_tokens_details.cached_tokens,
      output: usage?.output_tokens,
      reasoning: usage?.output_tokens_details.reasoning_tokens,
    },
    dropped: droppedIn(response.headers.get("x-modelgate-dropped")),
    follow(outputs, change = {}) {
      const results = outputs.map(({ call, output: words }) => ({
        type: "function_call_output" as const,
        call_id: call.id,
        output: words,
      }));
      return ask(openai, { ...question, ...change }, [...input, ...output.map(sentBack), ...results]);
    },
  };
}

/** Converts an item of an answer to an item of a request, for which the SDK has another type. */
function sentBack(item: ModelResponse["output"][number]): ResponseInput[number] {
  if (item.type === "message" || item.type === "reasoning" || item.type === "function_call") return item;
  throw new Error(`an item of type ${item.type}`);
}

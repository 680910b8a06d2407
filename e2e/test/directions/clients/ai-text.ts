import {
  APICallError,
  generateText,
  jsonSchema,
  Output,
  streamText,
  tool,
  type LanguageModel,
  type ModelMessage,
  type ToolSet,
  type UserContent,
} from "ai";
import {
  droppedIn,
  parametersOf,
  type Reply,
  type SdkError,
  type ReplyUsage,
  type Piece,
  type Question,
} from "../question.ts";
import { memberOf } from "./members.ts";

type Settings = Parameters<typeof generateText>[0];

/** Model of a provider of the `ai` SDK. */
export interface AiProvider {
  readonly model: LanguageModel;
  readonly options: NonNullable<Settings["providerOptions"]>;
}

type ProviderFor = (model: string) => AiProvider;

export function askAi(provider: ProviderFor, question: Question): Promise<Reply> {
  return ask(provider, question, [{ role: "user", content: contentOf(question.prompt) }]);
}

export function aiError(thrown: unknown): SdkError {
  if (APICallError.isInstance(thrown)) {
    const { name, statusCode, message, responseBody } = thrown;
    return { className: name, status: statusCode, message, body: memberOf(JSON.parse(responseBody ?? "{}"), "error") };
  }
  if (!(thrown instanceof Error)) throw thrown;
  return { className: thrown.name, status: undefined, message: thrown.message, body: memberOf(thrown, "data") };
}

const contentOf = (pieces: readonly Piece[]): UserContent =>
  pieces.map((piece) => {
    if ("text" in piece) return { type: "text", text: piece.text };
    if ("image" in piece) return { type: "file", data: piece.image, mediaType: "image/png" };
    return { type: "file", data: piece.pdf, mediaType: "application/pdf", filename: "q3.pdf" };
  });

function toolsOf({ tools = [] }: Question): ToolSet {
  return Object.fromEntries(
    tools.map((offered) => [
      offered.name,
      tool({ description: offered.description, inputSchema: jsonSchema(parametersOf(offered)) }),
    ]),
  );
}

const usualMaxTokens = 4_096;
/**
 * Output limit of a question with reasoning. It is larger than every thinking budget that the SDK derives from an
 * effort, because a lower limit would reduce the budget.
 */
const maxThinkingTokens = 40_000;

function settingsOf({ model, options }: AiProvider, question: Question, messages: ModelMessage[]) {
  const { schema } = question;
  return {
    model,
    messages,
    maxRetries: 0,
    providerOptions: options,
    ...(question.system !== undefined && { instructions: question.system }),
    ...(question.tools && { tools: toolsOf(question) }),
    ...(question.reasoning && { reasoning: "medium" as const }),
    ...(schema && {
      output: Output.object({ schema: jsonSchema<object>({ ...schema, required: [...schema.required] }) }),
    }),
    // The SDK logs a warning if it must guess the maximum.
    maxOutputTokens: question.maxTokens ?? (question.reasoning ? maxThinkingTokens : usualMaxTokens),
  };
}

interface Result {
  readonly text: string;
  readonly reasoningText: string | undefined;
  readonly toolCalls: readonly { readonly toolCallId: string; readonly toolName: string; readonly input: unknown }[];
  readonly finishReason: string;
  readonly usage: {
    readonly inputTokens: number | undefined;
    readonly inputTokenDetails: { readonly cacheReadTokens: number | undefined };
    readonly outputTokens: number | undefined;
    readonly outputTokenDetails: { readonly reasoningTokens: number | undefined };
  };
  readonly warnings: readonly unknown[] | undefined;
  readonly headers: Record<string, string> | undefined;
  readonly messages: readonly ModelMessage[];
}

async function ask(provider: ProviderFor, question: Question, messages: ModelMessage[]): Promise<Reply> {
  const settings = settingsOf(provider(question.model), question, messages);
  if (!question.stream) {
    const answer = await generateText(settings);
    const { response, responseMessages } = answer;
    return replyOf(provider, question, messages, {
      ...pickResult(answer),
      headers: response.headers,
      messages: responseMessages,
    });
  }
  const failures: unknown[] = [];
  const answer = streamText({ ...settings, onError: ({ error }) => void failures.push(error) });
  let text = "";
  for await (const part of answer.fullStream) if (part.type === "text-delta") text += part.text;
  if (failures.length > 0) throw failures[0];
  return replyOf(provider, question, messages, {
    text,
    reasoningText: await answer.reasoningText,
    toolCalls: await answer.toolCalls,
    finishReason: await answer.finishReason,
    usage: await answer.usage,
    warnings: await answer.warnings,
    headers: (await answer.response).headers,
    messages: await answer.responseMessages,
  });
}

const pickResult = ({
  text,
  reasoningText,
  toolCalls,
  finishReason,
  usage,
  warnings,
}: Omit<Result, "headers" | "messages">) => ({ text, reasoningText, toolCalls, finishReason, usage, warnings });

function replyOf(provider: ProviderFor, question: Question, messages: ModelMessage[], result: Result): Reply {
  return {
    text: result.text,
    reasoning: result.reasoningText ?? "",
    calls: result.toolCalls.map(({ toolCallId, toolName, input }) => ({
      id: toolCallId,
      name: toolName,
      arguments: input,
    })),
    finish: result.finishReason,
    usage: usageOf(result),
    dropped: droppedIn(result.headers?.["x-modelgate-dropped"]),
    follow(outputs, change = {}) {
      const results = outputs.map(({ call, output }) => ({
        type: "tool-result" as const,
        toolCallId: call.id,
        toolName: call.name,
        output: { type: "text" as const, value: output },
      }));
      return ask(provider, { ...question, ...change }, [
        ...messages,
        ...result.messages,
        { role: "tool", content: results },
      ]);
    },
  };
}

const usageOf = ({ usage }: Result): ReplyUsage => ({
  input: usage.inputTokens,
  cached: usage.inputTokenDetails.cacheReadTokens,
  output: usage.outputTokens,
  reasoning: usage.outputTokenDetails.reasoningTokens,
});

import {
  ApiError,
  type GoogleGenAI,
  type Content,
  type GenerateContentConfig,
  type GenerateContentResponse,
  type Part,
} from "@google/genai";
import { googleAt } from "../../../../services/text/test/every-vendor.ts";
import { droppedIn, parametersOf, type Client, type Reply, type Piece, type Question } from "../question.ts";

export const googleContent: Client = {
  name: "genai",
  wire: "content",
  endings: { stop: "STOP", length: "MAX_TOKENS", calls: "STOP" },
  ask: (suite, key, question) =>
    ask(googleAt(suite.edgeUrl, key), question, [{ role: "user", parts: question.prompt.map(partOf) }]),
  errorOf(thrown) {
    if (!(thrown instanceof ApiError)) throw thrown;
    const { status, message } = thrown;
    return { className: thrown.name, status, message, body: JSON.parse(message.slice(message.indexOf("{"))).error };
  },
};

function partOf(piece: Piece): Part {
  if ("text" in piece) return { text: piece.text };
  if ("image" in piece) return { inlineData: { mimeType: "image/png", data: piece.image } };
  return { inlineData: { mimeType: "application/pdf", data: piece.pdf } };
}

function configOf(question: Question): GenerateContentConfig {
  const { tools, schema, system } = question;
  return {
    ...(system !== undefined && { systemInstruction: system }),
    ...(tools && {
      tools: [
        {
          functionDeclarations: tools.map((tool) => ({
            name: tool.name,
            description: tool.description,
            parametersJsonSchema: parametersOf(tool),
          })),
        },
      ],
    }),
    ...(question.reasoning && { thinkingConfig: { thinkingBudget: 8_192, includeThoughts: true } }),
    ...(schema && { responseMimeType: "application/json", responseJsonSchema: schema }),
    ...(question.maxTokens !== undefined && { maxOutputTokens: question.maxTokens }),
  };
}

/** Merged parts of all responses of a stream, or of one response. */
interface Result {
  readonly parts: readonly Part[];
  readonly finish: string | undefined;
  readonly usage: GenerateContentResponse["usageMetadata"];
  readonly headers: Record<string, string> | undefined;
  readonly text: string;
}

async function ask(google: GoogleGenAI, question: Question, contents: Content[]): Promise<Reply> {
  const request = { model: question.model, contents, config: configOf(question) };
  if (!question.stream)
    return replyOf(google, question, contents, readAll([await google.models.generateContent(request)]));
  const responses: GenerateContentResponse[] = [];
  for await (const response of await google.models.generateContentStream(request)) responses.push(response);
  return replyOf(google, question, contents, readAll(responses));
}

function readAll(responses: readonly GenerateContentResponse[]): Result {
  const parts = responses.flatMap(({ candidates }) => candidates?.[0]?.content?.parts ?? []);
  // The SDK logs a warning if `text` of an answer with calls is read.
  const texts = responses.map((response) => (response.functionCalls === undefined ? (response.text ?? "") : ""));
  const finishes = responses.flatMap(({ candidates }) => candidates?.[0]?.finishReason ?? []);
  if (finishes.length > 1) throw new Error(`${finishes.length} finish reasons`);
  const blocked = responses.find(({ promptFeedback }) => promptFeedback?.blockReason)?.promptFeedback?.blockReason;
  return {
    parts,
    finish: finishes[0] ?? blocked,
    usage: responses.findLast(({ usageMetadata }) => usageMetadata)?.usageMetadata,
    headers: responses[0]?.sdkHttpResponse?.headers,
    text: texts.join(""),
  };
}

function replyOf(google: GoogleGenAI, question: Question, contents: Content[], result: Result): Reply {
  const { parts, usage } = result;
  return {
    text: result.text,
    reasoning: parts.map(({ thought, text }) => (thought === true ? (text ?? "") : "")).join(""),
    calls: parts.flatMap(({ functionCall }) =>
      functionCall === undefined
        ? []
        : [{ id: functionCall.id ?? "", name: functionCall.name ?? "", arguments: functionCall.args }],
    ),
    finish: result.finish ?? "",
    usage: {
      input: usage?.promptTokenCount,
      cached: usage?.cachedContentTokenCount ?? 0,
      output: usage === undefined ? undefined : (usage.candidatesTokenCount ?? 0) + (usage.thoughtsTokenCount ?? 0),
      reasoning: usage?.thoughtsTokenCount ?? 0,
    },
    dropped: droppedIn(result.headers?.["x-modelgate-dropped"]),
    follow(outputs, change = {}) {
      const results = outputs.map(({ call, output }) => ({
        functionResponse: { ...(call.id === "" ? {} : { id: call.id }), name: call.name, response: { output } },
      }));
      return ask(google, { ...question, ...change }, [
        ...contents,
        { role: "model", parts: [...parts] },
        { role: "user", parts: results },
      ]);
    },
  };
}

import { withoutUndefined, bodies } from "@modelgate/contracts";
import type { Static } from "typebox";
import { Fields, bodyReader, type JsonRecord } from "@modelgate/formats/json";
import { bytesMedia, mediaOf, type TextParams, type MeasureMedia } from "../params.ts";
import { parseFunction, parseProbabilityRequest, parseSampling, TurnCollector } from "../hub/content.ts";
import type { ParsedText } from "../hub/wire.ts";
import type { OutputFormat, ReasoningOptions, TextRequest, Tool, Turn } from "../hub/request.ts";
import type { Part, TextPart, ToolCallPart, ToolResultPart, ImagePart } from "../hub/part.ts";
import { CallPairs, renderArguments, callId } from "../hub/tool-calls.ts";

export function parseChat(body: JsonRecord): ParsedText {
  const fields = new Fields(body);
  const { instructions, turns } = parseTurns(fields);
  const tools = fields.each("tools", maxTools).map(parseTool);
  const sharedFields = { ...parseShared(fields), cacheMode: "automatic" } as const;
  const request = { ...sharedFields, instructions, turns, ...(tools.length > 0 ? { tools } : {}) };
  return { request, dropped: fields.unread() };
}

/** Parses a prompt as a user's turn. */
export function parseGenerate(body: JsonRecord): ParsedText {
  const fields = new Fields(body);
  if ((fields.text("suffix") ?? "") !== "") throw fields.unsupported("suffix");
  if ((fields.list("context") ?? []).length > 0) throw fields.unsupported("context");
  const prompt = fields.text("prompt") ?? "";
  const system = fields.text("system") ?? "";
  // The gateway applies no template to a prompt, so `raw: false` has no effect.
  if (body["raw"] === false) fields.ignore("raw");
  if (body["template"] === "") fields.ignore("template");
  const textParts = prompt === "" ? [] : [{ kind: "text", text: prompt } as const];
  const request = {
    ...parseShared(fields),
    instructions: system === "" ? [] : [{ kind: "text", text: system } as const],
    turns: [{ role: "user", parts: [...textParts, ...parseImages(fields)] } as const],
  };
  return { request, dropped: fields.unread() };
}

function parseShared(fields: Fields): Omit<TextRequest, "turns" | "instructions"> {
  return {
    model: fields.needText("model"),
    stream: fields.flag("stream") ?? true,
    ...withoutUndefined({
      format: parseFormat(fields),
      reasoning: parseThink(fields),
      logProbabilities: parseProbabilityRequest(fields),
      ...parseOptions(fields.fields("options") ?? new Fields({})),
    }),
  };
}

/** Parses sampling options. All other options are settings of a model on the local machine. */
function parseOptions(options: Fields): Partial<TextRequest> {
  const max = options.number("num_predict");
  return {
    maxTokens: max === undefined || max < 0 ? undefined : options.count("num_predict", 1),
    ...parseSampling(options),
    topK: options.count("top_k"),
    seed: options.count("seed", Number.MIN_SAFE_INTEGER),
    stop: options.textOrTexts("stop"),
  };
}

/** Parses the format of the answer. Some clients send "" for no format. */
function parseFormat(fields: Fields): OutputFormat | undefined {
  const format = fields.raw("format");
  if (format === undefined || format === "") return undefined;
  if (format === "json") return { kind: "json" };
  if (typeof format === "string") throw fields.wrong("format", '"json" or a JSON schema');
  return { kind: "schema", schema: fields.record("format") ?? {} };
}

const efforts = ["low", "medium", "high", "max"] as const;

/** Parses `think`, which is a boolean or an effort. */
function parseThink(fields: Fields): ReasoningOptions | undefined {
  const think = fields.raw("think");
  if (think === undefined) return undefined;
  if (think === false) return { effort: "none" };
  if (think === true) return { budgetTokens: -1, show: "full" };
  const effort = fields.oneOf("think", efforts);
  return effort === undefined ? undefined : { effort, show: "full" };
}

const maxTools = 4_096;

function parseTool(tool: Fields): Tool {
  const type = tool.text("type") ?? "function";
  if (type !== "function") throw tool.unsupported("type");
  return parseFunction(tool.needFields("function"));
}

/** Parameters of a request. `isEmpty` is true for a request without a message. */
export interface OllamaParams extends TextParams {
  readonly isEmpty: boolean;
}

const readChat = bodyReader(bodies.OllamaChatRequest);

const readGenerate = bodyReader(bodies.OllamaGenerateRequest);

export const inspectedMembers =
  "model stream messages prompt system images tools think options options.num_predict".split(" ");

export function readChatParams(value: unknown): OllamaParams {
  const body = readChat(value);
  return { ...readParams(body, body.messages), isEmpty: (body.messages ?? []).length === 0 };
}

export function readGenerateParams(value: unknown): OllamaParams {
  const body = readGenerate(value);
  const isEmpty = (body.prompt ?? "") === "" && (body.images ?? []).length === 0;
  return { ...readParams(body, [{ images: body.images }]), isEmpty };
}

type OllamaBody = Pick<Static<typeof bodies.OllamaChatRequest>, "model" | "stream" | "options">;

/** Reads the parameters of a request. Answers are streams by default. */
function readParams({ model, stream, options }: OllamaBody, messages: unknown): TextParams {
  const max = options?.num_predict ?? undefined;
  return {
    model,
    stream: stream ?? true,
    includeUsage: true,
    maxOutputTokens: max === undefined || max < 0 ? undefined : max,
    outputLimitNames: [],
    readsHiddenInput: false,
    choices: 1,
    media: mediaOf(messages, measureImages),
  };
}

/** Measures the images of a message. They are Base64 in a member next to the text. */
const measureImages: MeasureMedia = ({ images }) => {
  if (!Array.isArray(images)) return undefined;
  const all = images.flatMap((image: unknown) => (typeof image === "string" ? [bytesMedia("image/", image)] : []));
  return {
    characters: all.reduce((sum, { characters }) => sum + characters, 0),
    tokens: all.reduce((sum, { tokens }) => sum + tokens, 0),
  };
};

/** Maximum number of messages of one request, and of calls of one message. */
const [maxMessages, maxCalls] = [20_000, 1_024];

const roles = ["system", "user", "assistant", "tool"] as const;

export function parseTurns(fields: Fields): {
  readonly instructions: readonly TextPart[];
  readonly turns: readonly Turn[];
} {
  const instructions: TextPart[] = [];
  const dialogue = new TurnCollector();
  const calls = new CallPairs();
  for (const [index, message] of fields.each("messages", maxMessages).entries()) {
    message.needText("role");
    const role = message.oneOf("role", roles);
    const text = message.text("content") ?? "";
    const texts: readonly TextPart[] = text === "" ? [] : [{ kind: "text", text }];
    if (role === "system" && dialogue.isEmpty) instructions.push(...texts);
    else if (role === "tool") dialogue.answer(parseResult(message, text, calls, index));
    else if (role === "assistant")
      dialogue.add(role, [...parseReasoning(message), ...texts, ...parseCalls(message, calls, index)]);
    else dialogue.add(role ?? "user", [...texts, ...parseImages(message)]);
  }
  return { instructions, turns: dialogue.turns.filter(({ parts }) => parts.length > 0) };
}

function parseReasoning(message: Fields): readonly Part[] {
  const text = message.text("thinking") ?? "";
  return text === "" ? [] : [{ kind: "reasoning", text }];
}

/** Parses the calls of a message. Clients may leave out their ids. */
function parseCalls(message: Fields, calls: CallPairs, index: number): readonly ToolCallPart[] {
  return message.each("tool_calls", maxCalls).map((call, position) => {
    call.ignore("type");
    const definition = call.needFields("function");
    definition.ignore("index");
    const name = definition.needText("name");
    const id = call.text("id") ?? callId(index, position, name);
    calls.called(id, name);
    const argumentsValue = definition.raw("arguments");
    const text = typeof argumentsValue === "string" ? argumentsValue : renderArguments(definition.record("arguments"));
    return { kind: "tool-call", id, name, arguments: text };
  });
}

/**
 * Parses a tool's result. It answers the pending call with its `tool_call_id`. Without an id, it answers the oldest
 * pending call: of its tool if it has a name, otherwise of any tool.
 */
function parseResult(message: Fields, text: string, calls: CallPairs, index: number): ToolResultPart {
  const toolName = message.text("tool_name") ?? message.text("name");
  const call = calls.remove(message.text("tool_call_id"), toolName);
  return {
    kind: "tool-result",
    callId: call?.id ?? callId(index, toolName ?? ""),
    ...withoutUndefined({ name: toolName ?? call?.name }),
    parts: [{ kind: "text", text }, ...parseImages(message)],
  };
}

/** Parses the images of a message. Their first bytes show the media type; an unknown type is treated as PNG. */
function parseImages(fields: Fields): readonly ImagePart[] {
  const images = fields.texts("images") ?? [];
  return images.map((text) => {
    const data = text.replace(/^data:[^,]*,/, "");
    const mediaType = beginnings.find(([beginning]) => data.startsWith(beginning))?.[1] ?? "image/png";
    return { kind: "image", source: { kind: "base64", mediaType, data } };
  });
}

const beginnings = [
  ["iVBORw0KGgo", "image/png"],
  ["/9j/", "image/jpeg"],
  ["R0lGOD", "image/gif"],
  ["UklGR", "image/webp"],
] as const;

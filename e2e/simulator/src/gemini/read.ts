import { listAt, memberOf, numberAt, textAt } from "../checks/members.ts";
import { requireShape } from "../checks/refusal.ts";
import { questionFrom, type OfferedTool, type Question } from "../core/question.ts";
import { cachesPrompts } from "./models.ts";
import { requireValidRequest } from "./rules.ts";
import { generateContentShape } from "./shape.ts";

/** Question, and options that only this wire has. */
export interface GenerateRequest {
  readonly question: Question;
  /** True if the request asks for its reasoning. Reasoning that a directive requests is sent in any case. */
  readonly showThoughts: boolean;
  /** True if only a picture is requested. */
  readonly imageOnly: boolean;
  /** Number of alternatives per token. Undefined if no probabilities are requested. */
  readonly topLogprobs: number | undefined;
}

/** Reads a request in camelCase. Throws a Refusal if it is invalid. */
export function readGenerate(body: unknown, model: string): GenerateRequest {
  requireShape(body, generateContentShape);
  requireValidRequest(body, model);
  const contents = listAt(body, "contents");
  const config = memberOf(body, "generationConfig");
  const thinking = memberOf(config, "thinkingConfig");
  const modalities = listAt(config, "responseModalities");
  const results = listAt(contents.at(-1), "parts").flatMap((part) => memberOf(part, "functionResponse") ?? []);
  const offered = listAt(body, "tools").flatMap((tool) => listAt(tool, "functionDeclarations").map(toolOf));
  const { choice, tools } = choiceIn(memberOf(memberOf(body, "toolConfig"), "functionCallingConfig"), offered);
  const asksThoughts = ["includeThoughts", "thinkingBudget", "thinkingLevel"].some((name) => memberOf(thinking, name));
  return {
    question: questionFrom(model, [textOf(memberOf(body, "systemInstruction")), ...contents.map(textOf)], {
      tools,
      choice,
      results: results.length > 0 ? results.map(resultText) : undefined,
      reasoning: asksThoughts && numberAt(thinking, "thinkingBudget") !== 0,
      format: formatIn(config),
      maxTokens: numberAt(config, "maxOutputTokens"),
      stops: listAt(config, "stopSequences").map(String),
      choices: numberAt(config, "candidateCount") ?? 1,
      image: modalities.includes("IMAGE"),
      pictureSize: pictureSizeIn(memberOf(config, "imageConfig")),
      prompt: promptOf(body, model),
    }),
    showThoughts: memberOf(thinking, "includeThoughts") === true,
    imageOnly: modalities.length > 0 && !modalities.includes("TEXT"),
    topLogprobs: memberOf(config, "responseLogprobs") === true ? (numberAt(config, "logprobs") ?? 0) : undefined,
  };
}

/** Returns the prompt for the cache, which stores every beginning of it. Undefined for a model without a cache. */
function promptOf(body: unknown, model: string): Question["prompt"] {
  if (!cachesPrompts(model)) return undefined;
  const contents = [{ ...Object(memberOf(body, "systemInstruction")), role: "system" }, ...listAt(body, "contents")];
  return {
    scope: [model, memberOf(body, "tools")],
    pieces: contents.flatMap((content) =>
      listAt(content, "parts").map((part) => ({
        role: textAt(content, "role") ?? "user",
        text: textOfPart(part),
        isCut: true,
      })),
    ),
  };
}

const sideOf: Readonly<Record<string, number>> = { "1K": 1_024, "2K": 2_048, "4K": 4_096 };

/** Returns the size of a picture: with the aspect ratio, and about as many pixels as a square of the requested size. */
function pictureSizeIn(config: unknown): Question["pictureSize"] {
  const [, across = 1, down = 1] = /^(\d+):(\d+)$/.exec(textAt(config, "aspectRatio") ?? "")?.map(Number) ?? [];
  if (config === undefined) return undefined;
  const side = sideOf[textAt(config, "imageSize") ?? "1K"] ?? 1_024;
  const scale = side / Math.sqrt(across * down);
  return { width: Math.round(across * scale), height: Math.round(down * scale) };
}

/** Returns a content as text. Pictures and files are described by kind and size. */
export function textOf(content: unknown): string {
  return listAt(content, "parts").map(textOfPart).join("");
}

function textOfPart(part: unknown): string {
  const inline = memberOf(part, "inlineData");
  if (inline !== undefined) {
    const mimeType = textAt(inline, "mimeType") ?? "";
    const kind = mimeType.startsWith("image/") ? "image" : mimeType.startsWith("audio/") ? "audio" : "file";
    return `[${kind} ${mimeType} ${(textAt(inline, "data") ?? "").length} characters]`;
  }
  const file = memberOf(part, "fileData");
  if (file !== undefined) return `[file ${textAt(file, "fileUri") ?? ""}]`;
  const call = memberOf(part, "functionCall");
  if (call !== undefined) return JSON.stringify(memberOf(call, "args") ?? {});
  const result = memberOf(part, "functionResponse");
  return result === undefined ? (textAt(part, "text") ?? "") : resultText(result);
}

/** Returns a tool result as text: its only text, or JSON. */
function resultText(result: unknown): string {
  const response = memberOf(result, "response");
  const [only, ...more] = Object.values(Object(response));
  return typeof only === "string" && more.length === 0 ? only : JSON.stringify(response);
}

function toolOf(declaration: unknown): OfferedTool {
  return {
    name: textAt(declaration, "name") ?? "",
    schema: memberOf(declaration, "parameters") ?? memberOf(declaration, "parametersJsonSchema") ?? undefined,
  };
}

function choiceIn(config: unknown, offered: readonly OfferedTool[]): Pick<Question, "choice" | "tools"> {
  const mode = textAt(config, "mode");
  const allowed = listAt(config, "allowedFunctionNames");
  const tools = allowed.length === 0 ? offered : offered.filter(({ name }) => allowed.includes(name));
  return { tools, choice: mode === "ANY" ? "required" : mode === "NONE" ? "none" : "auto" };
}

function formatIn(config: unknown): Question["format"] {
  if (textAt(config, "responseMimeType") !== "application/json") return undefined;
  const schema = memberOf(config, "responseSchema") ?? memberOf(config, "responseJsonSchema") ?? undefined;
  return schema === undefined ? "json" : { schema };
}

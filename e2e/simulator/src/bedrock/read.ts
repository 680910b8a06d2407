import { listAt, memberOf, numberAt, textAt } from "../checks/members.ts";
import { requireShape } from "../checks/refusal.ts";
import { questionFrom, type OfferedTool, type Question } from "../core/question.ts";
import { blockMembers, requireValidRequest } from "./rules.ts";
import { converseShape } from "./shape.ts";

/** Reads a Converse request. Throws a Refusal if it is invalid. */
export function readConverse(body: unknown, model: string): Question {
  requireShape(body, converseShape);
  requireValidRequest(body);
  const messages = listAt(body, "messages");
  const inference = memberOf(body, "inferenceConfig");
  const more = memberOf(body, "additionalModelRequestFields");
  const config = memberOf(body, "toolConfig");
  const results = blockMembers(messages.at(-1), "toolResult").map((result) =>
    listAt(result, "content").map(textOf).join(""),
  );
  return questionFrom(model, [listAt(body, "system").map(textOf).join(""), ...messages.map(wordsIn)], {
    tools: listAt(config, "tools").flatMap(offeredTools),
    choice: choiceIn(memberOf(config, "toolChoice")),
    results: results.length > 0 ? results : undefined,
    reasoning: ["thinking", "reasoningConfig", "reasoning_effort"].some((name) => memberOf(more, name) !== undefined),
    format: formatIn(memberOf(body, "outputConfig")),
    maxTokens: numberAt(inference, "maxTokens"),
    stops: listAt(inference, "stopSequences").map(String),
    prompt: promptOf(body, model),
  });
}

/** Returns the prompt, which is cached up to its cache points. */
function promptOf(body: unknown, model: string): Question["prompt"] {
  const blocks = [
    ...listAt(body, "system").map((block) => ({ role: "system", block })),
    ...listAt(body, "messages").flatMap((message) =>
      listAt(message, "content").map((block) => ({ role: textAt(message, "role") ?? "", block })),
    ),
  ];
  const isPoint = (at: number): boolean => memberOf(blocks[at]?.block, "cachePoint") !== undefined;
  const pieces = blocks.flatMap(({ role, block }, at) =>
    isPoint(at) ? [] : [{ role, text: textOf(block), isCut: isPoint(at + 1) }],
  );
  return { scope: [model, memberOf(body, "toolConfig")], pieces };
}

function wordsIn(message: unknown): string {
  return listAt(message, "content").map(textOf).join("");
}

/** Returns a block as text. Pictures and files are described by kind and size. */
function textOf(block: unknown): string {
  const sized = (kind: string, of: unknown): string => {
    const source = memberOf(of, "source");
    return `[${kind} ${(textAt(source, "bytes") ?? textAt(source, "text") ?? "").length} characters]`;
  };
  for (const kind of ["image", "video"]) {
    const found = memberOf(block, kind);
    if (found !== undefined) return sized(kind, found);
  }
  const document = memberOf(block, "document");
  if (document !== undefined) return sized(`file ${textAt(document, "name") ?? "?"}`, document);
  const json = memberOf(block, "json") ?? memberOf(memberOf(block, "toolUse"), "input");
  if (json !== undefined) return JSON.stringify(json);
  const result = memberOf(block, "toolResult");
  if (result !== undefined) return listAt(result, "content").map(textOf).join("");
  const thought = memberOf(memberOf(block, "reasoningContent"), "reasoningText");
  return textAt(thought, "text") ?? textAt(block, "text") ?? "";
}

function offeredTools(tool: unknown): readonly OfferedTool[] {
  const spec = memberOf(tool, "toolSpec");
  if (spec === undefined) return [];
  return [{ name: textAt(spec, "name") ?? "", schema: memberOf(memberOf(spec, "inputSchema"), "json") }];
}

function choiceIn(choice: unknown): Question["choice"] {
  const named = memberOf(choice, "tool");
  if (named !== undefined) return { name: textAt(named, "name") ?? "" };
  return memberOf(choice, "any") === undefined ? "auto" : "required";
}

function formatIn(config: unknown): Question["format"] {
  const schema = textAt(memberOf(memberOf(memberOf(config, "textFormat"), "structure"), "jsonSchema"), "schema");
  if (schema === undefined) return undefined;
  const parsed: unknown = JSON.parse(schema);
  return { schema: parsed };
}

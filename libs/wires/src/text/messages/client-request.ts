import { Failure, withoutUndefined, bodies } from "@modelgate/contracts";
import { isCostRequested } from "../../cost/index.ts";
import { Fields, isRecord, memberOf, type JsonRecord, bodyReader } from "@modelgate/formats/json";
import { outputLimitsIn, readsHiddenInput, mediaOf, bytesMedia, imageMedia, remoteFile, textAt } from "../params.ts";
import type { TextParams, Media } from "../params.ts";
import { isBillingLine } from "../dialogue.ts";
import { requireTexts } from "../hub/content.ts";
import type { ParsedText } from "../hub/wire.ts";
import type { FilePart, ImagePart, Part, TextPart, ToolResultPart } from "../hub/part.ts";
import type { OutputFormat, ReasoningOptions, TextRequest, Turn, Tool } from "../hub/request.ts";
import { parseContent, parseCache } from "./parts.ts";
import { parseSearch } from "./search.ts";
import { requestedFees, feeMembers } from "./usage.ts";

/** Members that refer to one vendor account's store, region or servers, or that request another kind of answer. */
const refusedMembers = ["container", "inference_geo", "safeguards", "compaction"] as const;

export function parseRequest(body: JsonRecord): ParsedText {
  const fields = new Fields(body);
  // The gateway itself adds the cost to the usage.
  if (isCostRequested(fields.value)) fields.ignore("usage");
  for (const name of refusedMembers) if (fields.has(name)) throw fields.unsupported(name);
  const { instructions, turns: parsed } = parseTurns(fields);
  const turns = markedAtEnd(parsed, parseCache(fields));
  const tools = parseTools(fields);
  const output = fields.fields("output_config");
  const request: TextRequest = {
    model: fields.needText("model"),
    stream: fields.flag("stream") ?? false,
    instructions,
    turns,
    ...parseMaxTokens(fields),
    ...(tools.length > 0 ? { tools } : {}),
    ...withoutUndefined({
      ...parseToolChoice(fields),
      stop: fields.texts("stop_sequences"),
      format: parseFormat(output?.fields("format") ?? fields.fields("output_format")),
      reasoning: parseThinking(fields, output),
      temperature: fields.number("temperature"),
      topP: fields.number("top_p"),
      topK: fields.count("top_k"),
      user: fields.fields("metadata")?.text("user_id"),
      serviceTier: parseTier(fields),
    }),
  };
  return { request, dropped: fields.unread() };
}

/** Adds a cache mark to the last part. On this wire, the mark of the complete prompt is a member of the request. */
function markedAtEnd(turns: readonly Turn[], mark: ReturnType<typeof parseCache>): readonly Turn[] {
  const [turn, part] = [turns.at(-1), turns.at(-1)?.parts.at(-1)];
  if (mark.cache === undefined || turn === undefined || part === undefined || !canBeMarked(part)) return turns;
  return [...turns.slice(0, -1), { ...turn, parts: [...turn.parts.slice(0, -1), { ...part, ...mark }] }];
}

function canBeMarked(part: Part): part is TextPart | ImagePart | FilePart | ToolResultPart {
  return part.kind === "text" || part.kind === "image" || part.kind === "file" || part.kind === "tool-result";
}

/** Parses the output limit. A limit of 0 only fills the prompt cache. */
function parseMaxTokens(fields: Fields): Pick<TextRequest, "maxTokens" | "prewarm"> {
  fields.need("max_tokens");
  const maxTokens = fields.count("max_tokens");
  return maxTokens === 0 ? { prewarm: true } : { maxTokens };
}

function parseThinking(body: Fields, output: Fields | undefined): ReasoningOptions | undefined {
  const thinking = body.fields("thinking");
  const type = thinking?.oneOf("type", ["enabled", "adaptive", "disabled", "between_tools"]);
  if (thinking !== undefined && type === undefined) throw thinking.wrong("type", "enabled, adaptive or disabled");
  if (type === "disabled") return { effort: "none" };
  const effort = output?.oneOf("effort", ["low", "medium", "high", "xhigh", "max"]);
  if (thinking === undefined) return effort === undefined ? undefined : { effort };
  const budget = type === "enabled" ? thinking.count("budget_tokens", 1) : effort === undefined ? -1 : undefined;
  const display = thinking.oneOf("display", ["summarized", "omitted"]);
  return { ...withoutUndefined({ effort, budgetTokens: budget }), show: display === "omitted" ? "none" : "summary" };
}

/** Parses the format of the answer, in `output_config.format` or its older form `output_format`. */
function parseFormat(format: Fields | undefined): OutputFormat | undefined {
  if (format === undefined) return undefined;
  if (format.oneOf("type", ["json_schema"]) === undefined) throw format.wrong("type", "json_schema");
  const schema = format.record("schema");
  if (schema === undefined) throw format.wrong("schema", "an object");
  return { kind: "schema", schema };
}

function parseTier(fields: Fields): string | undefined {
  const tier = fields.oneOf("service_tier", ["auto", "standard_only"]);
  return tier === "standard_only" ? "default" : tier;
}

const maxMessages = 20_000;

/** Parses `system` and `messages`. A system message before the dialogue is an instruction. */
function parseTurns(body: Fields) {
  body.need("messages");
  const names = new Map<string, string>();
  const system = requireTexts(body, "system", parseContent(body, "system", names));
  // Only Anthropic reads the billing line. In other prompts it would come first, and change what is cached.
  const instructions = system.filter(({ text }) => !isBillingLine(text));
  const turns: Turn[] = [];
  for (const message of body.each("messages", maxMessages)) {
    const role = message.oneOf("role", ["user", "assistant", "system"]) ?? message.needText("role");
    const parts = parseContent(message, "content", names);
    if (role === "user" || role === "assistant") turns.push({ role, parts });
    else if (turns.length === 0) instructions.push(...requireTexts(message, "content", parts));
    else turns.push({ role: "system", parts: requireTexts(message, "content", parts) });
  }
  return { instructions, turns };
}

const maxTools = 1_024;

function parseTools(body: Fields): readonly Tool[] {
  return body.each("tools", maxTools).map((tool) => {
    const type = tool.text("type") ?? "custom";
    if (type === "custom") return parseFunction(tool);
    const definition = tool.whole();
    if (type.startsWith("web_search_")) return parseSearch(definition);
    const { name } = definition;
    return { kind: "vendor", wire: "messages", name: typeof name === "string" ? name : type, definition };
  });
}

function parseFunction(tool: Fields): Tool {
  // This member affects only the vendor's streaming, so nothing is lost without it.
  tool.ignore("eager_input_streaming");
  const schema = tool.record("input_schema");
  return {
    kind: "function",
    name: tool.needText("name"),
    ...withoutUndefined({
      description: tool.text("description"),
      parameters: schema === undefined || isEmpty(schema) ? undefined : schema,
      strict: tool.flag("strict") === true ? true : undefined,
    }),
    ...parseCache(tool),
  };
}

/** Returns true for a schema without properties, which means a tool without arguments. */
function isEmpty({ type, properties, ...rest }: JsonRecord): boolean {
  const noProperties = typeof properties !== "object" || properties === null || Object.keys(properties).length === 0;
  return (type === undefined || type === "object") && noProperties && Object.keys(rest).length === 0;
}

const modes = { auto: "auto", any: "required", none: "none", tool: "required" } as const;

function parseToolChoice(body: Fields): Pick<TextRequest, "toolChoice" | "parallelTools"> {
  const choice = body.fields("tool_choice");
  if (choice === undefined) return {};
  const type = choice.needOneOf("type", ["auto", "any", "none", "tool"]);
  return {
    toolChoice: { mode: modes[type], ...(type === "tool" ? { names: [choice.needText("name")] } : {}) },
    // Parallel calls are the default of every wire.
    parallelTools: choice.flag("disable_parallel_tool_use") === true ? false : undefined,
  };
}

/** Member by which another organization pays the vendor. */
const billingPolicy = "billing_policy";

export const inspectedMembers = Object.keys(bodies.MessagesRequest.properties).concat(
  "usage",
  billingPolicy,
  feeMembers,
);

const readRequest = bodyReader(bodies.MessagesRequest);

const readCounted = bodyReader(bodies.CountMessageTokensRequest);

export function readParams(value: unknown): TextParams {
  const body = readRequest(value);
  if ((memberOf(body, billingPolicy) ?? undefined) !== undefined)
    throw new Failure("unsupported_parameter", `${billingPolicy} would change who pays the vendor.`, {
      param: billingPolicy,
    });
  const { max, names: outputLimitNames } = outputLimitsIn(body, ["max_tokens"]);
  return {
    model: body.model,
    stream: body.stream ?? false,
    includeUsage: true,
    ...(isCostRequested(body) ? { showsCost: true } : {}),
    maxOutputTokens: max,
    outputLimitNames,
    readsHiddenInput: readsHiddenInput(body),
    choices: 1,
    media: mediaOf(body.messages, measurePart),
    fees: requestedFees(body),
    ...(wantsReasoningErrors(body) ? { keepsSignatures: true } : {}),
  };
}

/** Returns true if the client wants an error for reasoning that belongs to another conversation. */
function wantsReasoningErrors(body: JsonRecord): boolean {
  const binding = memberOf(memberOf(body, "thinking"), "block_binding");
  return memberOf(binding, "prefix_mismatch_behavior") === "error";
}

/** Checks the fields of a request whose tokens are counted. Throws Failure (400). */
export function readCountParams(value: unknown): TextParams {
  const body = readCounted(value);
  return {
    model: body.model,
    stream: false,
    includeUsage: true,
    maxOutputTokens: 0,
    outputLimitNames: [],
    readsHiddenInput: false,
    choices: 1,
    media: mediaOf(body.messages, measurePart),
  };
}

function measurePart({ type, source }: JsonRecord): Media | undefined {
  if (!isRecord(source)) return undefined;
  if (source["type"] === "url") return type === "image" ? imageMedia("") : remoteFile;
  if (source["type"] !== "base64") return undefined;
  return bytesMedia(textAt(source, "media_type"), textAt(source, "data"));
}

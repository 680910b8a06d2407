import { withoutUndefined, bodies } from "@modelgate/contracts";
import { isCostRequested } from "../../cost/index.ts";
import { Fields, isRecord, type JsonRecord, bodyReader } from "@modelgate/formats/json";
import { outputLimitsIn, readsHiddenInput, mediaOf, measureTypedPart, type TextParams } from "../params.ts";
import { parseCustom, parseFunction, parsePlainFields, parseSchema } from "../hub/content.ts";
import type { ParsedText } from "../hub/wire.ts";
import { extensionMembers } from "../hub/openai-models.ts";
import type { OutputFormat, ReasoningOptions, TextRequest, NamespacedTool, Tool, ToolChoice } from "../hub/request.ts";
import { efforts, searchToolName } from "../hub/request.ts";
import { maxTools, parseInput } from "./client-turns.ts";
import { qualifiedName, isWebSearch, parseSearch } from "./tools.ts";
import { requestedFees, feeMembers } from "./usage.ts";

const wantsProbabilities = "message.output_text.logprobs";

/** Values of `include` without effect. Encrypted reasoning is always included. */
const needlessIncludes: readonly unknown[] = ["reasoning.encrypted_content", wantsProbabilities];

/** Parses a request. The text service has already replaced `previous_response_id` by earlier items. */
export function parseRequest(body: JsonRecord): ParsedText {
  const fields = new Fields(body);
  refuseState(fields);
  const { instructions: systems, turns, compactionTrigger, changes } = parseInput(fields);
  const instructions = fields.text("instructions");
  const { tools, makesImages } = parseTools([...fields.each("tools", maxTools), ...changes.tools]);
  const reasoning = parseReasoning(fields);
  const request: TextRequest = {
    model: fields.needText("model"),
    stream: fields.flag("stream") ?? false,
    instructions: [...(instructions === undefined ? [] : [{ kind: "text", text: instructions } as const]), ...systems],
    turns,
    ...(tools.length > 0 ? { tools } : {}),
    ...(makesImages ? { modalities: ["text", "image"] } : {}),
    ...withoutUndefined({
      toolChoice: parseToolChoice(fields),
      parallelTools: fields.flag("parallel_tool_calls"),
      reasoning: changes.effort === undefined ? reasoning : { ...reasoning, effort: changes.effort },
      ...parseText(fields, changes.format),
      maxTokens: fields.count("max_output_tokens", 1),
      // This also reads `presence_penalty` and `frequency_penalty`: the Open Responses specification has them, although
      // OpenAI's responses endpoint refuses them.
      ...parsePlainFields(fields),
      logProbabilities: parseRequestedProbabilities(fields),
    }),
  };
  return {
    request,
    dropped: [...fields.unread(), ...lostIncludes(fields)],
    ...(compactionTrigger ? { compactionTrigger } : {}),
  };
}

function refuseState(fields: Fields): void {
  for (const name of ["conversation", "prompt", "previous_response_id"])
    if (fields.has(name)) throw fields.unsupported(name);
  if (fields.flag("background") === true) throw fields.unsupported("background");
  fields.ignore("store");
  // The gateway itself adds the cost to the usage.
  if (isCostRequested(fields.value)) fields.ignore("usage");
  if (fields.value["truncation"] === "disabled") fields.ignore("truncation");
  // The gateway's streams are never padded.
  const options = fields.value["stream_options"];
  if (isRecord(options) && options["include_obfuscation"] !== true) fields.ignore("stream_options");
}

function parseReasoning(fields: Fields): ReasoningOptions | undefined {
  const reasoning = fields.fields("reasoning");
  if (reasoning === undefined) return undefined;
  const effort = reasoning.oneOf("effort", efforts);
  const levels = ["auto", "concise", "detailed"] as const;
  const summary = reasoning.oneOf("summary", levels) ?? reasoning.oneOf("generate_summary", levels);
  const show = summary === undefined ? "none" : summary === "detailed" ? "full" : "summary";
  return withoutUndefined({ effort, show });
}

function parseText(fields: Fields, changed: Fields | undefined): Partial<TextRequest> {
  const text = fields.fields("text");
  const first = text?.fields("format");
  const format = changed ?? first;
  return { verbosity: text?.text("verbosity"), format: format === undefined ? undefined : parseFormat(format) };
}

function parseFormat(format: Fields): OutputFormat | undefined {
  const type = format.oneOf("type", ["text", "json_object", "json_schema"]);
  if (type === "json_object") return { kind: "json" };
  if (type !== "json_schema") return undefined;
  const schema = format.record("schema");
  if (schema === undefined) throw format.wrong("schema", "an object");
  return parseSchema(format, schema);
}

function parseRequestedProbabilities(fields: Fields): TextRequest["logProbabilities"] {
  const alternatives = fields.count("top_logprobs") ?? 0;
  const included = (fields.list("include") ?? []).includes(wantsProbabilities);
  return alternatives > 0 || included ? { alternatives } : undefined;
}

function lostIncludes(fields: Fields): readonly string[] {
  return (fields.list("include") ?? []).some((name) => !needlessIncludes.includes(name)) ? ["include"] : [];
}

function parseTools(all: readonly Fields[]) {
  // An image tool without options is not a tool in the neutral form: any vendor that makes images can do it.
  const images = all.filter((tool) => tool.text("type") === "image_generation" && Object.keys(tool.value).length === 1);
  return { tools: all.filter((tool) => !images.includes(tool)).flatMap(parseTool), makesImages: images.length > 0 };
}

function parseTool(tool: Fields): readonly Tool[] {
  const type = tool.needText("type");
  if (type === "function") return [parseFunction(tool)];
  if (type === "custom") return [parseCustom(tool, tool.raw("format"))];
  if (type === "namespace" && isPlainNamespace(tool)) return parseNamespace(tool);
  const definition = tool.whole();
  if (isWebSearch(type)) return [parseSearch(definition)];
  return [{ kind: "vendor", wire: "responses", name: type, definition }];
}

/** Returns true for a namespace without vendor tools. Other wires get its tools as single tools. */
function isPlainNamespace(namespace: Fields): boolean {
  const members = namespace.list("tools") ?? [];
  return members.every((tool) => isRecord(tool) && (tool["type"] === "function" || tool["type"] === "custom"));
}

function parseNamespace(set: Fields): readonly Tool[] {
  const namespace = set.needText("name");
  const namespaceDescription = set.text("description");
  return set.each("tools", maxTools).map((each, index) => {
    const tool = each.raw("type") === "custom" ? parseCustom(each, each.raw("format")) : parseFunction(each);
    const { name, description } = tool;
    const within: NamespacedTool = { namespace, namespaceDescription, name, description };
    const fullDescription =
      index === 0 ? [namespaceDescription, description].filter((text) => text !== undefined).join("\n\n") : description;
    return {
      ...tool,
      name: qualifiedName(namespace, name),
      ...(fullDescription === "" ? {} : { description: fullDescription }),
      within,
    };
  });
}

const modes = ["auto", "none", "required"] as const;

/** Parses the tool choice. Functions and free-text tools are chosen by name, vendor tools by type. */
function parseToolChoice(body: Fields): ToolChoice | undefined {
  const choice = body.raw("tool_choice");
  if (choice === undefined) return undefined;
  if (typeof choice === "string") return { mode: body.oneOf("tool_choice", modes) ?? "auto" };
  const fields = body.fields("tool_choice");
  if (fields === undefined) return undefined;
  if (fields.needText("type") !== "allowed_tools") return { mode: "required", names: [chosenName(fields)] };
  return {
    mode: fields.oneOf("mode", ["auto", "required"]) ?? "auto",
    names: fields.each("tools", maxTools).map(chosenName),
  };
}

function chosenName(tool: Fields): string {
  const type = tool.needText("type");
  if (type === "function" || type === "custom") return qualifiedName(tool.text("namespace"), tool.needText("name"));
  return isWebSearch(type) ? searchToolName : type;
}

export function isToolList(value: unknown): value is readonly JsonRecord[] {
  return Array.isArray(value) && value.every(isRecord);
}

/** Parameters of a responses request that other text requests do not have. */
export interface ResponsesParams extends TextParams {
  readonly previousId: string | undefined;
  /** True if a later request may refer to the response. */
  readonly store: boolean;
  /** True if the last item requests a compaction. */
  readonly compacts: boolean;
}

export const inspectedMembers = Object.keys(bodies.ResponsesRequest.properties).concat(
  "background",
  "usage",
  feeMembers,
);

const read = bodyReader(bodies.ResponsesRequest);

export function readParams(value: unknown): ResponsesParams {
  const body = read(value);
  const { max, names: outputLimitNames } = outputLimitsIn(body, ["max_output_tokens"]);
  return {
    model: body.model,
    stream: body.stream ?? false,
    includeUsage: true,
    ...(isCostRequested(body) ? { showsCost: true } : {}),
    maxOutputTokens: max,
    outputLimitNames,
    foreignNames: Object.keys(body).filter((name) => name !== "reasoning" && extensionMembers.has(name)),
    readsHiddenInput: readsHiddenInput(body),
    choices: 1,
    media: mediaOf(body.input, measureTypedPart),
    fees: requestedFees(body),
    previousId: body.previous_response_id ?? undefined,
    store: body.store ?? true,
    compacts: Array.isArray(body.input) && body.input.at(-1)?.["type"] === "compaction_trigger",
  };
}

import { withoutUndefined, bodies, Failure } from "@modelgate/contracts";
import { isCostRequested } from "../../cost/index.ts";
import {
  Fields,
  asRecords,
  isRecord,
  memberInTurns,
  memberOf,
  spliceInTurns,
  stringifyInTurns,
  type JsonRecord,
  bodyReader,
} from "@modelgate/formats/json";
import {
  outputLimitsIn,
  extraReasoningTokens,
  wholeNumber,
  readsHiddenInput,
  mediaOf,
  measureTypedPart,
} from "../params.ts";
import type { TextParams } from "../params.ts";
import { parsePlainFields, parseProbabilityRequest, parseSchema } from "../hub/content.ts";
import type { ParsedText } from "../hub/wire.ts";
import { type OutputFormat, type TextRequest, Unsupported, efforts, type ReasoningOptions } from "../hub/request.ts";
import { parseTurns, parseToolChoice, parseTools } from "./client-turns.ts";
import { readFile } from "./parts.ts";
import { requestedFees, feeMembers } from "./usage.ts";
import { renderInputFile } from "./vendor-turns.ts";

export function parseRequest(body: JsonRecord): ParsedText {
  const fields = new Fields(body);
  const { instructions, turns } = parseTurns(fields);
  const tools = parseTools(fields);
  const stream = fields.flag("stream") ?? false;
  const request: TextRequest = {
    model: fields.needText("model"),
    stream,
    instructions,
    turns,
    ...(tools.length > 0 ? { tools } : {}),
    ...withoutUndefined({
      toolChoice: parseToolChoice(fields),
      parallelTools: fields.flag("parallel_tool_calls"),
      maxTokens: parseMaxTokens(fields),
      stop: fields.textOrTexts("stop"),
      format: parseFormat(fields),
      reasoning: parseReasoning(fields),
      ...parseScalarFields(fields),
      logProbabilities: parseProbabilityRequest(fields),
      ...parseOutput(fields),
      includeUsage: parseStreamOptions(fields),
    }),
  };
  // The gateway stores no chat completions, so `store: false` is always fulfilled.
  if (body["store"] === false) fields.ignore("store");
  return { request, dropped: fields.unread() };
}

function parseMaxTokens(fields: Fields): number | undefined {
  const older = fields.count("max_tokens", 1);
  return fields.count("max_completion_tokens", 1) ?? older;
}

function parseFormat(fields: Fields): OutputFormat | undefined {
  const format = fields.fields("response_format");
  const type = format?.oneOf("type", ["text", "json_object", "json_schema"]);
  if (type === "json_object") return { kind: "json" };
  if (format === undefined || type !== "json_schema") return undefined;
  const schemaFields = format.needFields("json_schema");
  return parseSchema(schemaFields, schemaFields.record("schema") ?? {});
}

function parseScalarFields(fields: Fields): Partial<TextRequest> {
  return {
    ...parsePlainFields(fields),
    topK: fields.number("top_k"),
    seed: fields.number("seed"),
    choices: fields.count("n", 1),
    logitBias: fields.record("logit_bias"),
    verbosity: fields.text("verbosity"),
    prediction: fields.record("prediction"),
  };
}

function parseOutput(fields: Fields): Partial<TextRequest> {
  const image = fields.fields("image_config");
  return {
    modalities: fields.texts("modalities")?.map((text) => {
      const modality = (["text", "image", "audio"] as const).find((name) => name === text);
      if (modality === undefined) throw fields.wrong("modalities", "an array of text, image, audio");
      return modality;
    }),
    audio: fields.record("audio"),
    image:
      image === undefined
        ? undefined
        : withoutUndefined({ aspectRatio: image.text("aspect_ratio"), size: image.text("image_size") }),
  };
}

/** Returns true if usage is requested. No stream is padded, so `include_obfuscation: false` is always fulfilled. */
export function parseStreamOptions(fields: Fields): boolean | undefined {
  const options = fields.fields("stream_options");
  if (options?.value["include_obfuscation"] === false) options.ignore("include_obfuscation");
  if (!isCostRequested(fields.value)) return options?.flag("include_usage");
  fields.ignore("usage");
  options?.ignore("include_usage");
  return true;
}

export const inspectedMembers = Object.keys(bodies.ChatRequest.properties).concat(
  "stream_options",
  "usage",
  feeMembers,
);

const read = bodyReader(bodies.ChatRequest);

const ownOutputLimitNames = ["max_tokens", "max_completion_tokens"];

/** Checks the body against its schema, and reads the parameters that the gateway needs. */
export function readParams(value: unknown): TextParams {
  const body = read(value);
  const stream = body.stream ?? false;
  if (stream && hasFile(body)) throw new Failure("file_input_not_streamable", undefined, { param: "stream" });
  // This wire has no `best_of`, but some of its vendors read it.
  const choices = "best_of" in body ? Math.max(body.n ?? 1, wholeNumber(body.best_of)) : (body.n ?? 1);
  const { max, names: outputLimitNames } = outputLimitsIn(body, ownOutputLimitNames);
  const showsCost = "usage" in body && isCostRequested(body);
  return {
    model: body.model,
    stream,
    includeUsage: showsCost || wantsUsage(body),
    showsCost: showsCost || undefined,
    maxOutputTokens: max === undefined ? undefined : (max + extraReasoningTokens(body)) * choices,
    outputLimitNames,
    hasPlainFiles: !stream && hasFile(body, (data) => !acceptedFile.test(data)),
    readsHiddenInput: readsHiddenInput(body),
    choices,
    media: mediaOf(body.messages, measureTypedPart),
    fees: requestedFees(body),
  };
}

/** Matches files that vendors accept: addresses, and data URLs except for texts. */
const acceptedFile = /^(?:https?:\/\/|data:(?!text\/|application\/json))/;

/** Replaces plain files of a body by data URLs and texts. Every other member stays unchanged. */
export function* withAcceptedFiles(body: Buffer): Generator<undefined, Buffer> {
  const messages = asRecords(yield* memberInTurns(body, "messages")).map((message, index) => {
    const { content } = message;
    if (!Array.isArray(content)) return message;
    const parts = content.map((part: unknown, at) => acceptedPart(part, `messages[${index}].content[${at}]`));
    return { ...message, content: parts };
  });
  return yield* spliceInTurns(body, { messages: yield* stringifyInTurns(messages) });
}

function acceptedPart(part: unknown, path: string): unknown {
  if (!isRecord(part) || part["type"] !== "file") return part;
  const { file, ...others } = part;
  const data = memberOf(file, "file_data");
  if (typeof data !== "string" || acceptedFile.test(data)) return part;
  return { ...others, ...renderInputFile(readFile(new Fields(part, path)), new Unsupported()) };
}

function hasFile({ messages }: ReturnType<typeof read>, isFound = (_data: string): boolean => true): boolean {
  return messages.some(
    ({ content }) =>
      Array.isArray(content) &&
      content.some(({ type, file }) => type === "file" && isFound(file?.file_data ?? "data:")),
  );
}

export function wantsUsage(body: object): boolean {
  const options = "stream_options" in body ? body.stream_options : undefined;
  return isRecord(options) && options["include_usage"] === true;
}

/** Vendors have different members for reasoning. A member that turns reasoning off takes precedence. */
function parseReasoning(body: Fields): ReasoningOptions | undefined {
  const reasoningFields = body.fields("reasoning");
  const thinking = body.fields("thinking");
  const type = thinking?.oneOf("type", ["enabled", "disabled", "adaptive", "auto"]);
  const switches = [type && type !== "disabled", body.flag("enable_thinking"), reasoningFields?.flag("enabled")];
  const namedEffort = body.oneOf("reasoning_effort", efforts);
  const effort = namedEffort ?? reasoningFields?.oneOf("effort", efforts);
  const budgets = [
    reasoningFields?.count("max_tokens"),
    thinking?.count("budget_tokens"),
    body.number("thinking_budget"),
  ];
  const budgetTokens = budgets.find((budget) => budget !== undefined);
  const show = reasoningFields?.flag("exclude") === true ? ("none" as const) : undefined;
  if (switches.includes(false)) return withoutUndefined({ effort: "none" as const, show });
  const automaticBudget = effort === undefined && switches.includes(true) ? -1 : undefined;
  const options = withoutUndefined({ effort, budgetTokens: budgetTokens ?? automaticBudget, show });
  return Object.keys(options).length > 0 ? options : undefined;
}

import { withoutUndefined, bodies } from "@modelgate/contracts";
import { isCostRequested } from "../../cost/index.ts";
import { Fields, type JsonRecord, bodyReader } from "@modelgate/formats/json";
import { type TextParams, outputLimitsIn } from "../params.ts";
import { parseStreamOptions, wantsUsage } from "../chat/client-request.ts";
import { requestedFees, feeMembers } from "../chat/usage.ts";
import { parseSampling } from "../hub/content.ts";
import type { ParsedText, BatchConversion } from "../hub/wire.ts";
import type { TextRequest } from "../hub/request.ts";

/** The wire's default of `max_tokens`. */
export const defaultMaxTokens = 16;

const maxAlternatives = 5;

/** Parses a request with one prompt. */
export function parseRequest(body: JsonRecord): ParsedText {
  const {
    requests: [request, ...others],
    dropped,
  } = parsePromptRequests(body);
  if (others.length > 0) throw new Fields(body).unsupported("prompt");
  return { request, dropped };
}

/** Parses a request. Each prompt becomes a user's turn. Throws Failure (400) for fields that chat cannot express. */
export function parsePromptRequests(body: JsonRecord): ReturnType<BatchConversion["read"]> {
  const fields = new Fields(body);
  const prompts = parsePrompts(fields);
  const sharedParams = parseSharedParams(fields);
  refuseUnsupported(fields, sharedParams);
  const requests = prompts.map((prompt): TextRequest => ({
    ...sharedParams,
    turns: [{ role: "user", parts: [{ kind: "text", text: prompt }] }],
  }));
  const [first, ...others] = requests;
  if (first === undefined) throw fields.wrong("prompt", "a non-empty string or array");
  return { requests: [first, ...others], dropped: fields.unread() };
}

function parseSharedParams(fields: Fields): Omit<TextRequest, "turns"> {
  const alternatives = fields.count("logprobs");
  if ((alternatives ?? 0) > maxAlternatives) throw fields.wrong("logprobs", `at most ${maxAlternatives}`);
  return {
    model: fields.needText("model"),
    stream: fields.flag("stream") ?? false,
    instructions: [],
    maxTokens: fields.count("max_tokens", 1) ?? defaultMaxTokens,
    ...withoutUndefined({
      stop: fields.textOrTexts("stop"),
      ...parseSampling(fields),
      seed: fields.count("seed", Number.MIN_SAFE_INTEGER),
      choices: fields.count("n", 1),
      logProbabilities: alternatives === undefined ? undefined : { alternatives },
      logitBias: fields.record("logit_bias"),
      user: fields.text("user"),
      includeUsage: parseStreamOptions(fields),
    }),
  };
}

function refuseUnsupported(fields: Fields, { choices = 1, logProbabilities }: Omit<TextRequest, "turns">): void {
  if ((fields.text("suffix") ?? "") !== "") throw fields.unsupported("suffix");
  const best = fields.count("best_of", 1) ?? choices;
  if (best < choices) throw fields.wrong("best_of", "at least n");
  if (best > choices) throw fields.unsupported("best_of");
  if (fields.flag("echo") === true && logProbabilities !== undefined) throw fields.unsupported("echo");
}

/** Maximum number of prompts in one request. Each becomes a separate call. */
export const maxPrompts = 32;

/** Parses the prompts. Prompts of token ids are refused, because only models of one vendor understand them. */
function parsePrompts(fields: Fields): readonly string[] {
  const prompt = fields.need("prompt");
  if (typeof prompt === "string") return [parsePrompt(prompt, "prompt", fields)];
  if (!Array.isArray(prompt)) throw fields.wrong("prompt", "a string or an array of strings");
  if (prompt.length > maxPrompts) {
    if (typeof prompt[0] !== "string") throw fields.unsupported("prompt");
    throw fields.wrong("prompt", `at most ${maxPrompts} prompts`);
  }
  return prompt.map((each: unknown, index) => parsePrompt(each, `prompt[${index}]`, fields));
}

function parsePrompt(prompt: unknown, path: string, fields: Fields): string {
  if (typeof prompt === "number" || Array.isArray(prompt)) throw fields.unsupported("prompt");
  if (typeof prompt !== "string") throw fields.wrong(path, "a string");
  if (prompt === "") throw fields.wrong(path, "a non-empty string");
  return prompt;
}

/** Returns true for several text prompts, each of which becomes one call. Prompts of token ids cannot be converted. */
export function isBatch({ prompt }: JsonRecord): boolean {
  return Array.isArray(prompt) && prompt.length > 1 && typeof prompt[0] === "string";
}

export const inspectedMembers = Object.keys(bodies.CompletionsRequest.properties).concat(
  "stream_options",
  "usage",
  feeMembers,
);

const read = bodyReader(bodies.CompletionsRequest);

/** Checks the body against its schema, and reads the parameters that the gateway needs. */
export function readParams(value: unknown): TextParams {
  const body = read(value);
  const choices = Math.max(body.n ?? 1, body.best_of ?? 1) * countPrompts(body.prompt);
  const { max, names: outputLimitNames } = outputLimitsIn(body, ["max_tokens"]);
  return {
    model: body.model,
    stream: body.stream ?? false,
    includeUsage: wantsUsage(body) || isCostRequested(body),
    ...(isCostRequested(body) ? { showsCost: true } : {}),
    maxOutputTokens: max === undefined ? undefined : max * choices,
    outputLimitNames,
    readsHiddenInput: false,
    choices,
    media: { characters: 0, tokens: 0 },
    fees: requestedFees(body),
  };
}

function countPrompts(prompt: unknown): number {
  return Array.isArray(prompt) && typeof prompt[0] !== "number" ? Math.max(1, prompt.length) : 1;
}

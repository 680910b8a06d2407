import {
  isRecord,
  splitWords,
  changeInTurns,
  membersOf,
  parseMember,
  findMembersInTurns,
  memberInTurns,
} from "@modelgate/formats/json";
import type { FittedBody } from "../pass.ts";
import type { Unsupported, Effort, RequestField, TextRequest, Tool } from "./request.ts";
import { reasoningEffort, efforts, unsupportedFailure } from "./request.ts";

/** Matches models of OpenAI, which refuses fields that it does not know. */
const openaiModels = /(?:^|[/:])(?:o\d|gpt-\d|chatgpt-)/;

/** Returns true if a model's vendor refuses unknown fields. The name may follow a path or `ft:`. */
export function refusesUnknownFields(model: string): boolean {
  return openaiModels.test(model);
}

/** Matches models of OpenAI that accept fields which most compatible vendors lack, such as `max_completion_tokens`. */
const newestModels = /(?:^|[/:])(?:o\d|gpt-(?:[5-9]|\d\d))/;

export function acceptsNewestFields(model: string): boolean {
  return newestModels.test(model);
}

/** Members that OpenAI refuses. Other unknown members are forwarded, because OpenAI may have added them. */
export const extensionMembers: ReadonlySet<string> = new Set(
  splitWords(`
    thinking thinking_budget enable_thinking reasoning include_reasoning chat_template_kwargs top_k top_a min_p
    typical_p repetition_penalty min_tokens usage provider transforms plugins safe_prompt
    random_seed search_parameters enable_search guided_json guided_regex guided_choice guided_grammar
    image_config
  `),
);

/** Rules of a model of OpenAI or xAI, which refuse a request with a single value that the model does not accept. */
interface ModelRules {
  /** Absent if the model refuses every effort. */
  readonly efforts?: readonly [lowest: Effort, highest: Effort];
  /** Absent if the model always accepts sampling parameters. */
  readonly sampling?: "never" | "unless-reasoning-is-requested" | "with-effort-none";
  /** True if the model reads `instructions` after the input, for one turn only, and does not cache them. */
  readonly instructsLast?: true;
  readonly refusesFlex?: true;
}

/**
 * Rules by the model's name; the first match applies. Sources: OpenAI's and xAI's pages on models, pydantic-ai-slim
 * 2.68.0, mnfst/modelparams.dev#236, CherryHQ/cherry-studio#10430, openai/codex#6647, BerriAI/litellm-docs#1173, bolna-ai/bolna#852.
 */
const modelRules: readonly (readonly [name: RegExp, rules: ModelRules])[] = [
  [/^(?:gpt-[34]|chatgpt-|gpt-5[^/]*-chat)/, {}],
  [/^gpt-6\.[2-9]/, { efforts: ["low", "max"], sampling: "never", instructsLast: true, refusesFlex: true }],
  [/^(?:gpt-6-astra|gpt-6\.1-sol)/, { efforts: ["low", "max"], sampling: "never" }],
  [/^(?:gpt-6|gpt-5\.[6-9])/, { efforts: ["none", "max"], sampling: "with-effort-none" }],
  [/^(?:gpt-5\.[2-5]|gpt-5\.1-codex-max)/, { efforts: ["none", "xhigh"], sampling: "unless-reasoning-is-requested" }],
  [/^gpt-5(?:\.1)?-codex/, { efforts: ["low", "high"], sampling: "never" }],
  [/^gpt-5-pro/, { efforts: ["high", "high"], sampling: "never" }],
  [/^gpt-5\.1/, { efforts: ["none", "high"], sampling: "unless-reasoning-is-requested" }],
  [/^gpt-5/, { efforts: ["minimal", "high"], sampling: "never" }],
  [/^o\d[^/]*-deep-research/, { efforts: ["medium", "medium"], sampling: "never" }],
  [/^o\d/, { efforts: ["low", "high"], sampling: "never" }],
  [/^grok-4\.3/, { efforts: ["none", "high"] }],
  [/^grok-4\.[56]/, { efforts: ["low", "high"] }],
  [/^grok-4\.7/, { efforts: ["low", "xhigh"] }],
];

export function rulesOfModel(model: string): ModelRules | undefined {
  const baseName = /(?:^|[/:])((?:o\d|gpt-\d|chatgpt-|grok-).*)/.exec(model)?.[1];
  return baseName === undefined ? undefined : modelRules.find(([name]) => name.test(baseName))?.[1];
}

/** Returns true for models of OpenAI, xAI, Anthropic and Google, whose names determine their rules. */
export function isKnownModel(model: string): boolean {
  return rulesOfModel(model) !== undefined || /claude|gemini/.test(model);
}

/** Returns false for a model that refuses every effort. */
export function acceptsReasoning(model: string): boolean {
  const rules = rulesOfModel(model);
  return rules === undefined || rules.efforts !== undefined;
}

type OpenAiWire = "chat" | "responses";

/** Returns the effort to request. Unsupported reasoning is reported as a loss. */
export function openAiEffort(
  { reasoning, tools }: Pick<TextRequest, "reasoning" | "tools">,
  model: string,
  wire: OpenAiWire,
  unsupported: Unsupported,
): Effort | undefined {
  if (reasoning === undefined) return undefined;
  const effort = reasoningEffort(reasoning);
  const nearest = acceptedEffort(effort, model, wire);
  // The effort `minimal` is refused with a web search.
  const isRefused = nearest === "minimal" && rulesOfModel(model) !== undefined && tools?.some(isSearch) === true;
  const accepted = isRefused ? "low" : nearest;
  unsupported.noteIf("reasoning", acceptsReasoning(model) ? accepted !== effort : effort !== "none");
  return accepted;
}

function isSearch({ kind }: Tool): boolean {
  return kind === "web-search";
}

function acceptedEffort(effort: Effort | undefined, model: string, wire: OpenAiWire): Effort | undefined {
  const rules = rulesOfModel(model);
  if (effort === undefined || rules === undefined) return effort;
  if (rules.efforts === undefined) return undefined;
  const [lowest, highest] = rules.efforts;
  // Models that accept `none` refuse `minimal`.
  const wanted = effort === "minimal" && lowest === "none" ? "low" : effort;
  // Chat completions accept no higher effort than `xhigh`.
  const max = wire === "chat" && highest === "max" ? "xhigh" : highest;
  return efforts[Math.max(efforts.indexOf(lowest), Math.min(efforts.indexOf(wanted), efforts.indexOf(max)))];
}

/** Sampling parameters with their fields in the neutral form, and with the values that have no effect. */
const samplingParameters = {
  temperature: { field: "temperature", usual: 1 },
  top_p: { field: "topP", usual: 1 },
  presence_penalty: { field: "presencePenalty", usual: 0 },
  frequency_penalty: { field: "frequencyPenalty", usual: 0 },
  logit_bias: { field: "logitBias", usual: undefined },
  logprobs: { field: "logProbabilities", usual: false },
  top_logprobs: { field: "logProbabilities", usual: 0 },
} as const satisfies Record<string, { readonly field: RequestField; readonly usual: unknown }>;

const samplingFields = Object.values(samplingParameters);

function refusesSampling(model: string, effort: Effort | undefined): boolean {
  const rule = rulesOfModel(model)?.sampling;
  if (rule === undefined || rule === "never") return rule === "never";
  return effort === undefined ? rule === "with-effort-none" : effort !== "none";
}

/**
 * Returns a request without sampling parameters if its model refuses them. Reports those that would have an effect.
 * Throws Failure (400) if the client requests probabilities.
 */
export function withAcceptedSampling(request: TextRequest, model: string, unsupported: Unsupported): TextRequest {
  if (!refusesSampling(model, reasoningEffort(request.reasoning ?? {}))) return request;
  const reduced = { ...request };
  for (const { field, usual } of samplingFields) {
    if (field === "logProbabilities" && reduced[field] !== undefined) throw unsupportedFailure(field);
    unsupported.noteIf(field, reduced[field] === usual ? undefined : reduced[field]);
    delete reduced[field];
  }
  return reduced;
}

function refusesTier(tier: unknown, model: string): boolean {
  return tier === "flex" && rulesOfModel(model)?.refusesFlex === true;
}

/** Service tier that replaces a refused one. Without a tier, the vendor may choose one that costs more. */
const acceptedTier = "default";

/** Returns a request with the default service tier if its model refuses the requested one. */
export function withAcceptedTier(request: TextRequest, model: string, unsupported: Unsupported): TextRequest {
  if (!refusesTier(request.serviceTier, model)) return request;
  unsupported.note("serviceTier");
  return { ...request, serviceTier: acceptedTier };
}

/** Values of members that have the same effect as their absence. */
const usualValues: Readonly<Record<string, unknown>> = {
  ...Object.fromEntries(Object.entries(samplingParameters).map(([name, { usual }]) => [name, usual])),
  n: 1,
  parallel_tool_calls: true,
  store: false,
};

/** Returns true if a member changes a request. Clients' SDKs also send null and usual values. */
export function isEffective(name: string, value: unknown): boolean {
  return value !== null && value !== usualValues[name];
}

/** Throws Failure (400) if the answer would lack choices or probabilities that the client requests. */
export function refuseIncompleteAnswer(dropped: readonly string[]): void {
  const needed = dropped.find((name) => name === "n" || name === "logprobs");
  if (needed !== undefined) throw unsupportedFailure(needed);
}

/** Returns the reasoning to send instead, with the name of a lost field; undefined if the model accepts the reasoning. */
function replacedReasoning(reasoning: unknown, effort: Effort | undefined, model: string, wire: OpenAiWire) {
  // A model that does not reason refuses this member with any value.
  if (!acceptsReasoning(model)) {
    const isEffective = reasoning !== null && effort !== "none";
    return { value: undefined, lost: isEffective ? (wire === "chat" ? "reasoning_effort" : "reasoning") : undefined };
  }
  const accepted = acceptedEffort(effort, model, wire);
  if (accepted === effort) return undefined;
  if (!isRecord(reasoning)) return { value: accepted, lost: "reasoning_effort" };
  return { value: { ...reasoning, effort: accepted }, lost: "reasoning.effort" };
}

/** Changes a forwarded request to what its model accepts, by removing or replacing members. */
export function* fitToModel(body: Buffer, model: string, wire: OpenAiWire): Generator<undefined, FittedBody> {
  if (rulesOfModel(model) === undefined) return { body, dropped: [] };
  yield* findMembersInTurns(body);
  const members = membersOf(body);
  const names = new Set(members.map(({ name }) => name));
  const values: Record<string, string> = {};
  const holder = wire === "chat" ? "reasoning_effort" : "reasoning";
  const reasoning = names.has(holder) ? yield* memberInTurns(body, holder) : undefined;
  const effortName = isRecord(reasoning) ? reasoning["effort"] : reasoning;
  const effort = efforts.find((each) => each === effortName);
  const removed = refusesSampling(model, effort)
    ? Object.keys(samplingParameters).filter((name) => names.has(name))
    : [];
  const dropped = removed.filter((name) => isEffective(name, parseMember(body, name, members)));
  refuseIncompleteAnswer(dropped);
  // The newest models refuse `max_tokens`.
  const limit = wire === "chat" && acceptsNewestFields(model) ? parseMember(body, "max_tokens", members) : undefined;
  if (typeof limit === "number") {
    values["max_completion_tokens"] = String(limit);
    removed.push("max_tokens");
  }
  if (names.has("service_tier") && refusesTier(yield* memberInTurns(body, "service_tier"), model)) {
    dropped.push("service_tier");
    values["service_tier"] = JSON.stringify(acceptedTier);
  }
  const replaced = names.has(holder) ? replacedReasoning(reasoning, effort, model, wire) : undefined;
  if (replaced !== undefined) {
    if (replaced.lost !== undefined) dropped.push(replaced.lost);
    if (replaced.value === undefined) removed.push(holder);
    else values[holder] = JSON.stringify(replaced.value);
  }
  return { body: yield* changeInTurns(body, values, removed, members), dropped };
}

import {
  asRecords,
  changeInTurns,
  findMembersInTurns,
  includesAny,
  isRecord,
  type JsonRecord,
  memberInTurns,
  memberOf,
  membersOf,
  parseMember,
  spliceInTurns,
  stringifyInTurns,
} from "@modelgate/formats/json";
import { fitReasoning, type ReasoningRules } from "./dialect-reasoning.ts";
import { isEffective, refuseIncompleteAnswer } from "../hub/openai-models.ts";

/** Differences of a vendor from OpenAI's chat wire. */
export interface ChatDialect {
  /** Member that limits the output. */
  readonly maxTokens?: "max_tokens" | "max_completion_tokens";
  /** The vendor's names of members. */
  readonly renames?: Readonly<Record<string, string>>;
  /** True if the vendor does not know the role `developer`. */
  readonly noDeveloper?: true;
  /** Members that the vendor refuses or misunderstands. They are dropped, or refused if the answer needs them. */
  readonly refuses?: readonly string[];
  /** The vendor's names for the values of `tool_choice`. */
  readonly toolChoice?: Readonly<Record<string, string>>;
  /** True if every stream reports usage, and the vendor refuses the option that requests it. */
  readonly alwaysReportsUsage?: true;
  /** Member of a message for the reasoning of earlier turns; "none" if the vendor refuses such reasoning. */
  readonly reasoningMember?: "reasoning_content" | "reasoning" | "none";
  /** True if each message of the assistant must have `reasoning_content`, which may be empty. */
  readonly needsReasoning?: true;
  /** Rules for reasoning by the model's name; the first match applies. */
  readonly reasoning?: readonly (readonly [model: RegExp, rules: ReasoningRules])[];
  /** True if the vendor refuses an output format with a schema. */
  readonly noSchemas?: true;
  /** Member of an answer that contains `usage`, if `usage` is not a member of the answer itself. */
  readonly usageIn?: string;
  /** True if `completion_tokens` does not include the reasoning tokens. */
  readonly separateReasoning?: true;
  /** Member of `usage` that counts input read from a cache. */
  readonly cachedAt?: string;
}

interface FittedRequest {
  readonly body: Buffer;
  readonly dropped: readonly string[];
}

export function fitRendered(
  body: JsonRecord,
  dialect: ChatDialect,
): { readonly body: JsonRecord; readonly dropped: readonly string[] } {
  const { values, surplus, dropped } = dialectChanges(Object.keys(body), (name) => body[name], dialect);
  const { messages, lost: isUnsupported } = renameReasoningMember(withReasoning(body["messages"], dialect), dialect);
  const members = Object.entries({ ...body, ...values, messages }).filter(([name]) => !surplus.includes(name));
  return { body: Object.fromEntries(members), dropped: isUnsupported ? [...dropped, "turn.reasoning"] : dropped };
}

function renameReasoningMember(messages: unknown, { reasoningMember = defaultReasoningMember }: ChatDialect) {
  if (reasoningMember === defaultReasoningMember || !Array.isArray(messages)) return { messages, lost: false };
  let isUnsupported = false;
  const fitted = messages.map((message: unknown) => {
    if (!isRecord(message) || message[defaultReasoningMember] === undefined) return message;
    const { [defaultReasoningMember]: text, ...others } = message;
    isUnsupported ||= reasoningMember === "none";
    return reasoningMember === "none" ? others : { ...others, [reasoningMember]: text };
  });
  return { messages: fitted, lost: isUnsupported };
}

/** Adds empty reasoning to the assistant's messages without reasoning, if the vendor requires it. */
function withReasoning(messages: unknown, { needsReasoning }: ChatDialect): unknown {
  if (needsReasoning !== true || !Array.isArray(messages)) return messages;
  return messages.map((message: unknown) =>
    lacksReasoning(message) ? { ...message, [defaultReasoningMember]: "" } : message,
  );
}

function lacksReasoning(message: unknown): message is JsonRecord {
  return isRecord(message) && message["role"] === "assistant" && typeof message[defaultReasoningMember] !== "string";
}

/** Member that most vendors use for reasoning. */
const defaultReasoningMember = "reasoning_content";

const developerBytes = Buffer.from('"developer"');
const assistantBytes = Buffer.from('"assistant"');
const reasoningBytes = Buffer.from(`"${defaultReasoningMember}"`);

/** Returns true if the vendor refuses or misreads a message. Parses messages only if the body may contain one. */
export function* hasUnsupportedMessage(
  body: Buffer,
  { noDeveloper, reasoningMember = defaultReasoningMember }: ChatDialect,
): Generator<undefined, boolean> {
  const hasOtherReasoning = reasoningMember !== defaultReasoningMember;
  const needles = [...(noDeveloper === true ? [developerBytes] : []), ...(hasOtherReasoning ? [reasoningBytes] : [])];
  if (needles.length === 0 || !(yield* includesAny(body, ...needles))) return false;
  return asRecords(yield* memberInTurns(body, "messages")).some(
    ({ role, [defaultReasoningMember]: reasoning }) =>
      (noDeveloper === true && role === "developer") || (hasOtherReasoning && reasoning !== undefined),
  );
}

/** Returns true if the body has an output format that the vendor refuses. */
export function* hasUnsupportedFormat(body: Buffer, { noSchemas }: ChatDialect): Generator<undefined, boolean> {
  if (noSchemas !== true) return false;
  return memberOf(yield* memberInTurns(body, "response_format"), "type") === "json_schema";
}

/** Changes a forwarded request to the vendor's dialect. */
export function* fitBytes(clientBody: Buffer, dialect: ChatDialect): Generator<undefined, FittedRequest> {
  const body = yield* withReasoningInTurns(clientBody, dialect);
  yield* findMembersInTurns(body);
  const members = membersOf(body);
  const valueOf = (name: string): unknown => parseMember(body, name, members);
  const names = members.map(({ name }) => name);
  const { values, surplus, dropped } = dialectChanges(names, valueOf, dialect);
  const rendered = Object.entries(values).map(([name, value]) => [name, JSON.stringify(value)] as const);
  return { body: yield* changeInTurns(body, Object.fromEntries(rendered), surplus, members), dropped };
}

function* withReasoningInTurns(body: Buffer, dialect: ChatDialect): Generator<undefined, Buffer> {
  if (dialect.needsReasoning !== true || !(yield* includesAny(body, assistantBytes))) return body;
  const messages = yield* memberInTurns(body, "messages");
  if (!Array.isArray(messages) || !messages.some(lacksReasoning)) return body;
  return yield* spliceInTurns(body, { messages: yield* stringifyInTurns(withReasoning(messages, dialect)) });
}

const outputLimitNames = ["max_tokens", "max_completion_tokens"] as const;

function dialectChanges(names: readonly string[], valueOf: (name: string) => unknown, dialect: ChatDialect) {
  const { maxTokens, renames = {}, refuses = [], toolChoice = {}, alwaysReportsUsage } = dialect;
  const values: Record<string, unknown> = {};
  const surplus = refuses.filter((name) => names.includes(name));
  const dropped = surplus.filter((name) => isEffective(name, valueOf(name)));
  refuseIncompleteAnswer(dropped);
  const bound = maxTokens === undefined ? {} : Object.fromEntries(outputLimitNames.map((name) => [name, maxTokens]));
  for (const [from, to] of Object.entries({ ...bound, ...renames })) {
    if (from === to || !names.includes(from)) continue;
    if (!names.includes(to)) values[to] = valueOf(from);
    surplus.push(from);
  }
  const choice = names.includes("tool_choice") ? valueOf("tool_choice") : undefined;
  const renamed = typeof choice === "string" && Object.hasOwn(toolChoice, choice) ? toolChoice[choice] : undefined;
  if (renamed !== undefined) values["tool_choice"] = renamed;
  if (alwaysReportsUsage === true && names.includes("stream_options")) surplus.push("stream_options");
  const reasoning = fitReasoning(valueOf, rulesFor(valueOf("model"), dialect));
  return {
    values: { ...values, ...reasoning.values },
    surplus: [...surplus, ...reasoning.surplus],
    dropped: [...dropped, ...reasoning.dropped],
  };
}

function rulesFor(model: unknown, { reasoning = [] }: ChatDialect): ReasoningRules | undefined {
  return typeof model === "string" ? reasoning.find(([pattern]) => pattern.test(model))?.[1] : undefined;
}

export function findUsage(answer: JsonRecord, { usageIn }: ChatDialect): unknown {
  const usage = answer["usage"];
  if (isRecord(usage) || usageIn === undefined) return usage;
  const holder = answer[usageIn];
  return isRecord(holder) ? holder["usage"] : usage;
}

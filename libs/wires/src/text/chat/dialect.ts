import {
  asRecords,
  changeInTurns,
  findMembersInTurns,
  includesAny,
  isRecord,
  type JsonRecord,
  memberInTurns,
  membersOf,
  parseMember,
} from "@modelgate/formats/json";
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
  const { messages, lost: isUnsupported } = renameReasoningMember(body["messages"], dialect);
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

/** Member that most vendors use for reasoning. */
const defaultReasoningMember = "reasoning_content";

const developerBytes = Buffer.from('"developer"');
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

/** Changes a forwarded request to the vendor's dialect. */
export function* fitBytes(body: Buffer, dialect: ChatDialect): Generator<undefined, FittedRequest> {
  yield* findMembersInTurns(body);
  const members = membersOf(body);
  const valueOf = (name: string): unknown => parseMember(body, name, members);
  const names = members.map(({ name }) => name);
  const { values, surplus, dropped } = dialectChanges(names, valueOf, dialect);
  const rendered = Object.entries(values).map(([name, value]) => [name, JSON.stringify(value)] as const);
  return { body: yield* changeInTurns(body, Object.fromEntries(rendered), surplus, members), dropped };
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
  return { values, surplus, dropped };
}

export function findUsage(answer: JsonRecord, { usageIn }: ChatDialect): unknown {
  const usage = answer["usage"];
  if (isRecord(usage) || usageIn === undefined) return usage;
  const holder = answer[usageIn];
  return isRecord(holder) ? holder["usage"] : usage;
}

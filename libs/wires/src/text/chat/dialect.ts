import { isRecord, type JsonRecord } from "../../json/fields.ts";
import { membersOf, spliceMembers, withoutMembers } from "../../json/members.ts";

/**
 * Differences of a vendor from the chat wire, as data. Absent members are as the wire's own vendor has them, or as the
 * model's name shows (`models.ts`).
 */
export interface ChatDialect {
  /** The member that bounds the output. */
  readonly maxTokens?: "max_tokens" | "max_completion_tokens";
  /** Members that it has under another name. */
  readonly renames?: Readonly<Record<string, string>>;
  /** It has no role `developer`: such messages are `system` ones. */
  readonly noDeveloper?: true;
  /** Members that it refuses, or reads otherwise: they are left out, and named to the client. */
  readonly refuses?: readonly string[];
  /** The vendor's names for the values of `tool_choice`. */
  readonly toolChoice?: Readonly<Record<string, string>>;
  /** It reports usage in every stream, and refuses the option that requests it. */
  readonly alwaysReportsUsage?: true;
  /** The member of a message in which it takes the model's thoughts back; "none": it refuses them. */
  readonly thoughts?: "reasoning_content" | "reasoning" | "none";
  /** The member of an answer or a chunk that holds `usage` where it is not next to `choices`. */
  readonly usageIn?: string;
  /** Reasoning tokens are not among `completion_tokens`, but counted separately. */
  readonly separateReasoning?: true;
  /** The member of `usage` that counts input read from a cache. */
  readonly cachedAt?: string;
}

/** A request as a vendor takes it, and what was left out for that. */
interface Fitted {
  readonly body: Buffer;
  readonly dropped: readonly string[];
}

/** A rendered request as a vendor takes it, and what was left out for that. */
export function fitRendered(
  body: JsonRecord,
  dialect: ChatDialect,
): { readonly body: JsonRecord; readonly dropped: readonly string[] } {
  const { values, surplus, dropped } = changesFor(Object.keys(body), (name) => body[name], dialect);
  const { messages, lost } = thoughtsFor(body["messages"], dialect);
  const kept = Object.entries({ ...body, ...values, messages }).filter(([name]) => !surplus.includes(name));
  return { body: Object.fromEntries(kept), dropped: lost ? [...dropped, "turn.reasoning"] : dropped };
}

/** The messages with the model's thoughts where the vendor takes them, or without. */
function thoughtsFor(messages: unknown, { thoughts = usualThoughts }: ChatDialect) {
  if (thoughts === usualThoughts || !Array.isArray(messages)) return { messages, lost: false };
  let lost = false;
  const fitted = messages.map((message: unknown) => {
    if (!isRecord(message) || message[usualThoughts] === undefined) return message;
    const { [usualThoughts]: text, ...others } = message;
    lost ||= thoughts === "none";
    return thoughts === "none" ? others : { ...others, [thoughts]: text };
  });
  return { messages: fitted, lost };
}

/** The member that most vendors of the wire have for thoughts. */
const usualThoughts = "reasoning_content";

/** Words of a body that this vendor would refuse or misread within messages: one that holds any is converted. */
export function foreignWords({ noDeveloper, thoughts = usualThoughts }: ChatDialect): readonly Buffer[] {
  return [
    ...(noDeveloper === true ? ['"developer"'] : []),
    ...(thoughts === usualThoughts ? [] : [`"${usualThoughts}"`]),
  ].map((word) => Buffer.from(word));
}

/** The bytes of a request as a vendor takes it; every member that it takes stays as it came. */
export function fitBytes(body: Buffer, dialect: ChatDialect): Fitted {
  const members = membersOf(body);
  const valueOf = (wanted: string): unknown => {
    const member = members.findLast(({ name }) => name === wanted);
    return member === undefined ? undefined : JSON.parse(body.toString("utf8", member.start, member.end));
  };
  const names = members.map(({ name }) => name);
  const { values, surplus, dropped } = changesFor(names, valueOf, dialect);
  const written = Object.entries(values).map(([name, value]) => [name, JSON.stringify(value)] as const);
  const spliced = written.length === 0 ? body : spliceMembers(body, Object.fromEntries(written), members);
  return { body: surplus.length === 0 ? spliced : withoutMembers(spliced, surplus), dropped };
}

const bounds = ["max_tokens", "max_completion_tokens"] as const;

/** Finds the differences of a request at the vendor: members with another value, those that must not be there, and what is lost. */
function changesFor(names: readonly string[], valueOf: (name: string) => unknown, dialect: ChatDialect) {
  const { maxTokens, renames = {}, refuses = [], toolChoice = {}, alwaysReportsUsage } = dialect;
  const values: Record<string, unknown> = {};
  const dropped = refuses.filter((name) => names.includes(name));
  const surplus = [...dropped];
  const bound = maxTokens === undefined ? {} : Object.fromEntries(bounds.map((name) => [name, maxTokens]));
  for (const [from, to] of Object.entries({ ...bound, ...renames })) {
    if (from === to || !names.includes(from)) continue;
    if (!names.includes(to)) values[to] = valueOf(from);
    surplus.push(from);
  }
  const choice = names.includes("tool_choice") ? valueOf("tool_choice") : undefined;
  const word = typeof choice === "string" && Object.hasOwn(toolChoice, choice) ? toolChoice[choice] : undefined;
  if (word !== undefined) values["tool_choice"] = word;
  if (alwaysReportsUsage === true && names.includes("stream_options")) surplus.push("stream_options");
  return { values, surplus, dropped };
}

/** The report of usage in an answer or a chunk, wherever its vendor puts it. */
export function usageAt(answer: JsonRecord, { usageIn }: ChatDialect): unknown {
  const own = answer["usage"];
  if (isRecord(own) || usageIn === undefined) return own;
  const holder = answer[usageIn];
  return isRecord(holder) ? holder["usage"] : own;
}

import { isRecord, type JsonRecord } from "../../json/fields.ts";
import { membersOf, spliceMembers, withoutMembers } from "../../json/members.ts";

/**
 * A vendor's differences from the chat wire, as data. An absent member means OpenAI's behaviour, or the one that the
 * model's name implies (`models.ts`).
 */
export interface ChatDialect {
  /** Member that limits the output. */
  readonly maxTokens?: "max_tokens" | "max_completion_tokens";
  /** Members that the vendor has under another name. */
  readonly renames?: Readonly<Record<string, string>>;
  /** True if the role `developer` is unknown: such messages become `system` messages. */
  readonly noDeveloper?: true;
  /** Members that the vendor refuses or reads differently: they are dropped and reported to the client. */
  readonly refuses?: readonly string[];
  /** The vendor's names for the values of `tool_choice`. */
  readonly toolChoice?: Readonly<Record<string, string>>;
  /** True if every stream reports usage, and the option that requests it is refused. */
  readonly alwaysReportsUsage?: true;
  /** Member of a message in which earlier reasoning is sent back; "none": the vendor refuses it. */
  readonly thoughts?: "reasoning_content" | "reasoning" | "none";
  /** Member of an answer or a chunk that contains `usage`, if it is not next to `choices`. */
  readonly usageIn?: string;
  /** True if reasoning tokens are counted in addition to `completion_tokens`, not among them. */
  readonly separateReasoning?: true;
  /** Member of `usage` that counts input read from a cache. */
  readonly cachedAt?: string;
}

/** A request as the vendor accepts it, and the names of what was dropped. */
interface Fitted {
  readonly body: Buffer;
  readonly dropped: readonly string[];
}

/** Fits a rendered request to the vendor's dialect. */
export function fitRendered(
  body: JsonRecord,
  dialect: ChatDialect,
): { readonly body: JsonRecord; readonly dropped: readonly string[] } {
  const { values, surplus, dropped } = changesFor(Object.keys(body), (name) => body[name], dialect);
  const { messages, lost } = thoughtsFor(body["messages"], dialect);
  const kept = Object.entries({ ...body, ...values, messages }).filter(([name]) => !surplus.includes(name));
  return { body: Object.fromEntries(kept), dropped: lost ? [...dropped, "turn.reasoning"] : dropped };
}

/** Returns the messages with their reasoning where the vendor accepts it, or without. */
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

/** Member for reasoning of most vendors of the wire. */
const usualThoughts = "reasoning_content";

/** Returns byte sequences that this vendor refuses or misreads in messages; a body with one of them is converted. */
export function foreignWords({ noDeveloper, thoughts = usualThoughts }: ChatDialect): readonly Buffer[] {
  return [
    ...(noDeveloper === true ? ['"developer"'] : []),
    ...(thoughts === usualThoughts ? [] : [`"${usualThoughts}"`]),
  ].map((word) => Buffer.from(word));
}

/** Fits a request's bytes to the vendor's dialect; members that the vendor accepts are unchanged. */
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

/** Finds the changes of a request for the vendor: members with another value, members to remove, and what is lost. */
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

/** Returns the usage of an answer or a chunk, wherever the vendor puts it. */
export function usageAt(answer: JsonRecord, { usageIn }: ChatDialect): unknown {
  const own = answer["usage"];
  if (isRecord(own) || usageIn === undefined) return own;
  const holder = answer[usageIn];
  return isRecord(holder) ? holder["usage"] : own;
}

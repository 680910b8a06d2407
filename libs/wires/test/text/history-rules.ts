import type { JsonRecord } from "@modelgate/formats/json";

/*
 * Rules of each wire's main vendor for the order of a history. A function returns the error with which the vendor would
 * refuse the request, in the vendor's wording if that is known; undefined if the vendor accepts the history.
 */

const list = (value: unknown): readonly JsonRecord[] => (Array.isArray(value) ? value : []);
const isEmpty = (value: unknown): boolean => (value ?? "") === "" || (Array.isArray(value) && value.length === 0);
const sameIds = (some: readonly unknown[], others: readonly unknown[]): boolean =>
  some.length === others.length && new Set([...some, ...others]).size === new Set(some).size;

/** Checks OpenAI's chat completions: results directly follow the message with their calls. */
function chat({ messages }: JsonRecord): string | undefined {
  const all = list(messages);
  for (let at = 0; at < all.length; at++) {
    const { role, content, tool_calls: calls } = all[at] ?? {};
    if (role === "tool")
      return "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'";
    const ids = list(calls).map(({ id }) => id);
    if (isEmpty(content) && (role !== "assistant" || ids.length === 0)) return `message ${at} has no content`;
    const results: unknown[] = [];
    while (ids.length > 0 && all[at + 1]?.["role"] === "tool") results.push(all[++at]?.["tool_call_id"]);
    if (!sameIds(ids, results))
      return "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'.";
  }
  return all.length === 0 ? "empty messages" : undefined;
}

/** Checks the input of OpenAI's Responses API: no empty message, and one output after each call. */
function responses({ input }: JsonRecord): string | undefined {
  const open = new Set<unknown>();
  for (const { type = "message", call_id: id, content } of list(input)) {
    if (type === "function_call") {
      if (open.has(id)) return `Duplicate item with call_id ${String(id)}`;
      open.add(id);
    } else if (type === "function_call_output") {
      if (!open.delete(id)) return `No tool call found for function call output with call_id ${String(id)}.`;
    } else if (isEmpty(content)) return "a message has no content";
  }
  return open.size > 0 ? `No tool output found for function call ${String([...open][0])}.` : undefined;
}

interface Blocks {
  readonly role: unknown;
  readonly calls: readonly unknown[];
  readonly results: readonly unknown[];
  readonly resultsAreFirst: boolean;
  readonly isEmpty: boolean;
}

/** Checks Anthropic's rules for system messages. */
function systems(model: unknown, roles: readonly unknown[]): string | undefined {
  if (!roles.includes("system")) return undefined;
  if (!/claude-(?:fable-5|opus-(?:4-8|5))/.test(String(model))) return "role 'system' is not supported on this model";
  const isPlaced = roles.every(
    (role, at) => role !== "system" || (roles[at - 1] === "user" && (roles[at + 1] ?? "assistant") === "assistant"),
  );
  return isPlaced ? undefined : "system messages must follow a user turn and precede an assistant turn";
}

/** Checks Anthropic and Converse: roles alternate, and results come first in the message after their calls. */
function blocks(messages: readonly Blocks[]): string | undefined {
  if (messages[0]?.role !== "user") return 'first message must use the "user" role';
  const ids = messages.flatMap(({ calls }) => calls);
  if (new Set(ids).size < ids.length) return "`tool_use` ids must be unique";
  for (const [at, message] of messages.entries()) {
    const before = messages[at - 1];
    if (message.role === before?.role) return "roles must alternate";
    if (message.isEmpty) return "all messages must have non-empty content";
    if (message.role !== "user" && message.results.length > 0)
      return "`tool_result` blocks can only be in user messages";
    if (!sameIds(before?.calls ?? [], message.results)) return "`tool_use` ids and `tool_result` blocks do not match";
    if (!message.resultsAreFirst) return "`tool_result` blocks must come first";
  }
  return (messages.at(-1)?.calls.length ?? 0) > 0
    ? "`tool_use` ids were found without `tool_result` blocks"
    : undefined;
}

function messages({ model, messages: all }: JsonRecord): string | undefined {
  const misplaced = systems(
    model,
    list(all).map(({ role }) => role),
  );
  if (misplaced !== undefined) return misplaced;
  return blocks(
    list(all)
      .filter(({ role }) => role !== "system")
      .map(({ role, content }) => {
        const all = typeof content === "string" ? [{ type: "text", text: content }] : list(content);
        const kinds = all.map(({ type }) => type === "tool_result");
        return {
          role,
          calls: all.flatMap(({ type, id }) => (type === "tool_use" ? [id] : [])),
          results: all.flatMap(({ type, tool_use_id: id }) => (type === "tool_result" ? [id] : [])),
          resultsAreFirst: kinds.lastIndexOf(true) < (kinds.indexOf(false) < 0 ? kinds.length : kinds.indexOf(false)),
          isEmpty: all.length === 0 || all.some(({ type, text }) => type === "text" && isEmpty(text)),
        };
      }),
  );
}

function converse(body: JsonRecord): string | undefined {
  return blocks(
    list(body["messages"]).map(({ role, content }) => {
      const all: readonly any[] = list(content);
      const results = all.flatMap(({ toolResult }) => (toolResult === undefined ? [] : [toolResult.toolUseId]));
      return {
        role,
        calls: all.flatMap(({ toolUse }) => (toolUse === undefined ? [] : [toolUse.toolUseId])),
        results,
        resultsAreFirst: all.slice(0, results.length).every(({ toolResult }) => toolResult !== undefined),
        isEmpty: all.length === 0 || all.some(({ text }) => text !== undefined && isEmpty(text)),
      };
    }),
  );
}

/** Checks Gemini: calls follow a turn of the user, and as many results directly follow them. */
function content({ contents }: JsonRecord): string | undefined {
  const turns: { readonly role: unknown; readonly parts: any[] }[] = [];
  for (const { role = "user", parts } of list(contents)) {
    if (isEmpty(parts)) return "Unable to submit request because it must have at least one parts field.";
    const last = turns.at(-1);
    if (last !== undefined && last.role === role) last.parts.push(...list(parts));
    else turns.push({ role, parts: [...list(parts)] });
  }
  for (const [at, { role, parts }] of turns.entries()) {
    const names = (turn: (typeof turns)[number] | undefined, member: string): readonly unknown[] =>
      (turn?.parts ?? []).flatMap((part) => (part[member] === undefined ? [] : [part[member].id ?? part[member].name]));
    const thisTurn = { role, parts };
    if (parts.some(({ text }) => text === "")) return "an empty text parameter";
    if (role === "user" && names(thisTurn, "functionCall").length > 0) return "a user's turn has a function call";
    if (role === "model" && names(thisTurn, "functionResponse").length > 0)
      return "a model's turn has a function response";
    if (at === 0 && role === "model" && names(thisTurn, "functionCall").length > 0)
      return "Please ensure that function call turn comes immediately after a user turn or after a function response turn.";
    const callNames = names(turns[at - 1], "functionCall");
    if (!sameIds(callNames, names(thisTurn, "functionResponse")))
      return "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.";
    if (at === turns.length - 1 && names(thisTurn, "functionCall").length > 0)
      return "function calls without responses";
  }
  return turns.length === 0 ? "contents are not specified" : undefined;
}

/** Checks Google's interactions: all calls have results before the user's next input. */
function interactions({ input }: JsonRecord): string | undefined {
  if (isEmpty(input)) return "input is missing";
  const open = new Set<unknown>();
  const calledIds = new Set<unknown>();
  for (const { type, id, call_id: answered, content } of list(input)) {
    if (type === "function_call") {
      if (calledIds.has(id)) return `the call ${String(id)} is there twice`;
      calledIds.add(id);
      open.add(id);
    } else if (type === "function_result") {
      if (!open.delete(answered)) return `no call for the result of ${String(answered)}`;
    } else if (type === "user_input" || type === "model_output") {
      if (isEmpty(content)) return "a step has no content";
      if (type === "user_input" && open.size > 0) return "function calls without results";
    }
  }
  return open.size > 0 ? "function calls without results" : undefined;
}

export const historyRules = { chat, responses, messages, content, converse, interactions } as const;

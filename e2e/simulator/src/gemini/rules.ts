import { isRecord, listAt, memberOf, numberAt, textAt } from "../checks/members.ts";
import { Refusal, wrongField } from "../checks/refusal.ts";
import type { Path } from "../checks/shape.ts";
import { isOpaqueDataOf } from "../core/opaque-data.ts";
import { requireLevel, signsCalls, takesBudgetsOnly } from "./models.ts";

/** Kind of the opaque data in thought signatures. A signature on a call is bound to the function's name. */
export const thoughtDataKind = "gemini.thought";

/** Texts that the vendor accepts as signatures of calls that another model made. */
const acceptedPlaceholders = ["context_engineering_is_the_way_to_go", "skip_thought_signature_validator"];

/** Refuses a request whose members have the right types, but which the vendor would refuse. */
export function requireValidRequest(body: unknown, model: string): void {
  const turns = turnsOf(listAt(body, "contents"));
  requireOrder(turns);
  requireSignatures(turns);
  if (signsCalls(model)) requireSignedCalls(turns);
  requireValidTools(body, model);
  requireValidConfig(memberOf(body, "generationConfig"), model);
  if (textAt(body, "cachedContent") !== undefined)
    throw new Refusal(403, "The cached content is not there, or not for this key.", { path: ["cachedContent"] });
}

/** Consecutive contents of one role. Clients may send each piece of a stream back. */
interface Turn {
  readonly isModel: boolean;
  /** Index of the first content. */
  readonly at: number;
  readonly parts: readonly { readonly part: unknown; readonly path: Path }[];
}

function turnsOf(contents: readonly unknown[]): readonly Turn[] {
  const turns: Turn[] = [];
  for (const [at, content] of contents.entries()) {
    const isModel = textAt(content, "role") === "model";
    const parts = listAt(content, "parts").map((part, place) => ({ part, path: ["contents", at, "parts", place] }));
    const last = turns.at(-1);
    if (last?.isModel === isModel) turns.splice(-1, 1, { ...last, parts: [...last.parts, ...parts] });
    else turns.push({ isModel, at, parts });
  }
  return turns;
}

const payloadsIn = (turn: Turn | undefined, name: string): readonly unknown[] =>
  (turn?.parts ?? []).flatMap(({ part }) => memberOf(part, name) ?? []);

/** Refuses calls at a wrong place, and calls without as many results in the next turn. */
function requireOrder(turns: readonly Turn[]): void {
  for (const [place, turn] of turns.entries()) {
    const [calls, results] = [payloadsIn(turn, "functionCall"), payloadsIn(turn, "functionResponse")];
    const path = ["contents", turn.at];
    if (calls.length > 0 && (!turn.isModel || place === 0))
      throw wrongField(path, "Function calls are the model's, right after a user's turn or a function's results.");
    if (results.length > 0 && turn.isModel) throw wrongField(path, "Function results are not the model's.");
    const functionCalls = payloadsIn(turns[place - 1], "functionCall");
    if (results.length !== functionCalls.length)
      throw wrongField(
        path,
        `There must be as many function results as calls: ${functionCalls.length}, not ${results.length}.`,
      );
    requirePairs(functionCalls, results, turn.at);
  }
  const last = turns.at(-1);
  if (last?.isModel === true)
    throw wrongField(["contents", last.at], "A request ends with the user's turn or a function's results.");
}

function requirePairs(request: readonly unknown[], results: readonly unknown[], at: number): void {
  const open = request.map((call) => ({ id: textAt(call, "id"), name: textAt(call, "name") }));
  for (const result of results) {
    const [id, name] = [textAt(result, "id"), textAt(result, "name")];
    const place = open.findIndex((call) => call.name === name && (id === undefined || call.id === id));
    if (place < 0) throw wrongField(["contents", at], `There is no call of '${name}' for this function result.`);
    open.splice(place, 1);
  }
}

function requireSignatures(turns: readonly Turn[]): void {
  for (const { part, path } of turns.flatMap(({ parts }) => parts)) {
    const signature = textAt(part, "thoughtSignature");
    if (signature === undefined || acceptedPlaceholders.includes(signature)) continue;
    if (!isOpaqueDataOf(thoughtDataKind, signature, textAt(memberOf(part, "functionCall"), "name")))
      throw wrongField([...path, "thoughtSignature"], "The thought signature is not valid.");
  }
}

/** Refuses turns after the last user text whose first call has no signature. */
function requireSignedCalls(turns: readonly Turn[]): void {
  const spoke = turns.findLastIndex((turn) => !turn.isModel && payloadsIn(turn, "functionResponse").length === 0);
  for (const { parts } of turns.slice(spoke + 1)) {
    const first = parts.find(({ part }) => memberOf(part, "functionCall") !== undefined);
    if (first !== undefined && textAt(first.part, "thoughtSignature") === undefined)
      throw wrongField([...first.path, "thoughtSignature"], "The function call needs its thought signature.");
  }
}

function requireValidTools(body: unknown, model: string): void {
  const declared = listAt(body, "tools").flatMap((tool) => listAt(tool, "functionDeclarations"));
  if (declared.length > 0) refuseVendorTools(body, model);
  const names = declared.map((declaration) => textAt(declaration, "name") ?? "");
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw wrongField(["tools"], `The function '${twice}' is declared twice.`);
  if (declared.some((one) => memberOf(one, "parameters") && memberOf(one, "parametersJsonSchema")))
    throw wrongField(["tools"], "'parameters' and 'parametersJsonSchema' exclude one another.");
  const config = memberOf(memberOf(body, "toolConfig"), "functionCallingConfig") ?? undefined;
  if (config === undefined) return;
  const path = ["toolConfig", "functionCallingConfig"];
  if (names.length === 0) throw wrongField(path, "It is set how functions are called, but no function is declared.");
  const allowed = listAt(config, "allowedFunctionNames");
  const mode = textAt(config, "mode") ?? "AUTO";
  if (allowed.length > 0 && mode !== "ANY" && mode !== "VALIDATED")
    throw wrongField([...path, "allowedFunctionNames"], "Allowed names are for the modes ANY and VALIDATED.");
  if (allowed.some((name) => !names.includes(String(name))))
    throw wrongField([...path, "allowedFunctionNames"], "An allowed name is not declared.");
}

/** Refuses vendor tools together with functions. Newer models accept them if the client sends the tools' steps back. */
function refuseVendorTools(body: unknown, model: string): void {
  const names = listAt(body, "tools").flatMap((tool) => (isRecord(tool) ? Object.keys(tool) : []));
  if (names.every((name) => name === "functionDeclarations")) return;
  const path = ["toolConfig", "includeServerSideToolInvocations"];
  if (!signsCalls(model)) throw wrongField(["tools"], "This model takes functions or other tools, not both.");
  if (memberOf(memberOf(body, "toolConfig"), "includeServerSideToolInvocations") !== true)
    throw wrongField(path, "Functions together with other tools need this to be true.");
}

function requireValidConfig(config: unknown, model: string): void {
  const at = (name: string) => ["generationConfig", name];
  const set = (name: string): boolean => (memberOf(config, name) ?? undefined) !== undefined;
  const schemas = ["responseSchema", "responseJsonSchema"].filter(set);
  const mime = textAt(config, "responseMimeType") ?? "text/plain";
  if (schemas.length > 1) throw wrongField(at("responseJsonSchema"), "There can be one schema only.");
  if (schemas.length > 0 && mime === "text/plain")
    throw wrongField(at("responseMimeType"), "With a schema, the type of the answer must be application/json.");
  if (set("logprobs") && memberOf(config, "responseLogprobs") !== true)
    throw wrongField(at("logprobs"), "'logprobs' is only taken together with 'responseLogprobs'.");
  requireValidThinking(memberOf(config, "thinkingConfig"), model);
}

function requireValidThinking(thinking: unknown, model: string): void {
  const path = ["generationConfig", "thinkingConfig"];
  const [budget, level] = [numberAt(thinking, "thinkingBudget"), textAt(thinking, "thinkingLevel")];
  if (budget !== undefined && level !== undefined)
    throw wrongField(path, "'thinkingBudget' and 'thinkingLevel' exclude one another.");
  if (level !== undefined && takesBudgetsOnly(model))
    throw wrongField([...path, "thinkingLevel"], "Thinking level is not supported for this model.");
  requireLevel(model, level, [...path, "thinkingLevel"]);
  if (budget === undefined) return;
  const isPro = takesBudgetsOnly(model) && model.includes("-pro");
  const isFlash = takesBudgetsOnly(model) && model.includes("-flash");
  if ((isPro && budget >= 0 && budget < 128) || (isFlash && budget > 24_576))
    throw wrongField([...path, "thinkingBudget"], "This model does not take that budget.");
}

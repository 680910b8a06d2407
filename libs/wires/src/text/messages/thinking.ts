import { present } from "@modelgate/contracts";
import type { Fields } from "../../json/fields.ts";
import type { TextTarget } from "../hub/wire.ts";
import { effortOf, type Effort, type JsonObject, type ReasoningWish, type TextRequest } from "../hub/request.ts";
import { minBudget, thinkingBudget, takesAdaptiveOnly } from "../hub/claude.ts";
import type { Unsupported } from "../hub/field-support.ts";
import { hasUnsealedLoop, type Message } from "../hub/paired-messages.ts";
import { forcesTool } from "../hub/render.ts";
import { pairs } from "./vendor-turns.ts";

/** `thinking` of a client, with the effort in its `output_config`. */
export function parseThinking(body: Fields, output: Fields | undefined): ReasoningWish | undefined {
  const thinking = body.fields("thinking");
  const type = thinking?.word("type", ["enabled", "adaptive", "disabled", "between_tools"]);
  if (thinking !== undefined && type === undefined) throw thinking.wrong("type", "enabled, adaptive or disabled");
  if (type === "disabled") return { effort: "none" };
  const effort = output?.word("effort", ["low", "medium", "high", "xhigh", "max"]);
  if (thinking === undefined) return effort === undefined ? undefined : { effort };
  const budget = type === "enabled" ? thinking.count("budget_tokens", 1) : effort === undefined ? -1 : undefined;
  const display = thinking.word("display", ["summarized", "omitted"]);
  return { ...present({ effort, budgetTokens: budget }), show: display === "omitted" ? "none" : "summary" };
}

/** Members of a request for thoughts, and their effects on the rest of the request. */
interface RenderedThinking {
  readonly thinking: JsonObject | undefined;
  /** For `output_config`. */
  readonly effort: string | undefined;
  /** The bound of the output, thoughts included. */
  readonly maxTokens: number;
  readonly on: boolean;
}

/**
 * The wish for thoughts. It is given up, and noted as lost, where the vendor refuses it together with the rest: a
 * forced tool, or a running tool loop whose turns do not begin with thoughts that the vendor sealed.
 */
export function renderThinking(
  request: TextRequest,
  target: TextTarget,
  messages: readonly Message[],
  unsupported: Unsupported,
): RenderedThinking {
  const { reasoning } = request;
  const maxTokens = request.maxTokens ?? target.defaultMaxTokens;
  const silent = { thinking: undefined, effort: undefined, maxTokens, on: false };
  if (reasoning === undefined || isUnset(reasoning)) return silent;
  const adaptive = takesAdaptiveOnly(target.model);
  // For models that choose themselves it is not turned off: they think only on request.
  const off = adaptive ? silent : { ...silent, thinking: { type: "disabled" } };
  const effort = effortOf(reasoning);
  if (effort === "none") return off;
  if (forcesTool(request) || (!adaptive && hasUnsealedLoop(messages, pairs))) {
    unsupported.note("reasoning");
    return off;
  }
  if (adaptive) {
    const display = reasoning.show === "none" ? "omitted" : "summarized";
    return {
      ...silent,
      thinking: { type: "adaptive", display },
      effort: effort === "minimal" ? "low" : effort,
      on: true,
    };
  }
  return withBudget(request, reasoning, { effort: effort ?? "medium", maxTokens, off }, unsupported);
}

/** Renders thinking for a model that takes a budget. */
function withBudget(
  request: TextRequest,
  reasoning: ReasoningWish,
  how: { readonly effort: Exclude<Effort, "none">; readonly maxTokens: number; readonly off: RenderedThinking },
  unsupported: Unsupported,
): RenderedThinking {
  const { effort, maxTokens, off } = how;
  const wanted = thinkingBudget(reasoning, effort, maxTokens);
  const budget = request.maxTokens === undefined ? wanted : budgetWithin(request.maxTokens, wanted);
  if (budget === undefined || (budget < wanted && reasoning.budgetTokens !== undefined)) unsupported.note("reasoning");
  if (budget === undefined) return off;
  const display = reasoning.show === "none" ? "omitted" : undefined;
  return {
    thinking: present({ type: "enabled", budget_tokens: budget, display }),
    effort: undefined,
    // Without a bound of the client's, ours is meant for the words.
    maxTokens: maxTokens > budget ? maxTokens : maxTokens + budget,
    on: true,
  };
}

/** The part of a bound that is left to thoughts where both do not fit. */
const partOfThoughts = 0.8;

/**
 * The budget that fits into a client's bound: thoughts count as output, here as in the client's own wire, so the bound is
 * kept and the budget is lowered. Undefined where the least budget does not fit.
 */
function budgetWithin(bound: number, wanted: number): number | undefined {
  if (wanted < bound) return wanted;
  if (bound <= minBudget) return undefined;
  return Math.max(minBudget, Math.floor(bound * partOfThoughts));
}

/** Returns true if a wish requests no thoughts, and only says how they would be shown. */
function isUnset({ effort, budgetTokens, show }: ReasoningWish): boolean {
  return effort === undefined && budgetTokens === undefined && (show === undefined || show === "none");
}

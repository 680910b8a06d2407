import { withoutUndefined } from "@modelgate/contracts";
import type { Fields, JsonRecord } from "../../json/fields.ts";
import type { TextTarget } from "../hub/wire.ts";
import { reasoningEffort, type Effort, type ReasoningOptions, type TextRequest } from "../hub/request.ts";
import { adaptiveModel, minBudget, thinkingBudget, type AdaptiveModel } from "../hub/claude.ts";
import type { Unsupported } from "../hub/field-support.ts";
import { hasUnsignedLoop, type Message } from "../hub/paired-messages.ts";
import { forcesTool } from "../hub/render.ts";
import { pairs } from "./vendor-turns.ts";

/** Parses a client's `thinking`, and the effort in `output_config`. */
export function parseThinking(body: Fields, output: Fields | undefined): ReasoningOptions | undefined {
  const thinking = body.fields("thinking");
  const type = thinking?.oneOf("type", ["enabled", "adaptive", "disabled", "between_tools"]);
  if (thinking !== undefined && type === undefined) throw thinking.wrong("type", "enabled, adaptive or disabled");
  if (type === "disabled") return { effort: "none" };
  const effort = output?.oneOf("effort", ["low", "medium", "high", "xhigh", "max"]);
  if (thinking === undefined) return effort === undefined ? undefined : { effort };
  const budget = type === "enabled" ? thinking.count("budget_tokens", 1) : effort === undefined ? -1 : undefined;
  const display = thinking.oneOf("display", ["summarized", "omitted"]);
  return { ...withoutUndefined({ effort, budgetTokens: budget }), show: display === "omitted" ? "none" : "summary" };
}

/** Members that request reasoning, and values that they change in the rest of the request. */
interface RenderedThinking {
  readonly thinking: JsonRecord | undefined;
  /** Effort to set in `output_config`. */
  readonly effort: string | undefined;
  /** Output limit, reasoning included. */
  readonly maxTokens: number;
  readonly on: boolean;
}

/**
 * Renders the requested reasoning. It is dropped and reported as lost if the vendor would refuse it: with a forced tool,
 * or in a tool loop whose turns do not begin with reasoning that the vendor signed. A model that always reasons gets the
 * lowest effort instead of none, which is reported too.
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
  const adaptive = adaptiveModel(target.model);
  const effort = reasoningEffort(reasoning);
  const alwaysThinks = adaptive?.thinks === "always";
  const off = { ...silent, ...leastThinking(adaptive?.thinks) };
  if (effort === "none") {
    unsupported.noteIf("reasoning", alwaysThinks);
    return off;
  }
  if ((forcesTool(request) && !alwaysThinks) || (adaptive === undefined && hasUnsignedLoop(messages, pairs))) {
    unsupported.note("reasoning");
    return off;
  }
  if (adaptive === undefined)
    return withBudget(request, reasoning, { effort: effort ?? "medium", maxTokens, off }, unsupported);
  const display = reasoning.show === "none" ? "omitted" : "summarized";
  return {
    ...silent,
    thinking: { type: "adaptive", display },
    effort: effort === "minimal" ? "low" : effort,
    on: true,
  };
}

/** Returns the members for the least reasoning that the model allows: none if a request can disable reasoning. */
function leastThinking(thinks: AdaptiveModel["thinks"] | undefined): Partial<RenderedThinking> {
  if (thinks === "always") return { effort: "low" };
  return thinks === "if-asked" ? {} : { thinking: { type: "disabled" } };
}

/** Renders thinking with a budget; without thinking if the minimum budget does not fit the output limit. */
function withBudget(
  request: TextRequest,
  reasoning: ReasoningOptions,
  options: { readonly effort: Exclude<Effort, "none">; readonly maxTokens: number; readonly off: RenderedThinking },
  unsupported: Unsupported,
): RenderedThinking {
  const { effort, maxTokens, off } = options;
  const requestedBudget = thinkingBudget(reasoning, effort, maxTokens);
  const budget = request.maxTokens === undefined ? requestedBudget : budgetWithin(request.maxTokens, requestedBudget);
  if (budget === undefined || (budget < requestedBudget && reasoning.budgetTokens !== undefined))
    unsupported.note("reasoning");
  if (budget === undefined) return off;
  const display = reasoning.show === "none" ? "omitted" : undefined;
  return {
    thinking: withoutUndefined({ type: "enabled", budget_tokens: budget, display }),
    effort: undefined,
    // The gateway's default limit is meant for text alone, so the budget is added if the limit does not exceed it.
    maxTokens: maxTokens > budget ? maxTokens : maxTokens + budget,
    on: true,
  };
}

/** Share of the output limit that becomes the budget if the requested budget does not fit. */
const reasoningShare = 0.8;

/**
 * Returns a budget below a client's output limit. Reasoning counts as output, as on the client's wire, so a budget that
 * does not fit is lowered and the limit is kept. Undefined if the minimum budget does not fit.
 */
function budgetWithin(bound: number, budget: number): number | undefined {
  if (budget < bound) return budget;
  if (bound <= minBudget) return undefined;
  return Math.max(minBudget, Math.floor(bound * reasoningShare));
}

/** Returns true if no reasoning is requested; a request may still set how reasoning is shown. */
function isUnset({ effort, budgetTokens, show }: ReasoningOptions): boolean {
  return effort === undefined && budgetTokens === undefined && (show === undefined || show === "none");
}

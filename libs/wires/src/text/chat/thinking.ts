import { present } from "@modelgate/contracts";
import type { Fields } from "../../json/fields.ts";
import { efforts, type ReasoningWish } from "../hub/request.ts";

/**
 * What a client wants of the model's reasoning, in the wire's own field (`reasoning_effort`) or in one of those that
 * its vendors added: `thinking`, `enable_thinking` with `thinking_budget`, `reasoning`. Off in one of them is off.
 */
export function parseReasoning(body: Fields): ReasoningWish | undefined {
  const wanted = body.fields("reasoning");
  const thinking = body.fields("thinking");
  const switches = [switchOf(thinking), body.flag("enable_thinking"), wanted?.flag("enabled")];
  const named = body.word("reasoning_effort", efforts);
  const effort = named ?? wanted?.word("effort", efforts);
  const budgets = [wanted?.count("max_tokens"), thinking?.count("budget_tokens"), body.number("thinking_budget")];
  const budgetTokens = budgets.find((budget) => budget !== undefined);
  const show = wanted?.flag("exclude") === true ? ("none" as const) : undefined;
  if (switches.includes(false)) return present({ effort: "none" as const, show });
  const asLiked = effort === undefined && switches.includes(true) ? -1 : undefined;
  const wish = present({ effort, budgetTokens: budgetTokens ?? asLiked, show });
  return Object.keys(wish).length > 0 ? wish : undefined;
}

function switchOf(thinking: Fields | undefined): boolean | undefined {
  const type = thinking?.word("type", ["enabled", "disabled", "adaptive", "auto"]);
  return type === undefined ? undefined : type !== "disabled";
}

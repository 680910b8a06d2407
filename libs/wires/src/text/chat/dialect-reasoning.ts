import { isRecord, memberOf } from "@modelgate/formats/json";
import { efforts, type Effort } from "../hub/request.ts";

/** Rules of a vendor for the reasoning of its models. */
export interface ReasoningRules {
  /** Accepted efforts, in ascending order. Absent if the vendor accepts all efforts. */
  readonly efforts?: readonly Effort[];
  /** True if `thinking: {type: "disabled"}` turns reasoning off. */
  readonly canStop?: true;
  /** True if a model that reasons refuses a forced tool. */
  readonly refusesForcedTools?: true;
}

/** Changes to the members of a request. */
interface MemberChanges {
  readonly values: Readonly<Record<string, unknown>>;
  readonly surplus: readonly string[];
  /** Names of lost fields, in the neutral form. */
  readonly dropped: readonly string[];
}

const noChanges: MemberChanges = { values: {}, surplus: [], dropped: [] };

/**
 * Fits the effort to what a model accepts: the next higher effort, or the highest. If the model refuses a forced tool
 * while it reasons, reasoning is turned off.
 */
export function fitReasoning(valueOf: (name: string) => unknown, rules: ReasoningRules | undefined): MemberChanges {
  if (rules === undefined) return noChanges;
  const effortName = valueOf("reasoning_effort");
  const effort = efforts.find((each) => each === effortName);
  const thinking = valueOf("thinking");
  const isOff = effort === "none" || memberOf(thinking, "type") === "disabled";
  const mustStop = rules.refusesForcedTools === true && forcesTool(valueOf("tool_choice"));
  if (rules.canStop === true && (isOff || mustStop)) {
    const isLoss = !isOff && (effort !== undefined || isRecord(thinking));
    return { values: { thinking: off }, surplus: ["reasoning_effort"], dropped: isLoss ? ["reasoning"] : [] };
  }
  const accepted = rules.efforts;
  if (effort === undefined || accepted === undefined || accepted.includes(effort)) return noChanges;
  const fitted = accepted.find((each) => efforts.indexOf(each) > efforts.indexOf(effort)) ?? accepted.at(-1);
  const dropped = ["reasoning"];
  return fitted === undefined
    ? { values: {}, surplus: ["reasoning_effort"], dropped }
    : { values: { reasoning_effort: fitted }, surplus: [], dropped };
}

const off = { type: "disabled" } as const;

function forcesTool(choice: unknown): boolean {
  return choice === "required" || isRecord(choice);
}

import { isRecord, type JsonRecord, spliceMembers, withoutMembers } from "@modelgate/formats/json";
import type { RequestedFees, RequestedTier, RequestedTool } from "./fees.ts";
import { memberOf } from "./pass.ts";

/** Members that a request may have only with tools. */
const choiceMembers = ["tool_choice", "toolConfig", "tool_config", "parallel_tool_calls"] as const;
/** Values of a tool choice that require the model to call a tool. */
const forcedChoice = /"(?:required|any|ANY)"/;

/** A request from which unpriced tools and tiers were removed. */
export interface LeftOut {
  readonly body: Buffer;
  readonly fees: RequestedFees | undefined;
  /** Paths of the removed tools and tiers, as the client spells them. */
  readonly dropped: readonly string[];
}

/** Removes tools and tiers without a price. Returns undefined if the request cannot do without such a tool or tier. */
export function withoutUnpriced(
  body: Buffer,
  fees: RequestedFees,
  isPriced: (tool: RequestedTool) => boolean,
  isTierPriced: (tier: RequestedTier) => boolean,
): LeftOut | undefined {
  const tools = fees.tools.filter((tool) => !isPriced(tool));
  const tiers = fees.tiers.filter((tier) => !isTierPriced(tier));
  // Tools in conversation items are not removed, because an item may be long and contain more than tools.
  if (tools.some(({ path }) => segmentsOf(path)[0] === "input")) return undefined;
  if (tiers.some(({ isRequired }) => isRequired)) return undefined;
  const dropped = [...tools, ...tiers].map(({ path }) => path);
  const remainingFees = {
    ...fees,
    tools: fees.tools.filter(isPriced),
    tiers: fees.tiers.filter(isTierPriced),
  };
  let reduced = withoutMembers(
    body,
    tiers.map(({ path }) => path),
  );
  const removed: unknown[] = [];
  for (const member of new Set(tools.map(({ path }) => segmentsOf(path)[0] ?? path))) {
    const paths = tools.flatMap(({ path }) => (segmentsOf(path)[0] === member ? [segmentsOf(path).slice(1)] : []));
    const remainingValue = withoutPaths(memberOf(reduced, member), paths, removed);
    reduced =
      remainingValue === undefined
        ? withoutMembers(reduced, [member])
        : spliceMembers(reduced, { [member]: JSON.stringify(remainingValue) });
  }
  if (isDemanded(reduced, removed)) return undefined;
  if (removed.length > 0 && isWithoutTools(reduced)) reduced = withoutMembers(reduced, choiceMembers);
  return {
    body: reduced,
    fees: remainingFees.tools.length + remainingFees.tiers.length === 0 ? undefined : remainingFees,
    dropped,
  };
}

/** Converts the path of a tool in a reduced body to the client's. `removed` has the client's paths of removed tools. */
export function pathBefore(path: string, removed: readonly string[]): string {
  const index = indexOfTool(path);
  if (index === undefined) return path;
  const earlier = removed.flatMap((each) => indexOfTool(each) ?? []).toSorted((left, right) => left - right);
  return `tools[${earlier.reduce((at, each) => (each <= at ? at + 1 : at), index)}]`;
}

function indexOfTool(path: string): number | undefined {
  const index = /^tools\[(\d+)\]$/.exec(path)?.[1];
  return index === undefined ? undefined : Number(index);
}

function segmentsOf(path: string): readonly string[] {
  return path.split(/[.[\]]+/).filter((segment) => segment !== "");
}

/**
 * Returns a value without the parts at some paths, and without containers that become empty. Adds these parts to
 * `removed`.
 */
function withoutPaths(value: unknown, paths: readonly (readonly string[])[], removed: unknown[]): unknown {
  if (paths.some((path) => path.length === 0)) {
    removed.push(value);
    return undefined;
  }
  if (paths.length === 0 || typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).flatMap(([name, each]: [string, unknown]) => {
    const inside = paths.flatMap(([step, ...rest]) => (step === name ? [rest] : []));
    if (inside.some((path) => path.length === 0)) removed.push({ [name]: each });
    const remainingValue = inside.some((path) => path.length === 0) ? undefined : withoutPaths(each, inside, removed);
    return remainingValue === undefined ? [] : [[name, remainingValue] as const];
  });
  if (Array.isArray(value)) return entries.length === 0 ? undefined : entries.map(([, each]) => each);
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

function isDemanded(body: Buffer, removed: readonly unknown[]): boolean {
  if (removed.length === 0) return false;
  const choice = choiceMembers.map((name) => memberOf(body, name)).filter((value) => value !== undefined);
  const text = JSON.stringify(choice);
  if (forcedChoice.test(text) && isWithoutTools(body)) return true;
  if (!choice.some(isRecord)) return false;
  return removed.flatMap(namesOf).some((name) => text.includes(JSON.stringify(name)));
}

function namesOf(tool: unknown): readonly string[] {
  const record: JsonRecord = Array.isArray(tool) || !isRecord(tool) ? {} : tool;
  const inner = Object.values(record).filter(isRecord);
  return [record, ...inner].flatMap(({ type, name }) => [type, name].filter((value) => typeof value === "string"));
}

function isWithoutTools(body: Buffer): boolean {
  return memberOf(body, "tools") === undefined;
}

import type { Outcome, Units } from "@modelgate/contracts";
import type { Bill } from "./bill.ts";
import type { CarriedAnswer } from "../answers/exchange.ts";
import type { Measure, Metered } from "./measure.ts";
import type { CallPlan } from "../call/plan.ts";
import type { Produced } from "./meter.ts";
import { countTokens, estimateTokens } from "./tokens.ts";

/**
 * What a stream used: the vendor's report, or what was counted of what came. A report that came before the last words of
 * a stream that was not whole is of its beginning: the output is counted then.
 */
export async function meter(plan: CallPlan, produced: Produced, outcome: Outcome): Promise<Metered> {
  if (plan.measure !== undefined)
    return produced.any ? measured(plan.measure, produced.usage, () => produced.outputTokens(), outcome) : nothing;
  const { usage } = produced;
  if (usage !== undefined && (outcome === "completed" || !produced.isReportStale))
    return { units: { requests: 1, ...usage }, estimated: false };
  if (!produced.any) return nothing;
  return { units: { requests: 1, ...(await unreported(plan, produced)) }, estimated: true };
}

/**
 * What a stream used that was ended before its vendor ended it: there is no last word. `most` is the bound of tokens
 * where the vendor wrote beyond it: what it wrote beyond is not billed.
 */
export async function meterCut(plan: CallPlan, produced: Produced, most?: number): Promise<Metered> {
  const units: Units = { requests: 1, ...(await unreported(plan, produced)) };
  if (most === undefined) return { units, estimated: true };
  const outputTokens = Math.min(units.outputTokens ?? 0, most);
  return { units: { ...units, outputTokens }, estimated: true, capped: ["outputTokens"] };
}

/** Units as far as they were reported, with the output that was counted. */
async function unreported(plan: CallPlan, produced: Produced): Promise<Units> {
  const counted = await produced.outputTokens();
  const { usage } = produced;
  if (usage === undefined) return await estimate(plan, counted);
  return { ...usage, outputTokens: Math.max(usage.outputTokens ?? 0, counted) };
}

/** What is certain of a call whose client left, and of which its vendor told nothing. */
export async function unitsOfLeft(plan: CallPlan, { expected }: Pick<Bill, "expected">): Promise<Units> {
  const units = await plan.measure?.left?.();
  return units === undefined ? expected.floorUnits : { requests: 1, ...units };
}

/** What a whole answer used. */
export async function meterWhole(plan: CallPlan, told: Units | undefined, answer: CarriedAnswer): Promise<Metered> {
  const words = (): Promise<number> => countTokens(answer.words());
  if (plan.measure !== undefined) return measured(plan.measure, told, words, "completed");
  return {
    units: { requests: 1, ...(told ?? (await estimate(plan, await words()))) },
    estimated: told === undefined,
  };
}

async function measured(measure: Measure, ...how: Parameters<Measure["meter"]>): Promise<Metered> {
  const { units, estimated } = await measure.meter(...how);
  return { units: { requests: 1, ...units }, estimated };
}

const nothing: Metered = { units: {}, estimated: true };

/** Units where the vendor reported none: the request's text counted, media at their bound. */
async function estimate({ body, size }: CallPlan, outputTokens: number): Promise<Units> {
  const text = size.textBytes === body.length ? body.toString() : "";
  const inputTokens = text === "" ? estimateTokens(size.textBytes) : await countTokens(text);
  return { inputTokens: inputTokens + size.mediaTokens, outputTokens };
}

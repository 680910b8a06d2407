import type { Outcome, Units } from "@modelgate/contracts";
import type { WholeAnswer } from "../answers/exchange.ts";
import type { Expectation } from "./expect.ts";
import type { CallCost, Measure, Metered, TextCost } from "./measure.ts";
import type { Meter } from "./meter.ts";
import { countTokens, estimateTokens } from "./tokens.ts";

/**
 * What a stream used: the vendor's report, or what was counted of what came. A report that came before the last words of
 * a stream that was not whole is of its beginning: the output is counted then.
 */
export async function meterStream(cost: CallCost, meter: Meter, outcome: Outcome): Promise<Metered> {
  if (cost.by === "measure")
    return meter.any ? measured(cost.measure, meter.usage, () => meter.outputTokens(), outcome) : nothing;
  const reported = reportedUsage(cost, meter, outcome);
  if (reported !== undefined) return reported;
  if (!meter.any) return nothing;
  return { units: { requests: 1, ...(await unreported(cost, meter)) }, estimated: true };
}

/** What the vendor reported of a text stream; undefined where it did not, or only of a stream's beginning. */
export function reportedUsage(cost: CallCost, meter: Meter, outcome: Outcome): Metered | undefined {
  const { usage } = meter;
  if (cost.by !== "text" || usage === undefined || (outcome !== "completed" && meter.isReportStale)) return undefined;
  return { units: { requests: 1, ...usage }, estimated: false };
}

/**
 * What a text stream used that was ended before its vendor ended it: there is no last word. `most` is the bound of tokens
 * where the vendor wrote beyond it: what it wrote beyond is not billed.
 */
export async function meterCut(cost: TextCost, meter: Meter, most?: number): Promise<Metered> {
  const units: Units = { requests: 1, ...(await unreported(cost, meter)) };
  if (most === undefined) return { units, estimated: true };
  const outputTokens = Math.min(units.outputTokens ?? 0, most);
  return { units: { ...units, outputTokens }, estimated: true, capped: ["outputTokens"] };
}

/** Units as far as they were reported, with the output that was counted. */
async function unreported(cost: TextCost, meter: Meter): Promise<Units> {
  const counted = await meter.outputTokens();
  const { usage } = meter;
  if (usage === undefined) return await estimate(cost, counted);
  return { ...usage, outputTokens: Math.max(usage.outputTokens ?? 0, counted) };
}

/** What is certain of a call whose client left, and of which its vendor reported nothing. */
export async function unitsOfLeft(cost: CallCost, expected: Expectation): Promise<Units> {
  const units = cost.by === "measure" ? await cost.measure.left?.() : undefined;
  return units === undefined ? expected.floorUnits : { requests: 1, ...units };
}

/** What a complete answer used. */
export async function meterWhole(cost: CallCost, answer: Pick<WholeAnswer, "usage" | "words">): Promise<Metered> {
  const { usage } = answer;
  const count = (): Promise<number> => countTokens(answer.words());
  if (cost.by === "measure") return measured(cost.measure, usage, count, "completed");
  return {
    units: { requests: 1, ...(usage ?? (await estimate(cost, await count()))) },
    estimated: usage === undefined,
  };
}

async function measured(measure: Measure, ...how: Parameters<Measure["meter"]>): Promise<Metered> {
  const { units, estimated } = await measure.meter(...how);
  return { units: { requests: 1, ...units }, estimated };
}

const nothing: Metered = { units: {}, estimated: true };

/** Units where the vendor reported none: the request's text counted, media at their bound. */
async function estimate({ body, size }: TextCost, outputTokens: number): Promise<Units> {
  const text = size.textBytes === body.length ? body.toString() : "";
  const inputTokens = text === "" ? estimateTokens(size.textBytes) : await countTokens(text);
  return { inputTokens: inputTokens + size.mediaTokens, outputTokens };
}

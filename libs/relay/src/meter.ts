import type { Units } from "@modelgate/contracts";
import type { CallPlan } from "./plan.ts";
import type { Produced } from "./produced.ts";
import { countTokens, estimateTokens } from "./tokens.ts";

/** What a stream used: the vendor's report, or what was counted of what came. */
export async function meter(
  plan: CallPlan,
  produced: Produced,
): Promise<{ readonly units: Units; readonly estimated: boolean }> {
  if (produced.usage !== undefined) return { units: { requests: 1, ...produced.usage }, estimated: false };
  if (!produced.any) return { units: {}, estimated: true };
  return { units: { requests: 1, ...(await estimate(plan, await produced.outputTokens())) }, estimated: true };
}

/** Units where the vendor reported none: the request's text counted, media at their bound. */
export async function estimate({ body, size }: CallPlan, outputTokens: number): Promise<Units> {
  const text = size.textBytes === body.length ? body.toString() : "";
  const inputTokens = text === "" ? estimateTokens(size.textBytes) : await countTokens(text);
  return { inputTokens: inputTokens + size.mediaTokens, outputTokens };
}

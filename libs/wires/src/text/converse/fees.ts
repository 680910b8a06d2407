import { isRecord, type JsonRecord } from "../../json/fields.ts";
import { askedFees, seenFees, tierIn, type AskedFees, type SeenFees } from "../fees.ts";

/** What a request asks of its vendor beside tokens: its service tier. Its tools are all the client's own. */
export function askedFeesOf({ serviceTier }: JsonRecord): AskedFees | undefined {
  const name = tierOf(serviceTier);
  return askedFees({ tools: [], tiers: name === undefined ? [] : [{ name, path: "serviceTier" }] });
}

/** What an answer, or a stream's last event, says of it. */
export function converseFees({ serviceTier }: JsonRecord): SeenFees | undefined {
  return seenFees({ tier: tierOf(serviceTier) });
}

function tierOf(tier: unknown): string | undefined {
  return isRecord(tier) ? tierIn(tier["type"]) : undefined;
}

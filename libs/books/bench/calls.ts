import { createHash } from "node:crypto";
import type { UsageEvent } from "@modelgate/contracts";

/** The month that the calls are spread over. */
export const month = { from: Date.parse("2026-01-01"), to: Date.parse("2026-01-31") };

interface Load {
  readonly most: number;
  readonly batch: number;
  /** How many of them are of one account, "many"; the others are of 200 accounts. */
  readonly receipts: number;
}

/** Batches of calls as a busy month has them, in the order of time; the same on every run. */
export function* makeCalls({ most, batch, receipts }: Load): Generator<readonly UsageEvent[]> {
  const chance = dice();
  const every = Math.max(2, Math.floor(most / receipts));
  const numbers = new Map<string, { number: number; hash: string }>();
  for (let from = 0; from < most; from += batch)
    yield Array.from({ length: Math.min(batch, most - from) }, (_, at) => makeCall(from + at));

  function makeCall(at: number): UsageEvent {
    const account = at % every === 0 ? "many" : `account-${chance(200)}`;
    const last = numbers.get(account) ?? { number: 0, hash: "" };
    const receipt = {
      number: last.number + 1,
      previous: last.hash,
      hash: createHash("sha1").update(String(at)).digest("hex"),
    };
    numbers.set(account, receipt);
    const failed = chance(50) === 0;
    // A token uses two models, and a model has two channels.
    const token = chance(3);
    const model = ((account.length * 31 + account.charCodeAt(account.length - 1) * 7 + token) % 9) + chance(2);
    return {
      id: `call_${at.toString(36).padStart(20, "0")}`,
      time: new Date(month.from + Math.floor((at / most) * (month.to - month.from))).toISOString(),
      requestId: `req_${createHash("md5").update(String(at)).digest("hex").slice(0, 24)}`,
      accountId: account,
      tokenId: `tok_${account}_${token}`,
      group: "default",
      area: "text",
      endpoint: "POST /v1/chat/completions",
      model: chance(20_000) === 0 ? "seldom" : `model-${model}`,
      upstreamModel: "gpt-5-mini-2026-01-01",
      channelId: `channel-${(model + chance(2)) % 6}`,
      status: failed ? (chance(10) === 0 ? 429 : 502) : 200,
      outcome: failed ? "failed" : "completed",
      units: { inputTokens: chance(4_000), cachedInputTokens: chance(2_000), outputTokens: chance(1_000), requests: 1 },
      estimated: false,
      multiplier: 1,
      latencyMs: chance(20_000),
      firstByteMs: chance(800),
      attempts: 1,
      priceVersion: "p_5f2a9c01",
      costNanos: String(chance(90_000_000)),
      receipt: { number: receipt.number, previous: receipt.previous, balanceNanos: "123456789012", hash: receipt.hash },
    };
  }
}

/** Numbers below a bound, the same on every run. */
function dice(): (below: number) => number {
  let state = 0x2545f491;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}

import { Failure } from "@modelgate/contracts";
import type { Admission, TokenLimits } from "./admit.ts";

type Words = Readonly<Record<"requests" | "tokens" | "concurrency", (limits: TokenLimits) => string>>;

const limited: Words = {
  requests: ({ requestsPerMinute = 0 }) => `This key is limited to ${requestsPerMinute} requests per minute.`,
  tokens: ({ tokensPerMinute = 0 }) =>
    `This key is limited to ${tokensPerMinute} tokens per minute, and they are used up for now.`,
  concurrency: ({ concurrency = 0 }) => `This key is limited to ${concurrency} calls at the same time.`,
};

/** Why a call was not let in, in words for its client; undefined where it was. */
export function refusalOf(admission: Admission, limits: TokenLimits, tokenId: string): Failure | undefined {
  const { decision, retryAfterMs } = admission;
  if (decision === "admitted") return undefined;
  if (decision === "balance") return new Failure("insufficient_quota", "The account's balance is exhausted.");
  if (decision === "no-account")
    return new Failure("account_disabled", `The account of this key (${tokenId}) no longer exists.`);
  return new Failure("rate_limit_exceeded", limited[decision](limits), {
    retryAfterSeconds: Math.max(1, Math.ceil(retryAfterMs / 1_000)),
  });
}

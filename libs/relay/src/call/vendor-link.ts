import { Failure } from "@modelgate/contracts";
import { readText } from "@modelgate/channels";
import type { VendorRequest } from "@modelgate/providers";
import type { Delivery } from "./deliver.ts";
import type { Exchange, VendorLink } from "../answers/exchange.ts";
import { requestFor } from "./send.ts";
import { collect } from "../answers/whole-answer.ts";

/** How much of an error answer is read. */
const errorBodyBytes = 64 * 1024;

/** A way back to the vendor whose answer is being delivered, under the same key. */
export function vendorLink(
  { deps, call, plan, attempted, signal }: Pick<Delivery, "deps" | "call" | "plan" | "attempted" | "signal">,
  exchange: Pick<Exchange, "wire" | "headers">,
): VendorLink {
  const { candidate, key, provider } = attempted.way;
  const { baseUrl, timeoutMs } = candidate.channel;

  async function exchanged(request: VendorRequest): Promise<Buffer> {
    const answer = await reach(deps.channels.transport.send({ ...request, timeoutMs }, signal));
    if (answer.status < 300) return collect(answer, deps.limits.answerBytes, deps.budget);
    const { code, say } = provider.failureOf(answer.status, await readText(answer, errorBodyBytes));
    throw new Failure(code, say);
  }

  return {
    origin: new URL(baseUrl).origin,
    signal,
    async look(task) {
      const { requestId } = call;
      const { wire } = exchange;
      const asked = { act: "poll", baseUrl, key: key.secret, nowMs: Date.now(), requestId, wire, task } as const;
      return await exchanged(provider.request(asked));
    },
    ask: (body) => exchanged(requestFor(call, plan, attempted.way, { ...exchange, body, asksStream: false })),
  };
}

async function reach<Answer>(sent: Promise<Answer>): Promise<Answer> {
  try {
    return await sent;
  } catch (cause) {
    throw new Failure("upstream_error", "The vendor cannot be asked anything more about this call.", { cause });
  }
}

import { Failure } from "@modelgate/contracts";
import { readText } from "@modelgate/channels";
import { providers } from "@modelgate/providers";
import type { Delivery } from "./deliver.ts";
import type { Exchange, VendorLink } from "./exchange.ts";
import { collect } from "./whole-answer.ts";

/** How much of an error answer is read. */
const errorBodyBytes = 64 * 1024;

/** A way back to the vendor whose answer is being delivered, under the same key. */
export function vendorLink(
  { deps, call, attempted, signal }: Pick<Delivery, "deps" | "call" | "attempted" | "signal">,
  { wire }: Pick<Exchange, "wire">,
): VendorLink {
  const { candidate, key } = attempted.way;
  const { baseUrl, provider: name, timeoutMs } = candidate.channel;
  return {
    host: new URL(baseUrl).hostname.replace(/^\[|\]$/g, ""),
    signal,
    async look(task) {
      const provider = providers[name];
      const url = provider?.taskAddress?.({ baseUrl, task });
      if (provider === undefined || url === undefined)
        throw new Failure("upstream_error", "The vendor answered with a task where it has none.");
      const headers = {
        accept: "application/json",
        "accept-encoding": "identity",
        "x-request-id": call.requestId,
        ...provider.headers({ key: key.secret, wire }),
      };
      const answer = await reach(deps.channels.transport.send({ url, method: "GET", headers, timeoutMs }, signal));
      if (answer.status < 300) return collect(answer, deps.limits.answerBytes, deps.budget);
      const { code, say } = provider.failureOf(answer.status, await readText(answer, errorBodyBytes));
      throw new Failure(code, say);
    },
  };
}

async function reach<Answer>(sent: Promise<Answer>): Promise<Answer> {
  try {
    return await sent;
  } catch (cause) {
    throw new Failure("upstream_error", "The vendor cannot be asked how its task stands.", { cause });
  }
}

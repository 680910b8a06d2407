import { Failure } from "@modelgate/contracts";
import { hostOf, readText, type UpstreamRequest } from "@modelgate/channels";
import { providers } from "@modelgate/providers";
import type { Delivery } from "./deliver.ts";
import type { Exchange, VendorLink } from "./exchange.ts";
import { requestFor } from "./send.ts";
import { collect } from "./whole-answer.ts";

/** How much of an error answer is read. */
const errorBodyBytes = 64 * 1024;

/** A way back to the vendor whose answer is being delivered, under the same key. */
export function vendorLink(
  { deps, call, plan, attempted, signal }: Pick<Delivery, "deps" | "call" | "plan" | "attempted" | "signal">,
  exchange: Pick<Exchange, "wire" | "headers">,
): VendorLink {
  const { candidate, key } = attempted.way;
  const { baseUrl, provider: name, timeoutMs } = candidate.channel;
  const provider = providers[name];

  async function exchanged(request: Omit<UpstreamRequest, "timeoutMs">): Promise<Buffer> {
    const answer = await reach(deps.channels.transport.send({ ...request, timeoutMs }, signal));
    if (answer.status < 300) return collect(answer, deps.limits.answerBytes, deps.budget);
    const { code, say } = (provider ?? unknown(name)).failureOf(answer.status, await readText(answer, errorBodyBytes));
    throw new Failure(code, say);
  }

  return {
    host: hostOf(new URL(baseUrl)),
    signal,
    async look(task) {
      const url = provider?.taskAddress?.({ baseUrl, task });
      if (provider === undefined || url === undefined)
        throw new Failure("upstream_error", "The vendor answered with a task where it has none.");
      const headers = {
        accept: "application/json",
        "accept-encoding": "identity",
        "x-request-id": call.requestId,
        ...provider.headers({ key: key.secret, wire: exchange.wire }),
      };
      return await exchanged({ url, method: "GET", headers });
    },
    ask: (body) =>
      exchanged(
        requestFor(call, plan, attempted.way, provider ?? unknown(name), { ...exchange, body, asksStream: false }),
      ),
  };
}

function unknown(name: string): never {
  throw new Error(`${name} is no provider`);
}

async function reach<Answer>(sent: Promise<Answer>): Promise<Answer> {
  try {
    return await sent;
  } catch (cause) {
    throw new Failure("upstream_error", "The vendor cannot be asked anything more about this call.", { cause });
  }
}

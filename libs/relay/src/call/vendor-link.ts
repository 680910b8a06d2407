import { Failure } from "@modelgate/contracts";
import { readText, type WireRoute } from "@modelgate/channels";
import { signed, type VendorRequest } from "@modelgate/providers";
import type { Exchange, VendorLink } from "../answers/exchange.ts";
import type { AnswerHead } from "../answers/stream-reader.ts";
import { collect } from "../answers/whole-answer.ts";
import type { RelayDeps } from "../deps.ts";
import type { RelayedCall, VendorCall } from "./plan.ts";
import { requestFor } from "./send.ts";

/** How much of an error answer is read. */
const errorBodyBytes = 64 * 1024;

/** What a way back to a vendor is opened with. */
export interface LinkDeps extends Pick<RelayDeps, "budget" | "limits"> {
  readonly channels: Pick<RelayDeps["channels"], "transport">;
}

/** Opens a way back to the vendor that has answered an exchange, under the same key; `signal` ends what is under way. */
export function vendorLink(
  { channels, limits, budget }: LinkDeps,
  call: Pick<RelayedCall, "requestId">,
  forward: VendorCall["forward"],
  {
    route,
    exchange,
    signal,
  }: {
    readonly route: WireRoute;
    readonly exchange: Pick<Exchange, "wire" | "headers">;
    readonly signal: AbortSignal;
  },
): VendorLink {
  const { candidate, key, provider } = route;
  const { baseUrl, timeoutMs } = candidate.channel;

  async function answerTo(request: VendorRequest): Promise<AnswerHead & { readonly bytes: Buffer }> {
    const signing = signed(provider, request, { baseUrl, key: key.secret, nowMs: Date.now() });
    const answer = await reach(signing.then((whole) => channels.transport.send({ ...whole, timeoutMs }, signal)));
    const { headers } = answer;
    if (answer.status < 300) return { headers, bytes: await collect(answer, limits.answerBytes, budget) };
    const { code, say } = provider.failureOf(answer.status, await readText(answer, errorBodyBytes));
    throw new Failure(code, say);
  }

  return {
    origin: new URL(baseUrl).origin,
    signal,
    async poll(task) {
      const { requestId } = call;
      const { wire } = exchange;
      const poll = { act: "poll", baseUrl, key: key.secret, nowMs: Date.now(), requestId, wire, task } as const;
      return (await answerTo(provider.request(poll))).bytes;
    },
    send: (body) => answerTo(requestFor(call, forward, route, { ...exchange, body, streams: false })),
  };
}

async function reach<Answer>(sent: Promise<Answer>): Promise<Answer> {
  try {
    return await sent;
  } catch (cause) {
    throw new Failure("upstream_error", "The vendor cannot be asked anything more about this call.", { cause });
  }
}

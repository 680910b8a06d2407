import { AttemptsFailed, type UpstreamAnswer, type WireRoute } from "@modelgate/channels";
import { Failure, type UpstreamWire } from "@modelgate/contracts";
import { readAnswer } from "./answers/read-answer.ts";
import { attemptVendors, requestFor } from "./attempt.ts";
import type { Call, ServingModel } from "./call.ts";
import type { CallDeps, RelayDeps } from "./deps.ts";
import type { Exchange } from "./answers/exchange.ts";
import type { Plan } from "./kind.ts";

/** A free request to a vendor. */
export interface VendorQuery extends Pick<ServingModel, "model">, Pick<Plan, "forward" | "prefer" | "wires"> {
  exchange(route: WireRoute): Promise<Exchange>;
}

/**
 * Sends a free request to a vendor, for example to count tokens. There is no hold and no usage event. Returns the
 * vendor's complete answer. Throws Failure.
 */
export async function queryVendor(
  deps: Pick<CallDeps, "budget" | "catalog" | "channels" | "limits" | "newCallId">,
  call: Pick<Call, "caller" | "ending" | "requestId" | "span">,
  query: VendorQuery,
): Promise<Buffer> {
  const { model, wires, prefer, forward } = query;
  const { limits, budget } = deps;
  try {
    using attempted = await attemptVendors<Buffer, UpstreamWire>(deps, call, {
      callId: deps.newCallId(),
      model,
      wires,
      prefer,
      signal: call.ending,
      async prepare(route) {
        const exchange = await query.exchange(route);
        return {
          request: requestFor(call, forward, route, exchange),
          async accept(answer: UpstreamAnswer) {
            const reader = exchange.read(answer);
            if (reader.kind === "complete") return (await readAnswer(answer, reader, limits.answerBytes, budget)).body;
            answer.abort();
            throw new Failure(
              "upstream_error",
              "The vendor answered with a stream, which this request does not expect.",
            );
          },
        };
      },
    });
    return attempted.accepted;
  } catch (error) {
    throw error instanceof AttemptsFailed ? error.failure : error;
  }
}

/** Returns true if any channel of a model supports one of the wires. */
export function isSupported(
  deps: RelayDeps,
  call: Pick<Call, "caller">,
  { model, wires }: Pick<VendorQuery, "model" | "wires">,
): boolean {
  return deps.catalog
    .current()
    .candidates(model.name, call.caller.group)
    .some((candidate) => deps.channels.supportedWires.supportsAny(candidate, wires));
}

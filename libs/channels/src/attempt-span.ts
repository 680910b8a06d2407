import { startSpan, type Span } from "@modelgate/platform";
import { hostOf } from "./host-of.ts";
import type { Route } from "./route.ts";
import { providerNameOf } from "./provider-name.ts";

/** Begins the span of one attempt at a vendor, in the words of OpenTelemetry's conventions for generative AI. */
export function attemptSpan(parent: Span | undefined, model: string, { candidate }: Route): Span {
  const { channel, upstreamModel } = candidate;
  return startSpan({
    name: `call ${model}`,
    kind: "client",
    parent: parent?.traceparent,
    attributes: () => ({
      "gen_ai.provider.name": providerNameOf(channel.provider),
      "gen_ai.request.model": upstreamModel,
      "server.address": URL.canParse(channel.baseUrl) ? hostOf(new URL(channel.baseUrl)) : undefined,
      "modelgate.channel": channel.id,
    }),
  });
}

import type { Logger, Redis } from "@modelgate/platform";
import { openAffinity, type Affinity } from "./affinity.ts";
import { openAttempts, type AttemptLimits, type Attempts } from "./attempt.ts";
import { openGate } from "./gate.ts";
import { openHealth } from "./health.ts";
import { SpokenWires } from "./spoken-wires.ts";
import { openTransport, type Transport } from "./transport.ts";

/** All that a service needs to reach vendors. */
export interface Channels extends AsyncDisposable {
  readonly attempts: Attempts;
  readonly affinity: Affinity;
  readonly transport: Transport;
  readonly spoken: SpokenWires;
}

/** Opens transport, health and gate of a process. */
export async function openChannels({
  redis,
  log,
  limits,
  affinityMs,
  leaseMs,
}: {
  redis: Redis;
  log: Logger;
  limits: AttemptLimits;
  /** How long a conversation's channel is remembered after its last call. */
  affinityMs: number;
  /** Lease of a seat of a channel or key. */
  leaseMs: number;
}): Promise<Channels> {
  const transport = openTransport();
  const health = await openHealth({ redis, log });
  const gate = openGate({ redis, log, health, leaseMs });
  const spoken = new SpokenWires();
  return {
    transport,
    spoken,
    affinity: openAffinity({ redis, log, lifetimeMs: affinityMs }),
    attempts: openAttempts({ transport, health, gate, spoken, limits }),
    async [Symbol.asyncDispose]() {
      await transport[Symbol.asyncDispose]();
      await health[Symbol.asyncDispose]();
      await gate[Symbol.asyncDispose]();
    },
  };
}

import type { Logger, Redis } from "@modelgate/platform";
import { openAffinity, type Affinity } from "./affinity.ts";
import { openAttempts, type AttemptLimits, type Attempts } from "./attempt.ts";
import { openGate } from "./gate.ts";
import { openHealth } from "./health.ts";
import { Speeds } from "./speeds.ts";
import { SupportedWires } from "./supported-wires.ts";
import { openTransport, type Transport } from "./transport.ts";

/** Objects that a service needs to send calls to vendors. */
export interface Channels extends AsyncDisposable {
  readonly attempts: Attempts;
  readonly affinity: Affinity;
  readonly transport: Transport;
  readonly supportedWires: SupportedWires;
}

/** Opens all objects of `Channels`. */
export async function openChannels({
  redis,
  log,
  limits,
  affinityMs,
  leaseMs,
  fastestDecayMs,
}: {
  redis: Redis;
  log: Logger;
  limits: AttemptLimits;
  /** Time after a conversation's last call for which its route is remembered. */
  affinityMs: number;
  /** Time after which the concurrency seats of a dead process are free again. */
  leaseMs: number;
  /** Time constant, in ms, of the exponential decay of measured speeds. */
  fastestDecayMs: number;
}): Promise<Channels> {
  const transport = openTransport();
  const health = await openHealth({ redis, log });
  const speeds = new Speeds(fastestDecayMs);
  const gate = openGate({ redis, log, health, leaseMs });
  const supportedWires = new SupportedWires();
  return {
    transport,
    supportedWires,
    affinity: openAffinity({ redis, log, lifetimeMs: affinityMs }),
    attempts: openAttempts({ transport, health, gate, supportedWires, speeds, limits }),
    async [Symbol.asyncDispose]() {
      await transport[Symbol.asyncDispose]();
      await health[Symbol.asyncDispose]();
      await gate[Symbol.asyncDispose]();
    },
  };
}

import { idSource, type Environment, type Logger } from "@modelgate/platform";
import { openRelay, type OpenRelay } from "@modelgate/relay";
import type { variables } from "./env.ts";

/** Every bound of a session's life, in milliseconds and bytes. */
export interface SessionLimits {
  readonly sessions: number;
  readonly messageBytes: number;
  readonly eventBytes: number;
  readonly eventValues: number;
  readonly eventMembers: number;
  readonly bufferedBytes: number;
  /** Requests for a response that may wait for money. */
  readonly waitingResponses: number;
  readonly stallMs: number;
  readonly pingMs: number;
  readonly idleMs: number;
  readonly longestMs: number;
  readonly firstEventMs: number;
  readonly lastUsageMs: number;
  readonly drainMs: number;
}

/** What a session puts aside for its next response. */
export interface SliceSize {
  readonly audioSeconds: number;
  readonly textTokens: number;
}

/** What sessions are run with; opened once, handed down. */
export interface Deps extends OpenRelay {
  readonly limits: SessionLimits;
  readonly slice: SliceSize;
  readonly newSessionId: () => string;
}

/** What the end of the process leaves for settlements after the last session was told to go. */
const settlementMs = 1_500;

/** Opens everything once. */
export async function openDeps(env: Environment<typeof variables>, log: Logger): Promise<Deps> {
  const open = await openRelay(env, log);
  // Whoever is told to go at the end of a drain must still be settled within it.
  const lastUsageMs = Math.min(env.LAST_USAGE_MS, Math.max(0, env.DRAIN_MS - settlementMs));
  return {
    ...open,
    limits: {
      sessions: env.SESSIONS,
      messageBytes: env.MESSAGE_BYTES,
      eventBytes: env.EVENT_BYTES,
      eventValues: env.EVENT_VALUES,
      eventMembers: env.EVENT_MEMBERS,
      bufferedBytes: env.BUFFERED_BYTES,
      waitingResponses: env.WAITING_RESPONSES,
      stallMs: env.STALL_MS,
      pingMs: env.PING_MS,
      idleMs: env.IDLE_MS,
      longestMs: env.LONGEST_MS,
      firstEventMs: env.FIRST_EVENT_MS,
      lastUsageMs,
      drainMs: Math.max(0, env.DRAIN_MS - lastUsageMs - settlementMs),
    },
    slice: { audioSeconds: env.HOLD_AUDIO_SECONDS, textTokens: env.HOLD_TEXT_TOKENS },
    newSessionId: idSource("session"),
  };
}

import { Command, type Redis } from "ioredis";
import type { Logger } from "./log.ts";
import { OpenList, type Listed } from "./open-list.ts";

/** Pause between two PINGs to a Redis that was too slow. */
const pingMs = 200;
/** Steps that a command's time-out is counted in. */
const steps = 10;

/** A command on its way, and the step that it was sent in. */
interface SentCommand {
  readonly command: Command;
  readonly step: number;
  /** Among those that are not answered. */
  listed: Listed | undefined;
}

/**
 * Sets the time-out of a connection's commands, and its circuit breaker. A command without an answer within `timeoutMs`
 * is rejected. If no command was answered in that time, the breaker opens: every further command is rejected at once,
 * until Redis answers a PING in time. A slow Redis is then handled like one that is down, and no queue builds up. Time
 * is counted in steps. A step ends only after the data that Redis has sent was read: otherwise a busy process, such as
 * one that starts with hundreds of calls, would count its own delay as that of Redis.
 */
export function breakWhenSlow(redis: Redis, log: Logger, timeoutMs: number): void {
  const send = redis.sendCommand.bind(redis);
  const open = new OpenList<SentCommand>();
  let step = 0;
  let answeredAt = 0;
  let broken = false;
  const clock = new StepClock(timeoutMs / steps, endStep);

  function endStep(): void {
    step++;
    for (const sent of open) {
      // In the order of sending: those behind it are younger.
      if (step - sent.step < steps) break;
      sent.listed?.remove();
      sent.command.reject(new Error("Command timed out"));
      if (step - answeredAt >= steps) openBreaker();
    }
    if (open.size > 0) clock.run();
  }

  function openBreaker(): void {
    if (broken) return;
    broken = true;
    log.warn("redis is slow: commands are refused until it answers in time");
    void untilAnswered();
  }

  async function untilAnswered(): Promise<void> {
    while (broken) {
      await new Promise((resolve) => setTimeout(resolve, pingMs).unref());
      // A connection that is away refuses by itself: the breaker has nothing to add.
      broken = redis.status === "ready" && !(await answers());
    }
    log.info("redis is no longer slow");
  }

  /** A PING past the breaker. */
  function answers(): Promise<boolean> {
    return Promise.resolve(watched(new Command("ping", [], { replyEncoding: "utf8" }))).then(
      () => true,
      () => false,
    );
  }

  function watched(command: Command, stream?: Parameters<typeof send>[1]): ReturnType<typeof send> {
    const sent: SentCommand = { command, step, listed: undefined };
    sent.listed = open.add(sent);
    const settled = (): void => {
      if (sent.listed?.remove() !== true) return;
      answeredAt = step;
      if (open.size === 0) clock.stop();
    };
    command.promise.then(settled, settled);
    clock.run();
    return send(command, stream);
  }

  redis.sendCommand = (command, stream) => {
    if (!broken) return watched(command, stream);
    command.reject(new Error("redis is slow: refused until it answers in time"));
    return command.promise;
  };
}

/** Counts one step at a time, while something waits: a process at rest is not woken for it. */
class StepClock {
  readonly #stepMs: number;
  readonly #ended: () => void;
  #timer: NodeJS.Timeout | undefined;
  #soon: NodeJS.Immediate | undefined;

  constructor(stepMs: number, ended: () => void) {
    this.#stepMs = stepMs;
    this.#ended = ended;
  }

  /** Begins a step, unless one runs. */
  run(): void {
    // Timers come before what has arrived, immediates after it.
    this.#timer ??= setTimeout(() => (this.#soon = setImmediate(() => this.#end())), this.#stepMs);
  }

  stop(): void {
    clearTimeout(this.#timer);
    clearImmediate(this.#soon);
    this.#timer = undefined;
  }

  #end(): void {
    this.#timer = undefined;
    this.#ended();
  }
}

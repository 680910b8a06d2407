import { Command, type Redis } from "ioredis";
import type { Logger } from "./log.ts";
import { OpenList, type Listed } from "./open-list.ts";

/** Pause between two PINGs to a Redis that was too slow, in ms. */
const pingMs = 200;
/** Number of steps in which a command's timeout is counted. */
const steps = 10;

/** A sent command, and the step in which it was sent. */
interface SentCommand {
  readonly command: Command;
  readonly step: number;
  /** Entry in the list of unanswered commands. */
  listed: Listed | undefined;
}

/**
 * Adds a timeout to a connection's commands, and a circuit breaker. A command without an answer within `timeoutMs` is
 * rejected. If no command was answered in that time, the breaker opens: every further command is rejected immediately
 * until Redis answers a PING in time. A slow Redis is then handled like an unavailable one, and no queue grows. Time is
 * counted in steps. A step ends only after the data that Redis has sent was read. Otherwise a busy process, for example
 * one that starts with hundreds of calls, would mistake its delay for that of Redis.
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
      // The list is in the order of sending: all later commands are younger.
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
      // A closed connection rejects commands without the breaker.
      broken = redis.status === "ready" && !(await answers());
    }
    log.info("redis is no longer slow");
  }

  /** Sends a PING that bypasses the breaker. */
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

/** Counts one step at a time while commands wait; an idle process is not woken. */
class StepClock {
  readonly #stepMs: number;
  readonly #ended: () => void;
  #timer: NodeJS.Timeout | undefined;
  #soon: NodeJS.Immediate | undefined;

  constructor(stepMs: number, ended: () => void) {
    this.#stepMs = stepMs;
    this.#ended = ended;
  }

  /** Begins a step, unless one is running. */
  run(): void {
    // Timers run before arrived data is read, immediates after it.
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

import { Command, type Redis } from "ioredis";
import type { Logger } from "./log.ts";
import { OpenList, type Listed } from "./open-list.ts";

/** Pause in ms between two PINGs while the breaker is open. */
const pingMs = 200;
/** Number of steps into which a command's timeout is divided. */
const stepsPerTimeout = 10;

/** A sent command, and the number of the step in which it was sent. */
interface SentCommand {
  readonly command: Command;
  readonly step: number;
  /** Entry in the list of commands without an answer. */
  listed: Listed | undefined;
}

/**
 * Adds a timeout to the commands of a connection, and a circuit breaker. A command without an answer within `timeoutMs`
 * is rejected. If no command was answered in that time, the breaker opens: every further command is rejected
 * immediately until Redis answers a PING in time. A slow Redis is thus handled like an unavailable one, and no queue
 * grows.
 *
 * The time is counted in steps. A step ends only after the data that has arrived from Redis was read. Otherwise a busy
 * process, for example one that starts with hundreds of calls, would mistake its own delay for a delay of Redis.
 */
export function addTimeoutAndBreaker(redis: Redis, log: Logger, timeoutMs: number): void {
  const send = redis.sendCommand.bind(redis);
  const openCommands = new OpenList<SentCommand>();
  let step = 0;
  let answeredAt = 0;
  let isBroken = false;
  const clock = new StepClock(timeoutMs / stepsPerTimeout, endStep);

  function endStep(): void {
    step++;
    for (const sent of openCommands) {
      // The list is in the order of sending, so all further commands were sent later.
      if (step - sent.step < stepsPerTimeout) break;
      sent.listed?.remove();
      sent.command.reject(new Error("Command timed out"));
      if (step - answeredAt >= stepsPerTimeout) openBreaker();
    }
    if (openCommands.size > 0) clock.run();
  }

  function openBreaker(): void {
    if (isBroken) return;
    isBroken = true;
    log.warn("redis is slow: commands are refused until it answers in time");
    void untilAnswered();
  }

  async function untilAnswered(): Promise<void> {
    while (isBroken) {
      await new Promise((resolve) => setTimeout(resolve, pingMs).unref());
      // While the connection is closed, ioredis itself rejects commands.
      isBroken = redis.status === "ready" && !(await answers());
    }
    log.info("redis is no longer slow");
  }

  /** Sends a PING past the breaker. Returns whether it was answered in time. */
  function answers(): Promise<boolean> {
    return Promise.resolve(watched(new Command("ping", [], { replyEncoding: "utf8" }))).then(
      () => true,
      () => false,
    );
  }

  function watched(command: Command, stream?: Parameters<typeof send>[1]): ReturnType<typeof send> {
    const sent: SentCommand = { command, step, listed: undefined };
    sent.listed = openCommands.add(sent);
    const settled = (): void => {
      if (sent.listed?.remove() !== true) return;
      answeredAt = step;
      if (openCommands.size === 0) clock.stop();
    };
    command.promise.then(settled, settled);
    clock.run();
    return send(command, stream);
  }

  redis.sendCommand = (command, stream) => {
    if (!isBroken) return watched(command, stream);
    command.reject(new Error("redis is slow: refused until it answers in time"));
    return command.promise;
  };
}

/** Counts steps while commands wait for an answer. It sets no timer in an idle process. */
class StepClock {
  readonly #stepMs: number;
  readonly #ended: () => void;
  #timer: NodeJS.Timeout | undefined;
  #soon: NodeJS.Immediate | undefined;

  constructor(stepMs: number, ended: () => void) {
    this.#stepMs = stepMs;
    this.#ended = ended;
  }

  /** Starts a step, unless one is running. */
  run(): void {
    // In an iteration of the event loop, timers run before arrived data is read, and immediates after it.
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

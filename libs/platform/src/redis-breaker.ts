import { Command, type Redis } from "ioredis";
import type { Logger } from "./log.ts";
import { OpenList, type ListEntry } from "./open-list.ts";

const pingMs = 200;
/** Number of PINGs without an answer after which the connection is replaced. A host that has vanished never closes it. */
const maxUnansweredPings = 4;
const stepsPerTimeout = 10;

interface SentCommand {
  readonly command: Command;
  readonly step: number;
  listed: ListEntry | undefined;
}

/**
 * Adds a timeout and a circuit breaker to the commands of a connection. If no command was answered within `timeoutMs`,
 * all commands are rejected until Redis answers a PING. If it answers none, the connection is replaced. A delay of this
 * process is not counted as a delay of Redis.
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
      // All further commands were sent later.
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
    for (let unanswered = 0; isBroken && unanswered < maxUnansweredPings; unanswered++) {
      await new Promise((resolve) => setTimeout(resolve, pingMs).unref());
      // While the connection is closed, ioredis itself rejects commands.
      isBroken = redis.status === "ready" && !(await isAnswering());
    }
    if (isBroken) {
      isBroken = false;
      return void redis.stream.destroy(new Error("Redis does not answer"));
    }
    log.info("redis is no longer slow");
  }

  /** Sends a PING even if the breaker is open. Returns whether it was answered in time. */
  function isAnswering(): Promise<boolean> {
    return Promise.resolve(sendWatched(new Command("ping", [], { replyEncoding: "utf8" }))).then(
      () => true,
      () => false,
    );
  }

  function sendWatched(command: Command, stream?: Parameters<typeof send>[1]): ReturnType<typeof send> {
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
    if (!isBroken) return sendWatched(command, stream);
    command.reject(new Error("redis is slow: refused until it answers in time"));
    return command.promise;
  };
}

/** Counts steps while commands wait for an answer. */
class StepClock {
  readonly #stepMs: number;
  readonly #ended: () => void;
  #timer: NodeJS.Timeout | undefined;
  #soon: NodeJS.Immediate | undefined;

  constructor(stepMs: number, ended: () => void) {
    this.#stepMs = stepMs;
    this.#ended = ended;
  }

  run(): void {
    // In an iteration of the event loop, immediates run after arrived data is read.
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

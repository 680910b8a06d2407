import { Command, type Redis } from "ioredis";
import type { Logger } from "./log.ts";

/** Pause between two looks whether a Redis that was too slow answers again. */
const lookMs = 200;

/**
 * A circuit breaker: once a command was not answered within its time, every command that follows is refused at once
 * instead of waiting as long, until Redis answers a PING within the same time. A slow Redis is so no worse than one that
 * is away: whatever needs it is told within one command's time-out, and nothing piles up.
 */
export function breakWhenSlow(redis: Redis, log: Logger): void {
  const send = redis.sendCommand.bind(redis);
  let broken = false;

  async function untilAnswered(): Promise<void> {
    while (broken) {
      await new Promise((resolve) => setTimeout(resolve, lookMs).unref());
      // A connection that is away refuses by itself: the breaker has nothing to add.
      broken = redis.status === "ready" && !(await answers());
    }
    log.info("redis is no longer slow");
  }

  /** A PING past the breaker. */
  function answers(): Promise<boolean> {
    return Promise.resolve(send(new Command("ping", [], { replyEncoding: "utf8" }))).then(
      () => true,
      () => false,
    );
  }

  redis.sendCommand = (command, stream) => {
    if (broken) {
      command.reject(new Error("redis is slow: refused until it answers in time"));
      return command.promise;
    }
    command.promise.catch((error: unknown) => {
      if (broken || !isTimeout(error)) return;
      broken = true;
      log.warn("redis is slow: commands are refused until it answers in time");
      void untilAnswered();
    });
    return send(command, stream);
  };
}

/** How ioredis says that a command's time is over. */
function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.message === "Command timed out";
}

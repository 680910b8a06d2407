import { pino, type Logger } from "pino";
import { once } from "./memo.ts";

export type { Logger } from "pino";

/** Lines are written in blocks of this many bytes, or after `flushMs`: a synchronous write costs 60–100 µs. */
const blockBytes = 8_192;
const flushMs = 250;
/** Maximum ms that shutdown waits for the reader of the log, which may have ended. */
const lastLinesMs = 1_000;

/**
 * Names of members that could contain a secret, at the top of a line or among headers; their values are replaced before
 * a line is built. Wildcards are avoided because they would cost a tenth of a request's time.
 */
const secretNames = [
  "authorization",
  "cookie",
  "key",
  "keys",
  "secret",
  "password",
  "x-api-key",
  "x-goog-api-key",
  "x-gamma-api-key",
];
const secretPaths = secretNames.flatMap((name) => [`["${name}"]`, `headers["${name}"]`]);

/** Matches API keys of the gateway and of vendors anywhere in a line. */
const keyShapes = /\b(sk-|AIza)[A-Za-z0-9_-]{6,}/g;

/** Destination of a process's log lines. */
export interface ProcessLog {
  /** Log of the process. */
  readonly log: Logger;
  /** Returns the log of one of its services, with the service's name in each line. */
  readonly ofService: (service: string) => Logger;
  /** Writes the buffered lines, if the log has a reader, and discards later ones; call it last. */
  close(): Promise<void>;
}

/**
 * Creates a process's logger: JSON lines on stdout, asynchronous. Secrets are replaced by the names of members, and
 * when lines are written by the form of API keys.
 */
export function createLogger(name: string, level: string): ProcessLog {
  const destination = pino.destination({ dest: 1, sync: false, minLength: blockBytes });
  let timer: NodeJS.Timeout | undefined;
  const flush = (): void => {
    timer = undefined;
    destination.flush();
  };
  const root = pino(
    {
      level,
      base: null,
      redact: { paths: secretPaths, censor: "[redacted]" },
      hooks: {
        streamWrite(line: string) {
          timer ??= setTimeout(flush, flushMs).unref();
          return line.includes("sk-") || line.includes("AIza") ? line.replaceAll(keyShapes, "$1[redacted]") : line;
        },
      },
    },
    destination,
  );
  const ofService = (service: string): Logger => root.child({ service });
  return {
    log: ofService(name),
    ofService,
    close: once(async () => {
      clearTimeout(timer);
      destination.flush = () => undefined; // later log lines still set the timer, and would find it destroyed
      const alarm = Promise.withResolvers<void>();
      const late = setTimeout(alarm.resolve, lastLinesMs);
      const written = new Promise<void>((resolve) => destination.once("close", resolve).once("error", () => resolve()));
      // `flushSync` is not used: if a pipe has no reader it retries for ever, and the process hangs.
      destination.end();
      await Promise.race([written, alarm.promise]);
      clearTimeout(late);
      destination.write = () => true;
      destination.flushSync = () => undefined; // pino calls it when the process exits
    }),
  };
}

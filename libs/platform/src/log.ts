import { pino, type Logger } from "pino";
import { once } from "./memo.ts";

export type { Logger } from "pino";

/** Lines are written in blocks of this size, or after `flushMs`: a synchronous line costs 60–100 µs. */
const blockBytes = 8_192;
const flushMs = 250;
/** Maximum time that the end of a process waits for the reader of its log, which may be gone. */
const lastLinesMs = 1_000;

/**
 * Names under which a secret could ever be logged, at the top of a line or among headers; their values are replaced
 * before a line is built. Named places only: wildcards cost a tenth of a request.
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

/** Our keys and the vendors', wherever they are in a line. */
const keyShapes = /\b(sk-|AIza)[A-Za-z0-9_-]{6,}/g;

/** The destination of a process's log lines. */
export interface ProcessLog {
  /** The log of the process itself. */
  readonly log: Logger;
  /** The log of one of its services, whose name is in each line. */
  readonly ofService: (service: string) => Logger;
  /** Writes the lines that are still held, if the log has a reader, and discards later ones; call it last. */
  close(): Promise<void>;
}

/** A process's logger: JSON lines on stdout, asynchronous, redacted by name and, at the sink, by the shape of a key. */
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
      destination.flush = () => undefined; // what is logged from now on still sets the timer, and would find it destroyed
      const alarm = Promise.withResolvers<void>();
      const late = setTimeout(alarm.resolve, lastLinesMs);
      const written = new Promise<void>((resolve) => destination.once("close", resolve).once("error", () => resolve()));
      // Not `flushSync`: with a pipe without a reader it tries for ever, and the process hangs.
      destination.end();
      await Promise.race([written, alarm.promise]);
      clearTimeout(late);
      destination.write = () => true;
      destination.flushSync = () => undefined; // pino calls it when the process exits
    }),
  };
}

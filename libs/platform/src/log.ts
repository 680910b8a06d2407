import { pino, type Logger } from "pino";
import { once } from "./memo.ts";

export type { Logger } from "pino";

/** Bytes that are written together, because one synchronous write costs 60–100 µs. */
const blockBytes = 8_192;
const flushMs = 250;
/** Maximum bytes of lines that wait for a reader of stdout. Further lines are dropped. */
const maxWaitingBytes = 64 * 1024 * 1024;
/** Maximum ms that shutdown waits for the last lines. Without a reader they are never written. */
const maxCloseMs = 1_000;

/**
 * Names of properties whose values are redacted, at the top level of a log line or in `headers`. Wildcard paths would
 * cost a tenth of a request's time.
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

const keyPattern = /\b(sk-|AIza)[A-Za-z0-9_-]{6,}/g;

/**
 * Destination of pino. Bytes are faster than text, because pino would copy the collected text for each line. pino's
 * type allows only text.
 */
interface LineBlock {
  write(line: Buffer | string): boolean;
}

export interface ProcessLog {
  readonly log: Logger;
  /** Creates a log that adds the service's name to each line. */
  readonly ofService: (service: string) => Logger;
  /** Writes the buffered lines. Later lines are discarded. */
  close(): Promise<void>;
}

/**
 * Creates a process's logger, which writes JSON lines to stdout. Secrets are redacted by the names of properties and by
 * the pattern of API keys.
 */
export function createLogger(name: string, level: string, maxBytes = maxWaitingBytes): ProcessLog {
  const destination = pino.destination({
    dest: 1,
    sync: false,
    minLength: blockBytes,
    maxLength: maxBytes,
    contentMode: "buffer",
  });
  const block: LineBlock = destination;
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
    },
    {
      write(line) {
        timer ??= setTimeout(flush, flushMs).unref();
        const mayHaveKey = line.includes("sk-") || line.includes("AIza");
        block.write(Buffer.from(mayHaveKey ? line.replaceAll(keyPattern, "$1[redacted]") : line));
      },
    },
  );
  const ofService = (service: string): Logger => root.child({ service });
  const log = ofService(name);
  let dropped = 0;
  destination.on("drop", () => dropped++);
  destination.on("drain", () => {
    if (dropped === 0) return;
    const lines = dropped;
    dropped = 0;
    log.warn({ lines }, "log lines were dropped, because stdout was not read");
  });
  return {
    log,
    ofService,
    close: once(async () => {
      clearTimeout(timer);
      // Later log lines still start the timer, and `flush` of a destroyed destination throws.
      destination.flush = () => undefined;
      const alarm = Promise.withResolvers<void>();
      const late = setTimeout(alarm.resolve, maxCloseMs);
      const closed = new Promise<void>((resolve) => destination.once("close", resolve).once("error", () => resolve()));
      // `flushSync` would retry without end if nobody reads the pipe.
      destination.end();
      await Promise.race([closed, alarm.promise]);
      clearTimeout(late);
      destination.write = () => true;
      destination.flushSync = () => undefined; // pino calls it when the process exits
    }),
  };
}

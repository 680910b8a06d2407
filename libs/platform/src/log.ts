import { pino, type Logger } from "pino";
import { once } from "./memo.ts";

export type { Logger } from "pino";

/**
 * Size of a block in bytes. Lines are written in blocks, or after `flushMs`, because one synchronous write costs 60–100
 * µs.
 */
const blockBytes = 8_192;
const flushMs = 250;
/** Maximum ms that shutdown waits until the last lines are written. Without a reader they are never written. */
const maxCloseMs = 1_000;

/**
 * Names of properties that could contain a secret, at the top level of a log line or in `headers`. Their values are
 * redacted before the line is rendered. Wildcard paths are not used because they would cost a tenth of a request's
 * time.
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

/** Matches API keys of the gateway and of vendors. */
const keyPattern = /\b(sk-|AIza)[A-Za-z0-9_-]{6,}/g;

/**
 * pino's destination, which collects lines and writes them together. It gets lines as bytes, because for each line of
 * text it would copy all collected text to compute the length in bytes. pino's type for it allows only text.
 */
interface LineBlock {
  write(line: Buffer | string): boolean;
}

/** Log of a process, and the logs of its services. */
export interface ProcessLog {
  readonly log: Logger;
  /** Creates the log of one service, which adds the service's name to each line. */
  readonly ofService: (service: string) => Logger;
  /** Writes the buffered lines, if the log has a reader. Later lines are discarded. */
  close(): Promise<void>;
}

/**
 * Creates a process's logger, which writes JSON lines to stdout asynchronously. Secrets are redacted twice: by the
 * names of properties, and by the pattern of API keys.
 */
export function createLogger(name: string, level: string): ProcessLog {
  const destination = pino.destination({ dest: 1, sync: false, minLength: blockBytes, contentMode: "buffer" });
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
  return {
    log: ofService(name),
    ofService,
    close: once(async () => {
      clearTimeout(timer);
      // Later log lines still start the timer, and `flush` of a destroyed destination throws.
      destination.flush = () => undefined;
      const alarm = Promise.withResolvers<void>();
      const late = setTimeout(alarm.resolve, maxCloseMs);
      const closed = new Promise<void>((resolve) => destination.once("close", resolve).once("error", () => resolve()));
      // `flushSync` is not used: if a pipe has no reader, it retries without end and the process hangs.
      destination.end();
      await Promise.race([closed, alarm.promise]);
      clearTimeout(late);
      destination.write = () => true;
      destination.flushSync = () => undefined; // pino calls it when the process exits
    }),
  };
}

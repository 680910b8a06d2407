/** pino's levels of warnings and errors. */
const warningLevel = 40;
const errorLevel = 50;
/** Time in ms in which the same message is printed once. */
const repeatMs = 10_000;
const maxRemembered = 200;

/**
 * Returns the message for the terminal in a line of output: warnings and errors of the log, and lines that are not log
 * entries.
 */
export function serviceMessageIn(line: string): ServiceMessage | undefined {
  if (normalEntry.test(line)) return undefined;
  const entry = logEntry(line);
  if (entry === undefined) return line.trim() === "" ? undefined : { words: line };
  if (entry.level < warningLevel) return undefined;
  const parts = [entry.msg, entry.err?.message].filter((part) => typeof part === "string" && part !== "");
  const words = `${entry.level < errorLevel ? "warning" : "error"}: ${parts.length === 0 ? line : parts.join(": ")}`;
  return typeof entry.service === "string" ? { service: entry.service, words } : { words };
}

/** Message for the terminal, and the service that it is about. */
export interface ServiceMessage {
  readonly service?: string;
  readonly words: string;
}

/** Start of log entries below the level of warnings. */
const normalEntry = /^\{"level":[123]0,/;

interface LogEntry {
  readonly level: number;
  readonly service?: unknown;
  readonly msg?: unknown;
  readonly err?: { readonly message?: unknown } | null;
}

function logEntry(line: string): LogEntry | undefined {
  if (!line.startsWith("{")) return undefined;
  try {
    const entry: LogEntry = JSON.parse(line);
    return typeof entry.level === "number" ? entry : undefined;
  } catch {
    return undefined;
  }
}

/** Returns a function that prints messages of services, without frequent repetitions. */
export function serviceMessagePrinter(
  write: (text: string) => void,
  now: () => number = () => performance.now(),
): (service: string, words: string) => void {
  const printedAt = new Map<string, number>();
  return (service, words) => {
    const text = words.startsWith(`${service}:`) ? words : `${service}: ${words}`;
    if (now() - (printedAt.get(text) ?? -Infinity) < repeatMs) return;
    if (printedAt.size >= maxRemembered) printedAt.clear();
    printedAt.set(text, now());
    write(`${text}\n`);
  };
}

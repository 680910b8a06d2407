/** pino's level of a warning; errors and fatal ones are above it. */
const warning = 40;
const error = 50;
/** The same words of the same service are said once in this time; a log file has them all. */
const repeatMs = 10_000;
/** So many different words are remembered. */
const rememberedWords = 200;

/**
 * What a line of a service's output says to the person at the terminal: a warning or an error of its log in plain
 * words, what is no log line (an uncaught error, a refused configuration) as it stands, and nothing for the rest.
 */
export function complaintIn(line: string): Complaint | undefined {
  if (wellEntry.test(line)) return undefined;
  const entry = logEntry(line);
  if (entry === undefined) return line.trim() === "" ? undefined : { words: line };
  if (entry.level < warning) return undefined;
  const said = [entry.msg, entry.err?.message].filter((part) => typeof part === "string" && part !== "");
  const words = `${entry.level < error ? "warning" : "error"}: ${said.length === 0 ? line : said.join(": ")}`;
  return typeof entry.service === "string" ? { service: entry.service, words } : { words };
}

/** What is said to the person, and the service that says it where the line names one. */
export interface Complaint {
  readonly service?: string;
  readonly words: string;
}

/** The beginning of nearly every line: nothing is wrong, and the rest need not be read. */
const wellEntry = /^\{"level":[123]0,/;

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

/** Says complaints under their service's name; one that comes again and again does not fill the terminal. */
export function complaintPrinter(
  write: (text: string) => void,
  now: () => number = () => performance.now(),
): (service: string, words: string) => void {
  const said = new Map<string, number>();
  return (service, words) => {
    const text = words.startsWith(`${service}:`) ? words : `${service}: ${words}`;
    if (now() - (said.get(text) ?? -Infinity) < repeatMs) return;
    if (said.size >= rememberedWords) said.clear();
    said.set(text, now());
    write(`${text}\n`);
  };
}

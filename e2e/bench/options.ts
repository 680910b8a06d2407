import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    only: { type: "string" },
    rivals: { type: "boolean", default: false },
    /**
     * For `rivals`: addresses of gateways that already run, their API key, and the process id if there is a single
     * gateway.
     */
    gateway: { type: "string", multiple: true },
    key: { type: "string" },
    pid: { type: "string" },
    "stub-port": { type: "string" },
    /** Runs only the measurement of the bytes that a call allocates. */
    allocations: { type: "boolean", default: false },
    /** For `allocations`: the shape (`one` or `apart`), and a kind of load other than `chat` (`burst` or `large`). */
    shape: { type: "string" },
    kind: { type: "string" },
    /**
     * For `books`: the only engine, the number of calls of the month, and the number of receipts of the verified
     * account.
     */
    engine: { type: "string" },
    calls: { type: "string" },
    receipts: { type: "string" },
  },
});

export const options = values;

const figures: [what: string, value: string][] = [];

/** Prints a result immediately, or at the end in one JSON document. */
export function report(what: string, value: string): void {
  figures.push([what, value]);
  if (!options.json) process.stdout.write(`${what.padEnd(62)} ${value}\n`);
}

/** Prints the JSON document, if it was requested. */
export function reportAll(): void {
  if (options.json) process.stdout.write(`${JSON.stringify(Object.fromEntries(figures))}\n`);
}

import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    only: { type: "string" },
    rivals: { type: "boolean", default: false },
    /** Options of `rivals`: addresses of running gateways, their API key, and the process id of a single one. */
    gateway: { type: "string", multiple: true },
    key: { type: "string" },
    pid: { type: "string" },
    "stub-port": { type: "string" },
    /** Runs only the measurement of allocations. */
    allocations: { type: "boolean", default: false },
    /** Options of `allocations`. `shape`: `one` or `apart` (default). `kind`: `chat` (default), `burst` or `large`. */
    shape: { type: "string" },
    kind: { type: "string" },
    /** Options of `books` and `console`: the one engine to measure, and the number of calls in the books. */
    engine: { type: "string" },
    calls: { type: "string" },
    /** Option of `books`: number of receipts of the verified account. */
    receipts: { type: "string" },
  },
});

export const options = values;

const figures: [what: string, value: string][] = [];

/** Prints a result now, or at the end in a JSON document. */
export function report(what: string, value: string): void {
  figures.push([what, value]);
  if (!options.json) process.stdout.write(`${what.padEnd(62)} ${value}\n`);
}

/** Prints the JSON document if it was requested. */
export function reportAll(): void {
  if (options.json) process.stdout.write(`${JSON.stringify(Object.fromEntries(figures))}\n`);
}

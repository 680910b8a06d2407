import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    /** One section alone. */
    only: { type: "string" },
    /** Other gateways by turns with ours, and nothing else. */
    rivals: { type: "boolean", default: false },
    /** Of the rivals: addresses of gateways that run already, their key, and the process of the only one. */
    gateway: { type: "string", multiple: true },
    key: { type: "string" },
    pid: { type: "string" },
    "stub-port": { type: "string" },
    /** Bytes that a call allocates, and nothing else. */
    allocations: { type: "boolean", default: false },
    /** Of the allocations: the shape, `one` or `apart`, and another kind of load than `chat`: `burst`, `large`. */
    shape: { type: "string" },
    kind: { type: "string" },
    /** Of the books: one engine alone, calls of the month, receipts of the account that is verified. */
    engine: { type: "string" },
    calls: { type: "string" },
    receipts: { type: "string" },
  },
});

/** Options of the benchmark. */
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

import { expect, test } from "vitest";
import { spawnService } from "../child.ts";
import { serviceMessageIn, serviceMessagePrinter } from "../service-messages.ts";

const line = (entry: object): string => JSON.stringify({ time: 1, service: "edge", ...entry });

test.each([
  { what: "a request's log line", written: line({ level: 30, msg: "request" }), message: undefined },
  {
    what: "a warning",
    written: line({ level: 40, msg: "channel cooldown starts" }),
    message: "warning: channel cooldown starts",
  },
  {
    what: "an error with its cause",
    written: line({
      level: 50,
      msg: "redis is unavailable",
      err: { type: "Error", message: "ECONNREFUSED", stack: "at x" },
    }),
    message: "error: redis is unavailable: ECONNREFUSED",
  },
  { what: "a fatal error without a message", written: line({ level: 60 }), message: `error: ${line({ level: 60 })}` },
  { what: "an uncaught error", written: "uncaught: TypeError: x", message: "uncaught: TypeError: x" },
  { what: "JSON that is not a log line", written: '{"a":1}', message: '{"a":1}' },
  { what: "half a line", written: '{"level":50,"ms', message: '{"level":50,"ms' },
  { what: "an empty line", written: "", message: undefined },
])("$what", ({ written, message }) => {
  expect(serviceMessageIn(written)?.words).toBe(message);
});

test("an equal message is printed once per interval; another message, or one of another service, immediately", () => {
  const written: string[] = [];
  let now = 0;
  const print = serviceMessagePrinter(
    (text) => written.push(text),
    () => now,
  );
  for (; now < 10_000; now += 100) print("edge", "warning: redis is unavailable");
  print("text", "warning: redis is unavailable");
  print("edge", "edge: REDIS_URL must be an address");
  print("edge", "warning: redis is unavailable");
  expect(written).toEqual([
    "edge: warning: redis is unavailable\n",
    "text: warning: redis is unavailable\n",
    "edge: REDIS_URL must be an address\n",
    "edge: warning: redis is unavailable\n",
  ]);
});

test("every line of a service is received, on any stream and in any chunks", async () => {
  const lines: string[] = [];
  const script = `
    process.stdout.write('{"level":');
    setTimeout(() => { process.stdout.write('40,"msg":"é"}\\n'); process.stderr.write("last words, no end of line"); process.disconnect(); }, 50);`;
  const { child } = spawnService({
    name: "edge",
    command: process.execPath,
    args: ["-e", script],
    onLine: (text) => lines.push(text),
  });
  expect(await child.ended).toBe(0);
  expect(lines.toSorted()).toEqual(["last words, no end of line", '{"level":40,"msg":"é"}']);
});

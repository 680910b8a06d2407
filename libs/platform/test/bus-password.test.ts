import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { expect, test } from "vitest";
import { canStartCluster, freePorts, startNats, until } from "@modelgate/testkit";
import { openBus } from "../src/index.ts";

test.skipIf(!canStartCluster)("a NATS server that temporarily refuses the password is retried", async () => {
  const folder = mkdtempSync(join(tmpdir(), "modelgate-bus-"));
  const [port = 0] = await freePorts(1);
  const start = (password: string) =>
    startNats({ port, folder, keep: false, more: ["--user", "us", "--pass", password] });
  await using stack = new AsyncDisposableStack();
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  const logged: string[] = [];
  const log = pino({ level: "warn" }, { write: (line: string) => void logged.push(line) });

  const first = await start("one");
  stack.defer(() => first.child.stop());
  const bus = stack.use(await openBus(`nats://us:one@localhost:${port}`, log));
  await until("the bus to be available", () => bus.connected);
  await first.child.stop();

  const second = await start("another");
  stack.defer(() => second.child.stop());
  await until("it to be refused more than once", () => second.child.logs().split("authentication error").length > 3);
  expect(bus.connected).toBe(false);
  await second.child.stop();

  const third = await start("one");
  stack.defer(() => third.child.stop());
  await until("the bus to be available again", () => bus.connected);
  expect(await bus.publish([{ subject: "usage.v1.text", body: "{}", id: "once" }])).toEqual([undefined]);
  expect(logged.filter((line) => line.includes("nats is unavailable"))).toHaveLength(1);
});

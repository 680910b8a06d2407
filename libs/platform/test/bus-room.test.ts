import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { register } from "prom-client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { canStartCluster, freePorts, startNats, until } from "@modelgate/testkit";
import { openBus } from "../src/index.ts";

const mebibyte = 1024 ** 2;

describe.skipIf(!canStartCluster)("a NATS with little storage", () => {
  const folder = mkdtempSync(join(tmpdir(), "modelgate-room-"));
  let nats: Awaited<ReturnType<typeof startNats>>;
  beforeAll(async () => {
    const [port = 0] = await freePorts(1);
    const file = join(folder, "nats.conf");
    writeFileSync(file, "jetstream { max_file_store: 100MB }\n");
    nats = await startNats({ port, folder: join(folder, "data"), keep: false, more: ["-c", file] });
  });
  afterAll(async () => {
    await nats?.child.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const open = async (keepBytes: number) => {
    const logged: string[] = [];
    const log = pino({ level: "warn" }, { write: (line: string) => void logged.push(line) });
    return { bus: await openBus(nats.url, log, { keepBytes }), logged };
  };

  test("reports the stream that does not fit and the sizes of all, instead of an outage", async () => {
    const { bus, logged } = await open(40 * mebibyte);
    await using _closed = bus;
    await until("it to be logged", () => logged.length > 0);
    expect(logged.join("")).toContain("events cannot be stored");
    expect(logged.join("")).toMatch(
      /does not store TASKS: insufficient storage .* 3 streams of 41943040 bytes \(NATS_KEEP/,
    );
    expect(bus.connected).toBe(false);
    expect(await register.getSingleMetricAsString("modelgate_store_up")).toMatch(/store="nats"[^}]*\} 0$/m);
  });

  test("streams that cannot grow are used with their current size", async () => {
    // Two streams of 40 MiB exist from the previous test, so only a small third one fits.
    const { bus: small } = await open(8 * mebibyte);
    await until("all streams to exist", () => small.connected);
    await small[Symbol.asyncDispose]();
    const { bus, logged } = await open(60 * mebibyte);
    await using _closed = bus;
    await until("the bus to be used", () => bus.connected);
    const both = [
      { subject: "usage.v1.text", body: "{}", id: "once" },
      { subject: "task.v1.video.queued", body: "{}", id: "one" },
    ];
    expect(await bus.publish(both)).toEqual([undefined, undefined]);
    expect(logged.join("")).toContain("could not be resized");
  });
});

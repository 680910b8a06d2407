import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { freePorts, until } from "@modelgate/testkit";
import { mergeMetrics } from "../../src/process/supervise.ts";

const program = join(import.meta.dirname, "workers-program.ts");

async function pidsAt(port: number): Promise<ReadonlySet<number>> {
  const answers = Array.from({ length: 40 }, async () => Number(await textAt(`http://127.0.0.1:${port}/`)));
  return new Set(await Promise.all(answers));
}

async function textAt(url: string): Promise<string> {
  return (await fetch(url)).text();
}

test.concurrent("workers share a port, an exited one is restarted, and one port answers the probes for all", async () => {
  const [port = 0, opsPort = 0, booksPort = 0] = await freePorts(3);
  const env = {
    ...process.env,
    HOST: "127.0.0.1",
    DRAIN_MS: "500",
    DOOR_PORT: String(port),
    DOOR_OPS_PORT: String(opsPort),
    BOOKS_PORT: String(booksPort),
  };
  const supervisor = spawn(process.execPath, [program], { env, stdio: ["ignore", "pipe", "inherit", "ipc"] });
  let printed = "";
  supervisor.stdout?.setEncoding("utf8").on("data", (piece: string) => (printed += piece));
  const ended = once(supervisor, "close");
  try {
    await once(supervisor, "message");
    const pids = await until(
      "both to answer",
      async () => {
        const answeringPids = await pidsAt(port);
        return answeringPids.size === 2 && answeringPids;
      },
      60_000,
    );
    expect(pids).not.toContain(supervisor.pid);
    const ops = `http://127.0.0.1:${opsPort}`;
    // A worker that does not answer in time counts as not ready, and has no metrics.
    await vi.waitFor(async () => {
      expect(await textAt(`${ops}/readyz`)).toBe("worker 1:\ndoor: ready\nbooks: ready\nworker 2:\ndoor: ready\n");
      const metrics = await textAt(`${ops}/metrics`);
      expect(metrics.match(/^# TYPE process_start_time_seconds gauge$/gm)).toHaveLength(1);
      for (const worker of [1, 2])
        expect(metrics).toMatch(new RegExp(`^process_start_time_seconds\\{.*worker="${worker}".*\\} \\d`, "m"));
    }, 60_000);

    const first = Number(await textAt(`http://127.0.0.1:${booksPort}/`)); // only the first worker runs the backend
    expect(pids).toContain(first);
    process.kill(first, "SIGKILL");
    const again = await until(
      "a replacement",
      async () => {
        const answeringPids = await pidsAt(port).catch(() => new Set<number>());
        return answeringPids.size === 2 && !answeringPids.has(first) && answeringPids;
      },
      60_000,
    );
    await vi.waitFor(
      async () => expect(again).toContain(Number(await textAt(`http://127.0.0.1:${booksPort}/`))),
      60_000,
    );
    expect(printed).toContain("a worker exited unexpectedly");

    supervisor.kill("SIGTERM");
    expect(await ended).toEqual([0, null]);
    expect([...again].filter(isAlive)).toEqual([]);
  } finally {
    supervisor.kill("SIGKILL");
  }
});

test.concurrent("workers that cannot start end the process with their status and their output", async () => {
  const env = { ...process.env, DOOR_PORT: "0", DRAIN_MS: "none" };
  const supervisor = spawn(process.execPath, [program], { env, stdio: ["ignore", "ignore", "pipe"] });
  let output = "";
  supervisor.stderr.setEncoding("utf8").on("data", (piece: string) => (output += piece));
  expect(await once(supervisor, "close")).toEqual([78, null]);
  expect(output).toContain("DRAIN_MS must be a whole number");
});

test.concurrent("a shared port must be named", async () => {
  const env = { ...process.env, DOOR_PORT: "0", HOST: "127.0.0.1" };
  const supervisor = spawn(process.execPath, [program], { env, stdio: ["ignore", "ignore", "pipe"] });
  let output = "";
  supervisor.stderr.setEncoding("utf8").on("data", (piece: string) => (output += piece));
  expect(await once(supervisor, "close")).toEqual([78, null]);
  expect(output).toContain("The port of door must be set, because workers share it.");
});

test("a metric of several processes is described once, with the samples of all", () => {
  const metricsOf = (worker: number): string =>
    `# HELP a what a is\n# TYPE a counter\na{worker="${worker}"} ${worker}\n\n# HELP b what b is\n# TYPE b gauge\nb{worker="${worker}"} 5\n`;
  expect(mergeMetrics([metricsOf(1), metricsOf(2)])).toBe(
    [
      "# HELP a what a is",
      "# TYPE a counter",
      'a{worker="1"} 1',
      'a{worker="2"} 2',
      "",
      "# HELP b what b is",
      "# TYPE b gauge",
      'b{worker="1"} 5',
      'b{worker="2"} 5',
      "",
    ].join("\n"),
  );
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

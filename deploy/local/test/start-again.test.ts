import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test, vi } from "vitest";

const program = join(import.meta.dirname, "../start.ts");

/** Returns the process id of a service that a parent process started. */
function pidOf(service: string, parent: number): number | undefined {
  return readdirSync("/proc")
    .map(Number)
    .find((pid) => {
      try {
        const parentOf = /\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, "utf8"))?.[1];
        const commandLine = readFileSync(`/proc/${pid}/cmdline`, "utf8");
        return Number(parentOf) === parent && commandLine.includes(`/${service}.js`);
      } catch {
        return false;
      }
    });
}

test("a killed service of the running suite is restarted, and calls succeed; SIGTERM still ends all with 0", async () => {
  const data = mkdtempSync(join(tmpdir(), "modelgate-again-"));
  // oxlint-disable-next-line no-restricted-properties
  const env = { ...process.env, PORT: "0", MODELGATE_DATA: data, REDIS_URL: "", NATS_URL: "", DRAIN_MS: "1000" };
  const suite = spawn(process.execPath, [program], { env, stdio: ["ignore", "pipe", "pipe"] });
  const ended = once(suite, "close");
  const output = { out: "", err: "" };
  suite.stdout.on("data", (chunk: Buffer) => (output.out += chunk.toString()));
  suite.stderr.on("data", (chunk: Buffer) => (output.err += chunk.toString()));
  try {
    await vi.waitFor(() => expect(output.out).toContain("modelgate is ready"), { timeout: 90_000, interval: 200 });
    const url = /address\s+(\S+)/.exec(output.out)?.[1] ?? "";
    const call = async (): Promise<number> => {
      const answer = await fetch(`${url}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: "Bearer sk-demo-0123456789abcdef", "content-type": "application/json" },
        body: JSON.stringify({ model: "demo-chat", messages: [{ role: "user", content: "Hello" }] }),
      });
      await answer.text();
      return answer.status;
    };
    expect(await call()).toBe(200);
    const first = pidOf("gateway", suite.pid ?? 0);
    expect(first).toBeDefined();
    process.kill(first ?? 0, "SIGKILL");
    await vi.waitFor(
      () => expect(output.err).toContain("gateway exited unexpectedly with SIGKILL: started again in 0.5 s\n"),
      {
        timeout: 60_000,
      },
    );
    await vi.waitFor(async () => expect(await call()).toBe(200), { timeout: 60_000, interval: 500 });
    expect(pidOf("gateway", suite.pid ?? 0)).not.toBe(first);
    suite.kill("SIGTERM");
    expect((await ended)[0]).toBe(0);
    expect(output.err.match(/started again/g)).toHaveLength(1);
  } finally {
    suite.kill("SIGKILL");
    rmSync(data, { recursive: true, force: true, maxRetries: 5 });
  }
}, 240_000);

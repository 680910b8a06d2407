import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { isRunning, until } from "@modelgate/testkit";
import { config, hello, keys } from "./suite-client.ts";

/** Script of the process that is killed. Its services and servers must then end. */
const parentScript = `
  import { startLocalSuite } from "@modelgate/testkit";
  const suite = await startLocalSuite({
    fresh: true,
    shape: "one",
    config: JSON.parse(process.env.SUITE_CONFIG), services: "all", env: { DRAIN_MS: "500" },
  });
  const names = ["edge", "simulator"];
  console.log(JSON.stringify({ edgeUrl: suite.edgeUrl, pids: names.map((name) => suite.process(name).pid) }));
  setInterval(() => undefined, 1_000);`;

test("the parent, Redis and NATS are killed together under load: every service exits", async () => {
  const folder = mkdtempSync(join(tmpdir(), "modelgate-orphaned-")); // the killed processes leave files here
  const parent = spawn(process.execPath, ["--input-type=module", "-e", parentScript], {
    cwd: import.meta.dirname,
    // oxlint-disable-next-line no-restricted-properties
    env: { ...process.env, TMPDIR: folder, SUITE_CONFIG: JSON.stringify(config) },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = await once(createInterface({ input: parent.stdout }), "line");
  const { edgeUrl, pids }: { edgeUrl: string; pids: number[] } = JSON.parse(line);
  expect(pids).toHaveLength(2);
  try {
    const post = (stream: boolean): Promise<Response> => {
      const body = { ...hello("chat", 'Hi {{simulate: {"chunks": 500, "chunkDelayMs": 100}}}'), stream };
      const headers = { authorization: `Bearer ${keys.demo}`, "content-type": "application/json" };
      return fetch(`${edgeUrl}/v1/chat/completions`, { method: "POST", headers, body: JSON.stringify(body) });
    };
    await until("the first stream", async () => (await post(true)).ok);
    const streams = await Promise.all(Array.from({ length: 4 }, () => post(true)));
    expect(streams.map(({ status }) => status)).toEqual(streams.map(() => 200));
    // Awaited immediately, because some calls fail before the parent's exit is noticed.
    const results = Promise.allSettled([...streams.map((stream) => stream.text()), ...streams.map(() => post(false))]);
    parent.kill("SIGKILL");
    await once(parent, "exit");
    await results;
    await until("every service to end", () => !pids.some(isRunning));
  } finally {
    for (const pid of pids.filter(isRunning)) process.kill(pid, "SIGKILL");
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
});

import { spawn, type ChildProcess } from "node:child_process";
import { createServer } from "node:net";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { claimFolder } from "../run-file.ts";

const program = join(import.meta.dirname, "../start.ts");
let data: string;
let running: ChildProcess[];
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), "modelgate-start-"));
  running = [];
});
afterEach(() => {
  for (const child of running) child.kill("SIGKILL");
  rmSync(data, { recursive: true, force: true });
});

/** Writes a server program that never answers. It writes its process id into the data folder. */
function silentServer(): string {
  const file = join(data, "silent-server");
  writeFileSync(file, `#!/bin/sh\necho $$ > ${join(data, "pid")}\nexec sleep 300\n`);
  chmodSync(file, 0o755);
  return file;
}

interface Ended {
  readonly status: number | null;
  readonly stderr: string;
}

/** Starts the suite's program. Empty variables are treated as not set. */
function start(env: Readonly<Record<string, string>>): {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
} {
  const child = spawn(process.execPath, [program], {
    env: { ...process.env, PORT: "0", MODELGATE_DATA: data, REDIS_URL: "", NATS_URL: "", ...env },
    stdio: ["ignore", "ignore", "pipe"],
  });
  running.push(child);
  let stderr = "";
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  return { child, ended: once(child, "close").then(([status]) => ({ status, stderr })) };
}

const claims = (): readonly string[] => readdirSync(data).filter((name) => name.startsWith("running."));

test.each([
  { fails: "redis", env: () => ({ MODELGATE_REDIS_SERVER: "/bin/false", MODELGATE_NATS_SERVER: silentServer() }) },
  { fails: "nats", env: () => ({ MODELGATE_NATS_SERVER: "/bin/false", MODELGATE_REDIS_SERVER: silentServer() }) },
])("if $fails does not start, the other server is stopped while it is still starting", async ({ fails, env }) => {
  const { status, stderr } = await start(env()).ended;
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: `\n${fails} did not start (it ended with 1), without output.\n`,
  });
  expect(claims()).toEqual([]);
});

test("an interrupt while the servers start ends the start without a failure", async () => {
  const silent = silentServer();
  const { child, ended } = start({ MODELGATE_REDIS_SERVER: silent, MODELGATE_NATS_SERVER: silent });
  await vi.waitFor(() => expect(existsSync(join(data, "pid"))).toBe(true), { timeout: 60_000 });
  child.kill("SIGTERM");
  expect(await ended).toEqual({ status: 0, stderr: "" });
  expect(claims()).toEqual([]);
});

test("a start claims the data folder first: of several starts at the same time one continues", async () => {
  const silent = silentServer();
  const env = { MODELGATE_REDIS_SERVER: silent, MODELGATE_NATS_SERVER: silent };
  const starts = Array.from({ length: 3 }, () => start(env));
  const refused: Ended[] = [];
  for (const { ended } of starts) void ended.then((end) => refused.push(end));
  await vi.waitFor(() => expect(refused).toHaveLength(2), { timeout: 60_000 });
  for (const end of refused)
    expect(end).toEqual({
      status: 1,
      stderr: expect.stringMatching(
        /^\nmodelgate is already running on .+ \(process \d+\): stop it, or set MODELGATE_DATA/,
      ),
    });
  const last = starts.find(({ child }) => child.exitCode === null);
  last?.child.kill("SIGTERM");
  expect((await last?.ended)?.status).toBe(0);
});

test("a claim of a killed process is replaced, even if another process now has its id", async () => {
  writeFileSync(join(data, `running.${process.ppid}-1`), "");
  writeFileSync(join(data, "run.json"), "{}");
  const claimed = await claimFolder(data);
  expect(claimed).not.toHaveProperty("heldBy");
  // `run.json` of the killed process is outdated, so it is removed.
  expect(readdirSync(data)).toEqual(claims());
  if ("release" in claimed) claimed.release();
});

test("a data folder can be shared if Redis and NATS run elsewhere, and the output states that", async () => {
  const claimed = await claimFolder(data);
  // No server listens at these addresses, and the folder is checked first.
  const { child, ended } = start({ REDIS_URL: "redis://127.0.0.1:1", NATS_URL: "nats://127.0.0.1:1" });
  let stderrText = "";
  child.stderr?.on("data", (chunk: Buffer) => (stderrText += chunk.toString()));
  await vi.waitFor(() => expect(stderrText).toContain("gatectl will find that one"), { timeout: 60_000 });
  child.kill("SIGTERM");
  await ended;
  expect(claims()).toHaveLength(1);
  if ("release" in claimed) claimed.release();
});

test("an unusable data folder is reported in one clear sentence", async () => {
  mkdirSync(join(data, "here"));
  writeFileSync(join(data, "here/file"), "");
  const { status, stderr } = await start({ MODELGATE_DATA: join(data, "here/file") }).ended;
  expect(status).toBe(1);
  expect(stderr.trim()).toMatch(/^MODELGATE_DATA cannot be used: .+$/);
});

/** Starts a server that accepts connections and sends nothing. */
async function silentPort(): Promise<{ readonly port: number; readonly close: () => void }> {
  const sockets = new Set<{ destroy(): void }>();
  const server = createServer((socket) => void sockets.add(socket.on("error", () => undefined))).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const close = (): void => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  return { port: typeof address === "object" && address !== null ? address.port : 0, close };
}

test.each([
  ["REDIS_URL", "redis://user:a-password@"],
  ["NATS_URL", "nats://user:a-password@"],
  ["BOOKS_URL", "postgres://user:a-password@"],
])("a start with a dead %s names the variable, the address and the cause, and no password", async (name, scheme) => {
  // The start fails before these servers.
  const env = { MODELGATE_REDIS_SERVER: silentServer(), MODELGATE_NATS_SERVER: silentServer() };
  const silent = await silentPort();
  const path = name === "BOOKS_URL" ? "/books" : "";
  const [refusedStart, silentStart] = await Promise.all(
    ["127.0.0.1:1", `127.0.0.1:${silent.port}`].map((server, at) => {
      const folder = join(data, `start-${at}`);
      return start({ ...env, MODELGATE_DATA: folder, [name]: `${scheme}${server}${path}` }).ended;
    }),
  );
  silent.close();
  expect(refusedStart).toEqual({
    status: 1,
    stderr: `\n${name}: 127.0.0.1:1 does not answer (connect ECONNREFUSED 127.0.0.1:1).\n`,
  });
  expect(silentStart).toEqual({
    status: 1,
    stderr: `\n${name}: 127.0.0.1:${silent.port} does not answer (nothing within 3 s).\n`,
  });
});

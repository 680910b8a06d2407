import { spawn, type ChildProcess } from "node:child_process";
import { createServer } from "node:net";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { claimFolder } from "../run-file.ts";

const program = join(import.meta.dirname, "../start.ts");

interface Ended {
  readonly status: number | null;
  readonly stderr: string;
}

/** Data folder of one test, and the programs that it starts. */
interface Place extends Disposable {
  readonly data: string;
  /** Writes a server program that never answers. It writes its process id into the data folder. */
  silentServer(): string;
  /** Starts the suite's program. Empty variables are treated as not set. */
  start(env: Readonly<Record<string, string>>): { readonly child: ChildProcess; readonly ended: Promise<Ended> };
  claims(): readonly string[];
}

function newPlace(): Place {
  const data = mkdtempSync(join(tmpdir(), "modelgate-start-"));
  const running: ChildProcess[] = [];
  return {
    data,
    silentServer() {
      const file = join(data, "silent-server");
      writeFileSync(file, `#!/bin/sh\necho $$ > ${join(data, "pid")}\nexec sleep 300\n`);
      chmodSync(file, 0o755);
      return file;
    },
    start(env) {
      const child = spawn(process.execPath, [program], {
        env: { ...process.env, PORT: "0", MODELGATE_DATA: data, REDIS_URL: "", NATS_URL: "", ...env },
        stdio: ["ignore", "ignore", "pipe"],
      });
      running.push(child);
      let stderr = "";
      child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
      return { child, ended: once(child, "close").then(([status]) => ({ status, stderr })) };
    },
    claims: () => readdirSync(data).filter((name) => name.startsWith("running.")),
    [Symbol.dispose]() {
      for (const child of running) child.kill("SIGKILL");
      rmSync(data, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

describe.concurrent("npm start", () => {
  test.each([
    {
      fails: "redis",
      env: (silent: string) => ({ MODELGATE_REDIS_SERVER: "/bin/false", MODELGATE_NATS_SERVER: silent }),
    },
    {
      fails: "nats",
      env: (silent: string) => ({ MODELGATE_NATS_SERVER: "/bin/false", MODELGATE_REDIS_SERVER: silent }),
    },
  ])("if $fails does not start, the other server is stopped while it is still starting", async ({ fails, env }) => {
    using place = newPlace();
    const { status, stderr } = await place.start(env(place.silentServer())).ended;
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: `\n${fails} did not start (it ended with 1), without output.\n`,
    });
    expect(place.claims()).toEqual([]);
  });

  test("an interrupt while the servers start ends the start without a failure", async () => {
    using place = newPlace();
    const silent = place.silentServer();
    const { child, ended } = place.start({ MODELGATE_REDIS_SERVER: silent, MODELGATE_NATS_SERVER: silent });
    await vi.waitFor(() => expect(existsSync(join(place.data, "pid"))).toBe(true), { timeout: 60_000 });
    child.kill("SIGTERM");
    expect(await ended).toEqual({ status: 0, stderr: "" });
    expect(place.claims()).toEqual([]);
  });

  test("a start claims the data folder first: of several starts at the same time one continues", async () => {
    using place = newPlace();
    // With silent servers, the first start would end after 10 s, and release its claim.
    const starts = Array.from({ length: 3 }, () => place.start({}));
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
    using place = newPlace();
    writeFileSync(join(place.data, `running.${process.ppid}-1`), "");
    writeFileSync(join(place.data, "run.json"), "{}");
    const claimed = await claimFolder(place.data);
    expect(claimed).not.toHaveProperty("heldBy");
    // `run.json` of the killed process is outdated, so it is removed.
    expect(readdirSync(place.data)).toEqual(place.claims());
    if ("release" in claimed) claimed.release();
  });

  test("a data folder can be shared if Redis and NATS run elsewhere, and the output states that", async () => {
    using place = newPlace();
    const claimed = await claimFolder(place.data);
    // No server listens at these addresses, and the folder is checked first.
    const { child, ended } = place.start({ REDIS_URL: "redis://127.0.0.1:1", NATS_URL: "nats://127.0.0.1:1" });
    let stderrText = "";
    child.stderr?.on("data", (chunk: Buffer) => (stderrText += chunk.toString()));
    await vi.waitFor(() => expect(stderrText).toContain("gatectl will find that one"), { timeout: 60_000 });
    child.kill("SIGTERM");
    await ended;
    expect(place.claims()).toHaveLength(1);
    if ("release" in claimed) claimed.release();
  });

  test("an unusable data folder is reported in one clear sentence", async () => {
    using place = newPlace();
    mkdirSync(join(place.data, "here"));
    writeFileSync(join(place.data, "here/file"), "");
    const { status, stderr } = await place.start({ MODELGATE_DATA: join(place.data, "here/file") }).ended;
    expect(status).toBe(1);
    expect(stderr.trim()).toMatch(/^MODELGATE_DATA cannot be used: .+$/);
  });

  // The other stores, and servers that do not answer, are tested in check-stores.test.ts.
  test("a start with a dead store names the variable, the address and the cause, and no password", async () => {
    using place = newPlace();
    const silent = place.silentServer();
    // The start fails before these servers.
    const env = { MODELGATE_REDIS_SERVER: silent, MODELGATE_NATS_SERVER: silent };
    expect(await place.start({ ...env, BOOKS_URL: "postgres://user:a-password@127.0.0.1:1/books" }).ended).toEqual({
      status: 1,
      stderr: "\nBOOKS_URL: 127.0.0.1:1 does not answer (connect ECONNREFUSED 127.0.0.1:1).\n",
    });
  });

  test("a busy port is reported in one clear sentence", async () => {
    using place = newPlace();
    const busy = createServer().listen(0, "127.0.0.1");
    await once(busy, "listening");
    const address = busy.address();
    const port = typeof address === "object" ? address?.port : undefined;
    const { status, stderr } = await place.start({ PORT: String(port) }).ended;
    busy.close();
    expect(status).toBe(1);
    expect(stderr.trim()).toBe(
      `Port ${port} is in use: stop the program that listens on it, or set PORT to another one.`,
    );
  });

  test("a service that exits ends the start, and the terminal shows the path of each wrong field of a configuration", async () => {
    using place = newPlace();
    const config = join(place.data, "wrong.yaml");
    writeFileSync(
      config,
      "groups: { default: { models: ['*'], colour: red } }\nmodels: { m: { kind: chatty } }\nchannels: []\n",
    );
    const { status, stderr } = await place.start({ MODELGATE_CONFIG: config }).ended;
    expect(status).toBe(1);
    expect(stderr).toMatch(/^gateway: .*groups/m);
    expect(stderr).toContain("groups.default.colour is not a known field");
    expect(stderr).toContain("models.m.kind must be one of chat");
    expect(stderr.match(/is not a known field/g)).toHaveLength(1);
    expect(stderr).not.toMatch(/^\s+at /m);
  });
});

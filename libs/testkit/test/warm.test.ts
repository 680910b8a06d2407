import { expect, test } from "vitest";
import { ChildEnded, simulatorAt, startServiceAlone, until, type AloneService } from "../src/index.ts";

/** Starts the simulator, a service that needs no stores. */
const start = (env: Readonly<Record<string, string>> = {}): Promise<AloneService> =>
  startServiceAlone("simulator", { LOG_LEVEL: "info", ...env });
const answers = async ({ url }: AloneService): Promise<boolean> =>
  fetch(`${url}/_requests/none`).then(
    ({ ok }) => ok,
    () => false,
  );
const isThere = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

test("a disposed service's process is reused by the next, with new ports, variables and log", async () => {
  const first = await start();
  expect(await answers(first)).toBe(true);
  await first[Symbol.asyncDispose]();
  expect([await first.ended, first.running, await answers(first)]).toEqual([0, false, false]);
  expect(first.logs()).toContain("draining");

  await using second = await start({ LOG_LEVEL: "silent" });
  expect(second.pid).toBe(first.pid);
  expect(await answers(second)).toBe(true);
  expect(second.url).not.toBe(first.url);
  expect(second.logs()).toBe("");
  expect(first.logs()).toContain("draining");
});

test("a delay that an earlier run left does not keep the process alive", async () => {
  const first = await start();
  const aborter = new AbortController();
  const pending = fetch(`${first.url}/at/left/openai/v1/chat/completions`, {
    method: "POST",
    signal: aborter.signal,
    headers: { authorization: "Bearer sk-left", "content-type": "application/json" },
    body: JSON.stringify({
      model: "gpt-4o",
      messages: [{ role: "user", content: 'Hi {{simulate: {"delayMs": 60000}}}' }],
    }),
  });
  const simulator = simulatorAt(first.url);
  await until("the request", async () => (await simulator.requests("left")).length === 1);
  aborter.abort();
  await expect(pending).rejects.toThrow();
  await first[Symbol.asyncDispose]();
  const second = await start();
  await second.stop();
  expect([second.pid, await second.ended]).toEqual([first.pid, 0]);
});

test("two services at the same time have separate processes", async () => {
  await using first = await start();
  await using second = await start();
  expect(second.pid).not.toBe(first.pid);
  expect(await Promise.all([first, second].map(answers))).toEqual([true, true]);
});

test("a process ends with a service that is stopped, or killed", async () => {
  const stopped = await start();
  await stopped.stop();
  expect([await stopped.ended, isThere(stopped.pid)]).toEqual([0, false]);
  const killed = await start();
  killed.signal("SIGKILL");
  expect([await killed.ended, killed.running]).toEqual(["SIGKILL", false]);
  await killed[Symbol.asyncDispose]();
  await using next = await start();
  expect([stopped.pid, killed.pid]).not.toContain(next.pid);
});

test("a failed start reports its reason, and its process is not reused", async () => {
  const before = await start();
  await before[Symbol.asyncDispose]();
  const failure: unknown = await start({ SIMULATOR_PORT: "many" }).then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(failure).toBeInstanceOf(ChildEnded);
  expect(failure).toMatchObject({ status: 78, logs: expect.stringContaining("SIMULATOR_PORT") });
  await until("the process to end", () => !isThere(before.pid));
});

test("variables that Node reads at its start require a separate process", async () => {
  const before = await start();
  await before[Symbol.asyncDispose]();
  const flagged = await start({ NODE_OPTIONS: "--no-deprecation" });
  expect(flagged.pid).not.toBe(before.pid);
  await flagged[Symbol.asyncDispose]();
  expect(isThere(flagged.pid)).toBe(false);
});

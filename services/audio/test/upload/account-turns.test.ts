import { expect, test } from "vitest";
import { FairWorkerPool } from "../../src/upload/account-turns.ts";

const stays = new AbortController().signal;
const hour = 3_600_000;

/** Opens a pool with a number of workers. Returns the jobs that have begun, and a function that adds a job. */
function openTurns(workers: number, maxWaitMs = hour) {
  const turns = new FairWorkerPool(Array.from({ length: workers }).fill("worker"), maxWaitMs);
  const begun: string[] = [];
  const endings = new Map<string, () => void>();
  const add = (name: string, signal = stays): Promise<string | undefined> => {
    const [account = ""] = name;
    return turns.run({ account, signal }, async () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      begun.push(name);
      endings.set(name, resolve);
      await promise;
      return name;
    });
  };
  /** Ends a running job, and waits until the next one has begun. */
  const end = async (name: string): Promise<void> => {
    endings.get(name)?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { turns, begun, add, end };
}

test("one job of an account runs at a time, and accounts take turns", async () => {
  const { begun, add, end } = openTurns(2);
  const all = ["a1", "a2", "a3", "b1", "c1", "b2"].map((name) => add(name));
  await end("");
  expect(begun).toEqual(["a1", "b1"]);
  await end("a1");
  expect(begun.slice(2)).toEqual(["a2"]);
  await end("b1");
  expect(begun.slice(3)).toEqual(["c1"]);
  for (const name of ["a2", "c1", "a3", "b2"]) await end(name);
  expect(begun.toSorted()).toEqual(["a1", "a2", "a3", "b1", "b2", "c1"]);
  expect(await Promise.all(all)).toEqual(["a1", "a2", "a3", "b1", "c1", "b2"]);
});

test("a job whose signal is aborted before its turn does not run", async () => {
  const { begun, add, end } = openTurns(1);
  const leaving = new AbortController();
  const jobs = [add("a1"), add("b1", leaving.signal), add("c1"), add("d1", AbortSignal.abort())];
  leaving.abort();
  expect(await Promise.all([jobs[1], jobs[3]])).toEqual([undefined, undefined]);
  await end("a1");
  await end("c1");
  expect([begun, await jobs[2]]).toEqual([["a1", "c1"], "c1"]);
});

test("a job that waits too long is refused, and a running one ends", async () => {
  const { begun, add, end } = openTurns(1, 1);
  const first = add("a1");
  await expect(add("b1")).rejects.toMatchObject({ code: "rate_limit_exceeded" });
  await end("a1");
  expect([begun, await first]).toEqual([["a1"], "a1"]);
});

test("the worker of a job that fails serves the next job", async () => {
  const { turns, add, end } = openTurns(1);
  const failed = turns.run({ account: "a", signal: stays }, () => Promise.reject(new Error("unreadable")));
  const next = add("b1");
  await expect(failed).rejects.toThrow("unreadable");
  await end("b1");
  expect(await next).toBe("b1");
});

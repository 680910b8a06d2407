import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type LocalBackends, startLocalBackends } from "@modelgate/testkit";
import { defineScript } from "../src/index.ts";

let backends: LocalBackends;
let redis: Redis;
beforeAll(async () => {
  backends = await startLocalBackends();
  redis = new Redis(backends.redisUrl);
});
afterAll(async () => {
  redis?.disconnect();
  await backends?.[Symbol.asyncDispose]();
});

const folder = mkdtempSync(join(tmpdir(), "modelgate-script-"));
function lua(name: string, text: string): URL {
  const path = join(folder, `${name}.lua`);
  writeFileSync(path, text);
  return pathToFileURL(path);
}

const echo = defineScript({
  file: lua(
    "echo",
    `if not note and fresh then return {'bare'} end
     redis.call('SET', counter, count)
     redis.call('SADD', sets[2], 'member')
     local doubled = {}
     for at, each in ipairs(bounds) do doubled[at] = each * 2 end
     return {'echoed', count = count + 1, amount = amount, fresh = fresh, note = note, doubled = doubled}`,
  ),
  keys: ["counter", "sets[]"],
  args: { count: "number", amount: "nanos", fresh: "flag", note: "text?", bounds: "number[]" },
  replies: {
    echoed: { count: "number", amount: "nanos", fresh: "flag", note: "text?", doubled: "number[]" },
    bare: {},
  },
});
const keys = { counter: "c", sets: ["s1", "s2"] };
const largest = 9_223_372_036_854_775_807n;

describe("defineScript()", () => {
  test("passes keys and arguments to a script by name, and returns the reply's values by name", async () => {
    const reply = await echo(redis, keys, { count: 3, amount: largest, fresh: false, note: "n", bounds: [1, 2] });
    expect(reply).toEqual({ verdict: "echoed", count: 4, amount: largest, fresh: false, note: "n", doubled: [2, 4] });
    expect(await redis.get("c")).toBe("3");
    expect(await redis.smembers("s2")).toEqual(["member"]);
  });

  test("passes undefined as nil, and an empty list", async () => {
    const reply = await echo(redis, keys, { count: 3, amount: 0n, fresh: false, note: undefined, bounds: [] });
    expect(reply).toEqual({ verdict: "echoed", count: 4, amount: 0n, fresh: false, note: undefined, doubled: [] });
    expect(await echo(redis, keys, { count: 3, amount: 0n, fresh: true, note: undefined, bounds: [] })).toEqual({
      verdict: "bare",
    });
  });

  test("uses the order of declaration, not the order of the object", async () => {
    const reply = await echo(redis, keys, { bounds: [5], note: "n", fresh: true, amount: 7n, count: 1 });
    expect(reply).toMatchObject({ count: 2, amount: 7n, fresh: true, doubled: [10] });
  });

  test("loads the script again if Redis no longer has it", async () => {
    await redis.script("FLUSH");
    expect(await echo(redis, keys, { count: 3, amount: 0n, fresh: true, note: undefined, bounds: [] })).toEqual({
      verdict: "bare",
    });
  });

  test("refuses a call without an argument or a key", async () => {
    // @ts-expect-error `bounds` is missing
    await expect(echo(redis, keys, { count: 3, amount: 0n, fresh: true, note: undefined })).rejects.toThrow(
      'echo.lua: the argument "bounds" is missing',
    );
    // @ts-expect-error `sets` is missing
    await expect(echo(redis, { counter: "c" }, argumentsOf())).rejects.toThrow('echo.lua: the key "sets" is missing');
  });

  test("does not compile with an argument that the script does not have", async () => {
    // @ts-expect-error `more` is not declared
    const extra = echo(redis, keys, { ...argumentsOf(), more: 1 });
    await expect(extra).resolves.toBeDefined();
    // @ts-expect-error an amount is a bigint
    await expect(echo(redis, keys, { ...argumentsOf(), amount: 1 })).resolves.toBeDefined();
  });

  test.each([
    { answer: "{'unheard'}", error: 'answers.lua: unknown verdict "unheard"' },
    { answer: "{'found', name = 'n'}", error: 'answers.lua: "found" came without "amount"' },
    { answer: "{'found', amount = 'many', name = 'n'}", error: "Cannot convert many to a BigInt" },
  ])("refuses the reply $answer", async ({ answer, error }) => {
    const script = defineScript({
      file: lua("answers", `return ${answer}`),
      keys: [],
      args: {},
      replies: { found: { name: "text", amount: "nanos" } },
    });
    await expect(script(redis, {}, {})).rejects.toThrow(error);
  });

  test("hides the names from the shared functions", async () => {
    const script = defineScript({
      file: lua("shared-user", "return {'found', name = name_of()}"),
      shared: [lua("shared", "local function name_of() return type(name) end")],
      keys: [],
      args: { name: "text" },
      replies: { found: { name: "text" } },
    });
    await expect(script(redis, {}, { name: "n" })).rejects.toThrow(/nonexistent global variable 'name'/);
  });
});
describe("defineScript() with `grouped`", () => {
  const add = defineScript({
    file: lua("add", "return {'added', sum = redis.call('INCRBY', counter, by)}"),
    keys: ["counter"],
    args: { by: "number" },
    grouped: true,
    replies: { added: { sum: "number" } },
  });
  const rename = defineScript({
    file: lua(
      "rename",
      `if not name then return {'kept'} end
       redis.call('SET', label, name)
       redis.call('INCRBY', label, 1)
       return {'renamed', name = name}`,
    ),
    keys: ["label"],
    args: { name: "text?" },
    grouped: true,
    replies: { renamed: { name: "text" }, kept: {} },
  });

  async function scriptCalls(work: () => Promise<unknown>): Promise<number> {
    await redis.config("RESETSTAT");
    await work();
    return Number(/cmdstat_evalsha:calls=(\d+)/.exec(await redis.info("commandstats"))?.[1] ?? 0);
  }

  test("runs calls of one turn as one command, each with its reply", async () => {
    await add(redis, { counter: "warm" }, { by: 1 });
    const calls = await scriptCalls(async () => {
      const replies = await Promise.all([
        add(redis, { counter: "g1" }, { by: 2 }),
        rename(redis, { label: "g2" }, { name: undefined }),
        add(redis, { counter: "g1" }, { by: 3 }),
        rename(redis, { label: "g3" }, { name: "7" }),
      ]);
      expect(replies).toEqual([
        { verdict: "added", sum: 2 },
        { verdict: "kept" },
        { verdict: "added", sum: 5 },
        { verdict: "renamed", name: "7" },
      ]);
    });
    expect(calls).toBe(1);
  });

  test("rejects only the call that fails", async () => {
    const [before, failing, after] = await Promise.allSettled([
      add(redis, { counter: "g4" }, { by: 1 }),
      rename(redis, { label: "g5" }, { name: "not a number" }),
      add(redis, { counter: "g4" }, { by: 1 }),
    ]);
    expect(before).toMatchObject({ value: { sum: 1 } });
    expect(failing).toMatchObject({ reason: { message: expect.stringContaining("not an integer") } });
    expect(after).toMatchObject({ value: { sum: 2 } });
  });

  test("runs at most 64 calls in one command, in the order of calling", async () => {
    const calls = await scriptCalls(async () => {
      const replies = await Promise.all(Array.from({ length: 130 }, () => add(redis, { counter: "g6" }, { by: 1 })));
      expect(replies.map(({ sum }) => sum)).toEqual(Array.from({ length: 130 }, (_, at) => at + 1));
    });
    expect(calls).toBe(3);
  });

  test("loads the program again if Redis no longer has it", async () => {
    await redis.script("FLUSH");
    expect(await add(redis, { counter: "g7" }, { by: 1 })).toEqual({ verdict: "added", sum: 1 });
  });

  test("refuses a script with lists", () => {
    const shape = { file: lua("listed", "return {'done'}"), args: {}, grouped: true, replies: { done: {} } } as const;
    expect(() => defineScript({ ...shape, keys: ["all[]"] })).toThrow(
      "a script with lists cannot be called in a group",
    );
  });
});

function argumentsOf() {
  return { count: 1, amount: 0n, fresh: true, note: undefined, bounds: [] };
}

import { spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  closeSync,
  existsSync,
  fstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { expect, test } from "vitest";
import { builtProgram } from "../index.ts";
import { root } from "../programs.ts";

const folder = dirname(builtProgram("gateway"));

/** Runs a program after a script. */
function run(program: string, script: string, env: Readonly<Record<string, string>> = {}, words: string[] = []) {
  const hook = `data:text/javascript,${encodeURIComponent(script)}`;
  const { PATH = "", NODE_COMPILE_CACHE = "" } = process.env;
  return spawnSync(process.execPath, ["--import", hook, program, ...words], {
    encoding: "utf8",
    env: { PATH, NODE_COMPILE_CACHE, ...env },
  });
}

test("stack traces name the file and the line of the source", () => {
  const showStack = `
    process.stdout.write = () => {
      process.stderr.write(new Error("shown").stack);
      process.exit();
    };`;
  const { stderr } = run(builtProgram("gatectl"), showStack, {}, ["--help"]);
  const places = [...stderr.matchAll(/at (\w+) \((file:.*\.ts):(\d+):(\d+)\)/g)];
  expect(places.map(([, name]) => name)).toEqual(["print", "runGatectl"]);
  for (const [, , file = "", line, column] of places) {
    const lines = readFileSync(fileURLToPath(file), "utf8").split("\n");
    const text = lines[Number(line) - 1]?.slice(Number(column) - 1);
    expect(text).toMatch(/^(write\(|print\()/);
  }
});

test("stack traces have the code of Node's errors once", () => {
  const showStack = `
    process.stdout.write = () => {
      try {
        new URL("nowhere");
      } catch (error) {
        process.stderr.write(error.stack);
      }
      process.exit();
    };`;
  const { stderr } = run(builtProgram("gatectl"), showStack, {}, ["--help"]);
  expect(stderr.split("\n")[0]).toBe("TypeError [ERR_INVALID_URL]: Invalid URL");
});

/** Returns the sources that the gateway loads with these services. */
function loadedSources(services: string): readonly string[] {
  const listLoaded = `
    import { registerHooks } from "node:module";
    registerHooks({ load: (url, context, next) => (process.stdout.write(url + "\\n"), next(url, context)) });`;
  const { stdout, stderr } = run(builtProgram("gateway"), listLoaded, { MODELGATE_SERVICES: services });
  expect(stderr).toContain("Wrong environment");
  const urls = stdout.split("\n").filter((url) => url.startsWith(`file://${folder}/`));
  const files = urls.filter((url) => existsSync(`${fileURLToPath(url)}.map`)); // the bundler's runtime has no source
  return files.flatMap((url) => {
    const map: { sources: string[] } = JSON.parse(readFileSync(`${fileURLToPath(url)}.map`, "utf8"));
    return map.sources.map((source) => join("/.build/0", source).slice(1));
  });
}

test.each(["edge", "text", "media", "audio", "video", "realtime", "ledger", "control"])(
  "a process that runs %s loads no other service, no test and no tokenizer",
  (name) => {
    const sources = loadedSources(name);
    expect(sources).toContain(`services/${name}/src/service.ts`);
    const own = ["services/gateway/", `services/${name}/`];
    const others = sources.filter((source) => /^(services|e2e|libs\/testkit)\/|gpt-tokenizer/.test(source));
    expect(others.filter((source) => !own.some((folder) => source.startsWith(folder)))).toEqual([]);
  },
);

/** Returns the folders of the packages in the bundle, from the bundler's comments. */
function packagesIn(bundle: string): ReadonlySet<string> {
  const files = readdirSync(bundle).filter((file) => file.endsWith(".js"));
  const found = files.flatMap((file) => [
    ...readFileSync(join(bundle, file), "utf8").matchAll(
      /^\/\/ (node_modules\/.*\/node_modules\/(?:@[^/]+\/)?[^/\n]+)/gm,
    ),
  ]);
  return new Set(found.map(([, name = ""]) => name));
}

test("the bundle has the name, version and licence of every package in it", () => {
  const packages = packagesIn(folder);
  expect(packages.size).toBeGreaterThan(100);
  for (const each of packages) {
    const { name, version } = JSON.parse(readFileSync(join(folder, each, "package.json"), "utf8"));
    expect(each).toMatch(new RegExp(`/${name}$`));
    expect(version).toMatch(/^\d+\.\d+\.\d+/);
  }
  const ioredis = [...packages].find((each) => each.endsWith("/ioredis")) ?? "";
  expect(readFileSync(join(folder, ioredis, "LICENSE"), "utf8")).toContain("Permission is hereby granted");
});

test("the images keep them, and no other package's and no test's files", () => {
  const dockerfile = readFileSync(join(root, "deploy/docker/Dockerfile"), "utf8");
  const removals = [...dockerfile.matchAll(/find \. .*-exec rm -rf \{\} \+/g)].map(([command]) => command);
  expect(removals).toHaveLength(2);
  const kept = "programs/node_modules/.pnpm/one@1.0.0/node_modules/test/package.json";
  for (const command of removals) {
    const tree = mkdtempSync(join(tmpdir(), "modelgate-image-"));
    for (const file of [
      kept,
      "node_modules/one/package.json",
      "libs/one/node_modules/two/a.js",
      "libs/one/test/a.js",
    ]) {
      mkdirSync(dirname(join(tree, file)), { recursive: true });
      writeFileSync(join(tree, file), "");
    }
    expect(spawnSync("sh", ["-c", command], { cwd: tree }).status).toBe(0);
    const files = readdirSync(tree, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    expect(files.map((entry) => relative(tree, join(entry.parentPath, entry.name)))).toEqual([kept]);
    rmSync(tree, { recursive: true });
  }
});

function ask(thread: Worker, message: object): Promise<unknown[]> {
  // The rule concerns windows; a thread's port has exactly one receiver.
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  thread.postMessage(message);
  return once(thread, "message");
}

test("threads run from the bundle: the tokenizer, and the reader of a recording's length", async () => {
  const tokenizer = new Worker(join(folder, "tokenizer-worker.js"));
  expect(await ask(tokenizer, { id: 7, text: "Hello world" })).toEqual([{ id: 7, tokens: 2 }]);
  await tokenizer.terminate();

  const recording = openSync(join(root, "e2e/simulator/src/audio/voice.wav"), "r");
  const reader = new Worker(join(folder, "length-worker.js"));
  expect(await once(reader, "message")).toEqual([{}]); // it is ready
  const { size } = fstatSync(recording);
  expect(await ask(reader, { descriptor: recording, size })).toEqual([{ duration: expect.any(Number) }]);
  await reader.terminate();
  closeSync(recording);
});

test("images start programs that they bundle", () => {
  const dockerfile = readFileSync(join(root, "deploy/docker/Dockerfile"), "utf8");
  const bundled = [...dockerfile.matchAll(/deploy\/build\/main\.ts programs ([\w ]+\w)/g)].map(([, names = ""]) =>
    names.split(" "),
  );
  const started = [...dockerfile.matchAll(/^ENV PROGRAM=programs\/(\w+)\.js$/gm)].map(([, name]) => name);
  expect(bundled).toEqual([["simulator"], ["gateway", "gatectl"]]);
  expect(started).toEqual(["simulator", "gateway"]);
});

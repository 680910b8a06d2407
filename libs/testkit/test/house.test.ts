import { existsSync, globSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, expect, test } from "vitest";

/**
 * Rules of the repository's structure: the layer of each package, its allowed imports, and the only packages that may
 * contain paths of the interface.
 */
const root = join(import.meta.dirname, "../../..");
/** Libraries by layer, the lowest first. The layer after them contains the services. */
const layers = [
  ["contracts"],
  ["formats", "platform"],
  ["wires", "catalog", "accounts", "books"],
  ["providers"],
  ["channels"],
  ["relay"],
] as const satisfies readonly (readonly string[])[];
const serviceLayer = layers.length;
const topPackage = "gateway";

interface Package {
  readonly name: string;
  readonly folder: string;
  readonly dependencies: readonly string[];
  readonly layer: number;
}

const shipped: readonly Package[] = ["libs", "services"].flatMap((kind) =>
  readdirSync(join(root, kind)).flatMap((name) => readPackage(name, join(root, kind, name))),
);
/** All packages. The simulator is among the tests, but follows the same rules. */
const packages: readonly Package[] = [...shipped, ...readPackage("simulator", join(root, "e2e/simulator"))];

describe.each(packages.filter(({ name }) => name !== "testkit"))("$name", ({ name, folder, dependencies, layer }) => {
  const sources = sourcesBelow(join(folder, "src"));

  test("depends on lower layers only", () => {
    expect(dependencies.filter((dependency) => layerOf(dependency) >= layer)).toEqual([]);
  });

  test("imports only declared dependencies, through their exports", () => {
    const wrong = sources.flatMap((file) =>
      importsOf(file)
        .filter((from) => {
          if (from.startsWith(".")) return !join(file, "..", from).startsWith(join(folder, "src"));
          const [, own, rest] = /^@modelgate\/([^/]+)(\/.*)?$/.exec(from) ?? [];
          return own !== undefined && (!dependencies.includes(own) || !exportsOf(own).includes(`.${rest ?? ""}`));
        })
        .map((from) => `${relative(root, file)} imports ${from}`),
    );
    expect(wrong).toEqual([]);
  });

  test("has a README of one screen", () => {
    const readme = join(folder, "README.md");
    expect(existsSync(readme), `${name} has no README.md`).toBe(true);
    expect(readFileSync(readme, "utf8").split("\n").length).toBeLessThanOrEqual(80);
  });
});

/** Packages that may contain paths of vendors, in addition to the endpoint table. */
const mayHavePaths = ["contracts", "providers", "simulator", "testkit"];

describe.each(packages.filter(({ name }) => !mayHavePaths.includes(name)))("$name", ({ folder }) => {
  test("contains no path of the interface: only the endpoint table lists them", () => {
    const spelled = sourcesBelow(join(folder, "src")).flatMap((file) =>
      withoutComments(readFileSync(file, "utf8"))
        .split("\n")
        .filter((line) => /["'`](GET |POST |DELETE )?\/(v1|v1beta|delta|epsilon|kling|jimeng)\//.test(line))
        .map((line) => `${relative(root, file)}: ${line.trim()}`),
    );
    expect(spelled).toEqual([]);
  });
});

describe("services have the same structure", () => {
  const services = shipped.filter(
    ({ folder, name }) =>
      folder.startsWith(join(root, "services")) && existsSync(join(folder, "src/env.ts")) && name !== topPackage,
  );
  /** The edge has steps instead of routes. */
  const entries: Readonly<Record<string, readonly [file: string, function: string]>> = {
    edge: ["app.ts", "createApp"],
  };
  const entryOf = (name: string) => entries[name] ?? ["routes.ts", "routes"];
  const partsOf = (name: string) => ["deps.ts", "env.ts", entryOf(name)[0], "service.ts"];

  test("all eight exist", () => {
    expect(services.map(({ name }) => name).sort()).toEqual(
      ["audio", "control", "edge", "ledger", "media", "realtime", "text", "video"].sort(),
    );
  });

  test.each(services)("$name has the same files, and exports its service", ({ folder, name }) => {
    expect(partsOf(name).filter((part) => !existsSync(join(folder, "src", part)))).toEqual([]);
    const manifest: { exports?: object } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    expect(manifest.exports).toEqual({ ".": "./src/service.ts" });
  });

  test.each(services)("$name exports what a process starts", ({ folder, name }) => {
    const [entry, opens] = entryOf(name);
    const sources = Object.fromEntries(
      partsOf(name).map((part) => [part, readFileSync(join(folder, "src", part), "utf8")]),
    );
    expect(sources["service.ts"]).toMatch(/^export const service = defineService\(/m);
    expect(sources["env.ts"]).toMatch(/^export const variables = serviceVariables\(/m);
    expect(sources["deps.ts"]).toMatch(/^export async function openDeps\(/m);
    expect(sources[entry]).toMatch(new RegExp(`^export function ${opens}\\(`, "m"));
  });
});

test("shipped code does not depend on the suite's tests or the simulator", () => {
  const depends = shipped.filter(({ dependencies }) =>
    ["e2e", "simulator"].some((name) => dependencies.includes(name)),
  );
  expect(depends).toEqual([]);
});

/** Files that read the table of providers by name: for a channel in use, and for one that is being configured. */
const readProviders = [
  "libs/channels/src/supported-wires.ts",
  "services/control/src/configuration/",
  "services/control/src/vendors/",
];

test("the text service imports its responses only through their index", () => {
  const src = join(root, "services/text/src");
  const folder = join(src, "responses");
  const wrong = sourcesBelow(src)
    .filter((file) => !file.startsWith(`${folder}/`))
    .filter((file) =>
      importsOf(file).some((from) => {
        const target = join(file, "..", from);
        return from.startsWith(".") && target.startsWith(`${folder}/`) && target !== join(folder, "index.ts");
      }),
    );
  expect(wrong.map((file) => relative(root, file))).toEqual([]);
});

test("a channel's provider and wires come only from vendorOf", () => {
  const others = shipped
    .flatMap(({ folder }) => sourcesBelow(join(folder, "src")))
    .filter((file) => /\bproviders\[/.test(withoutComments(readFileSync(file, "utf8"))))
    .map((file) => relative(root, file))
    .filter((file) => !readProviders.some((allowed) => file.startsWith(allowed)));
  expect(others).toEqual([]);
});

test("scripts name their keys and arguments", () => {
  const positional = packages.flatMap(({ folder }) =>
    filesBelow(join(folder, "src"), ".lua").filter((path) => /\b(KEYS|ARGV)\b/.test(readFileSync(path, "utf8"))),
  );
  expect(positional).toEqual([]);
});

test("tests are in folders named test, not next to the code", () => {
  const isForeign = (file: string): boolean => file.endsWith("node_modules");
  const tests = globSync("{libs,services,deploy,e2e}/**/*.test.ts", { cwd: root, exclude: isForeign });
  expect(tests.length).toBeGreaterThan(100);
  expect(tests.filter((file) => !file.includes("/test/"))).toEqual([]);
});

test("the test kit starts processes and imports none of them, and no package depends on it at run time", () => {
  const kit = readPackage("testkit", join(root, "libs/testkit"));
  expect(kit.flatMap(({ dependencies }) => dependencies)).toEqual(["build", "deploy"]);
  expect(packages.filter(({ dependencies }) => dependencies.includes("testkit"))).toEqual([]);
});

function readPackage(name: string, folder: string): readonly Package[] {
  const file = join(folder, "package.json");
  if (!existsSync(file)) return [];
  const manifest: { dependencies?: Record<string, string> } = JSON.parse(readFileSync(file, "utf8"));
  const dependencies = Object.keys(manifest.dependencies ?? {}).flatMap((dependency) =>
    dependency.startsWith("@modelgate/") ? [dependency.slice("@modelgate/".length)] : [],
  );
  return [{ name, folder, dependencies, layer: layerOf(name) }];
}

/** Returns the exports of a library, from its package.json. */
function exportsOf(name: string): readonly string[] {
  const files = ["libs", "services"].map((kind) => join(root, kind, name, "package.json"));
  const manifests = files
    .filter((file) => existsSync(file))
    .map((file): { exports?: object } => JSON.parse(readFileSync(file, "utf8")));
  return manifests.flatMap(({ exports }) => Object.keys(exports ?? {}));
}

function layerOf(name: string): number {
  if (name === topPackage) return serviceLayer + 1;
  const layer = layers.findIndex((names) => names.some((known) => known === name));
  return layer < 0 ? serviceLayer : layer;
}

function sourcesBelow(folder: string): readonly string[] {
  return filesBelow(folder, ".ts");
}

function filesBelow(folder: string, ending: string): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(ending))
    .map((file) => join(folder, file));
}

function importsOf(file: string): readonly string[] {
  return [...readFileSync(file, "utf8").matchAll(/^(?:import|export)\b[^;]*?from "([^"]+)"/gms)].map(
    ([, from]) => from ?? "",
  );
}

function withoutComments(source: string): string {
  return source.replaceAll(/\/\*[\s\S]*?\*\//g, "").replaceAll(/^\s*\/\/.*$/gm, "");
}

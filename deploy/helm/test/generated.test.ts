import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { Compile } from "typebox/compile";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { optionalSecrets, rows } from "../../k8s/generate/services.ts";
import { chart, localRelease } from "../generate/chart.ts";
import { examples, folder } from "./helm.ts";

const files = chart(localRelease());

test.each([...files])("%s is what `node deploy/helm/generate/main.ts` writes", (file, text) => {
  expect(readFileSync(join(folder, file), "utf8")).toBe(text);
});

test("the chart contains no other files", () => {
  const found = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) =>
    statSync(join(folder, file)).isFile(),
  );
  expect(found.toSorted()).toEqual([...files.keys()].toSorted());
});

test("a release writes its own version and registry", () => {
  const released = chart({ version: "7.8.9", registry: "ghcr.io/acme" });
  expect(parse(released.get("Chart.yaml") ?? "")).toMatchObject({ version: "7.8.9", appVersion: "7.8.9" });
  expect(parse(released.get("values.yaml") ?? "")).toMatchObject({ image: { registry: "ghcr.io/acme", tag: "" } });
});

const values = (text: string): object => parse(text, { version: "1.1", merge: true });
const schema = Compile(JSON.parse(files.get("values.schema.json") ?? ""));

test("values.yaml has the defaults of the schema", () => {
  expect([...schema.Errors(values(files.get("values.yaml") ?? ""))]).toEqual([]);
});

interface Group {
  readonly properties?: Readonly<Record<string, Group>>;
}

/** Returns the paths of all values of a schema. */
function pathsOf({ properties = {} }: Group, path = ""): readonly string[] {
  const members = Object.entries(properties);
  return members.length === 0 ? [path] : members.flatMap(([name, member]) => pathsOf(member, `${path}.${name}`));
}

test("each value is used by a template of an object", () => {
  const allValues: Group = JSON.parse(files.get("values.schema.json") ?? "");
  const templates = [...files].filter(([file]) => file.startsWith("templates/") && !file.endsWith("NOTES.txt"));
  const used = new Set(
    templates.flatMap(([, text]) => [...text.matchAll(/\.Values((?:\.\w+)+)/g)].map(([, path = ""]) => path)),
  );
  // Helm sets `global`. The templates of the services and of the simulator name their values `$service`.
  const paths = pathsOf(allValues).filter((path) => !/^\.(global|services|simulator)\b/.test(path));
  expect(paths.filter((path) => !used.has(path))).toEqual([]);
});

test.each([...new Set(rows.flatMap(({ secrets }) => secrets))].filter((key) => !optionalSecrets.has(key)))(
  "the README's command that creates the Secret has the key %s",
  (key) => {
    expect(readFileSync(join(folder, "../README.md"), "utf8")).toContain(`--from-literal=${key}=`);
  },
);

test("there are eight example values files", () => {
  expect(examples).toHaveLength(8);
});

test.each(examples)("%s names only existing values", (name) => {
  const text = readFileSync(join(folder, `../examples/${name}.yaml`), "utf8");
  expect(unknownIn(values(text), values(files.get("values.yaml") ?? ""))).toEqual([]);
});

/** Returns the paths of an object that the defaults do not have. Maps with free names are ignored. */
function unknownIn(values: unknown, defaults: unknown, path = ""): readonly string[] {
  if (!isObject(values) || !isObject(defaults) || Object.keys(defaults).length === 0) return [];
  if (/\/(env|annotations|labels|scrapers|resources)$/.test(path)) return [];
  return Object.entries(values).flatMap(([name, value]) =>
    name in defaults ? unknownIn(value, defaults[name], `${path}/${name}`) : [`${path}/${name}`],
  );
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

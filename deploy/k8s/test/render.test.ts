import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parseObjects } from "../render/kustomization.ts";
import { nameOf, renderFolder } from "../render/kustomize.ts";
import { textOf, type Fields } from "../render/value.ts";

const folder = join(import.meta.dirname, "..");
const hasKubectl = spawnSync("kubectl", ["version", "--client"]).status === 0;
if (!hasKubectl) process.stdout.write("kubectl: not on this machine, so the renderer is not held against it\n");
const idOf = (object: Fields): string => `${textOf(object["kind"])}/${nameOf(object)}`;

describe.each(["base", "overlays/local", "overlays/production", "overlays/small"])("%s", (name) => {
  test("renders each object once", () => {
    const places = renderFolder(join(folder, name)).map(idOf);
    expect(places.length).toBeGreaterThan(15);
    expect(new Set(places).size).toBe(places.length);
  });

  test.skipIf(!hasKubectl)("renders like kubectl", () => {
    const { stdout, stderr, status } = spawnSync("kubectl", ["kustomize", join(folder, name)], { encoding: "utf8" });
    expect(stderr).toBe("");
    expect(status).toBe(0);
    const byPlace = (objects: readonly Fields[]) => Object.fromEntries(objects.map((object) => [idOf(object), object]));
    expect(byPlace(renderFolder(join(folder, name)))).toEqual(byPlace(parseObjects(stdout)));
  });
});

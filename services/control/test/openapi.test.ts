import { join } from "node:path";
import { expect, test } from "vitest";
import { openApiOfControl } from "../src/openapi/document.ts";
import { guarded } from "../src/openapi/guard.ts";

test("openapi.json, which the console's types are made of, is what the table of operations says", async () => {
  const text = `${JSON.stringify(openApiOfControl(), undefined, 2)}\n`;
  await expect(text).toMatchFileSnapshot(join(import.meta.dirname, "../openapi.json"));
});

test("every schema that is referred to is there, and every operation has an id of its own", () => {
  const document = openApiOfControl();
  const text = JSON.stringify(document);
  const { components, paths }: { components: { schemas: object }; paths: Record<string, Record<string, any>> } =
    JSON.parse(text);
  const named = [...text.matchAll(/#\/components\/schemas\/(\w+)/g)].map(([, name]) => name);
  expect(named.filter((name) => !Object.hasOwn(components.schemas, name ?? ""))).toEqual([]);
  const ids = Object.values(paths).flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId));
  expect(new Set(ids).size).toBe(ids.length);
  expect(document["openapi"]).toBe("3.1.0");
});

test("a route that no row of the table guards is an error, and so is a row without a route", () => {
  const route = async () => ({});
  expect(() => guarded({ "GET /loose": route }, {})).toThrow("GET /loose");
  const row = { summary: "", area: "system", role: "viewer", answer: "text/csv" } as const;
  expect(() => guarded({}, { "GET /missing": row })).toThrow("GET /missing");
});

import { join } from "node:path";
import { expect, test } from "vitest";
import { openApiOfControl } from "../src/openapi/document.ts";
import { guardRoutes } from "../src/openapi/guard.ts";

test("openapi.json, the source of the console's types, matches the table of operations", async () => {
  const text = `${JSON.stringify(openApiOfControl(), undefined, 2)}\n`;
  await expect(text).toMatchFileSnapshot(join(import.meta.dirname, "../openapi.json"));
});

test("every referenced schema exists, and every operation has a unique id", () => {
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

test("a route that is not in the table is an error, and so is an operation without a route", () => {
  const route = async () => ({});
  const noAccess = async () => undefined;
  expect(() => guardRoutes({ "GET /loose": route }, {}, noAccess)).toThrow("GET /loose");
  const row = { summary: "", area: "system", role: "viewer", answer: "text/csv" } as const;
  expect(() => guardRoutes({}, { "GET /missing": row }, noAccess)).toThrow("GET /missing");
});

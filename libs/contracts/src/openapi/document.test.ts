import { expect, test } from "vitest";
import { endpointIds, endpointOf } from "../endpoints/table.ts";
import { openApi } from "./document.ts";

const document = JSON.parse(JSON.stringify(openApi()));

test("every endpoint is described once, under its own name", () => {
  const described = Object.values(document.paths).flatMap((path) =>
    Object.values(path as object).map(({ operationId }) => operationId),
  );
  expect(described.toSorted()).toEqual([...endpointIds].toSorted());
});

test("every reference leads somewhere", () => {
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)].map(
    ([, name]) => name ?? "",
  );
  expect(references.length).toBeGreaterThan(0);
  for (const name of references) expect(document.components.schemas).toHaveProperty([name]);
});

test("declared-only endpoints promise 501 and nothing else but 401", () => {
  for (const id of endpointIds.filter((id) => endpointOf(id).unimplemented)) {
    const { path, method } = endpointOf(id);
    expect(Object.keys(document.paths[path][method.toLowerCase()].responses).toSorted()).toEqual(["401", "501"]);
  }
});

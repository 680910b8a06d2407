import { expect, test } from "vitest";
import { endpointIds, endpointOf, type EndpointId } from "../../src/endpoints/table.ts";
import { openApi } from "../../src/openapi/document.ts";

const document = JSON.parse(JSON.stringify(openApi()));

test("every endpoint is described once, under its name", () => {
  const described = Object.values(document.paths).flatMap((path) =>
    Object.values(path as object).map(({ operationId }) => operationId),
  );
  expect(described.toSorted()).toEqual([...endpointIds].toSorted());
});

test("no schema is named twice: names are paths, and there is no $id", () => {
  expect(JSON.stringify(document)).not.toContain('"$id"');
  const { content } = document.components.schemas.ChatRequest.properties.messages.items.properties;
  expect(content.anyOf[1].items).toEqual({ $ref: "#/components/schemas/ChatPart" });
});

test("every reference can be resolved", () => {
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)].map(
    ([, name]) => name ?? "",
  );
  expect(references.length).toBeGreaterThan(0);
  for (const name of references) expect(document.components.schemas).toHaveProperty([name]);
});

test("declared-only endpoints promise 501, and only the refusals of keys: 401 and 403", () => {
  for (const id of endpointIds.filter((id) => endpointOf(id).unimplemented)) {
    const { path, method } = endpointOf(id);
    expect(Object.keys(document.paths[path][method.toLowerCase()].responses).toSorted()).toEqual(["401", "403", "501"]);
  }
});

test.each<[EndpointId, readonly string[]]>([
  ["listModels", ["200", "401"]],
  ["chatCompletions", ["200", "400", "429"]],
  ["createVideo", ["200", "400"]],
  ["getVideo", ["200", "404"]],
  ["getVideoContent", ["200", "404"]],
  ["textToVideo", ["200", "400"]],
  ["getTextToVideo", ["200", "404"]],
  ["imageToVideo", ["200", "400"]],
  ["getImageToVideo", ["200", "404"]],
  ["epsilon", ["200", "400", "404"]],
  ["createVideoGeneration", ["200", "400"]],
  ["getVideoGeneration", ["200", "404"]],
  ["realtime", ["101", "400"]],
])("%s documents the statuses %j", (id, statuses) => {
  const { path, method } = endpointOf(id);
  expect(Object.keys(document.paths[path][method.toLowerCase()].responses)).toEqual(
    expect.arrayContaining([...statuses]),
  );
});

test.each<[EndpointId, string, boolean]>([
  ["listModels", "alpha-version", false],
  ["messages", "alpha-version", true],
  ["countMessageTokens", "alpha-version", true],
  ["epsilon", "Action", true],
  ["epsilon", "Version", true],
  ["realtime", "model", false],
  ["getVideo", "task_id", true],
])("%s documents its parameter %s", (id, name, required) => {
  const { path, method } = endpointOf(id);
  expect(document.paths[path][method.toLowerCase()].parameters).toContainEqual(
    expect.objectContaining({ name, required }),
  );
});

test("a model list fails in the format of its client", () => {
  const { schema } = document.paths["/v1/models"].get.responses["401"].content["application/json"];
  expect(schema.anyOf.map(({ $ref }: { $ref: string }) => $ref.split("/").at(-1))).toEqual([
    "ErrorResponse",
    "AlphaErrorResponse",
    "GammaErrorResponse",
  ]);
});

import { afterEach, beforeEach, expect, test } from "vitest";
import { Failure } from "../../src/failures/failure.ts";
import { failures, type FailureCode, type FailureKind } from "../../src/failures/registry.ts";
import { failureHeaders, renderFailure, type ErrorFormat } from "../../src/failures/render.ts";

/** Failure that is not in the registry. CONTRIBUTING states that a new failure needs only a row there. */
const toy: FailureKind = {
  status: 418,
  type: "toy_type",
  alpha: "toy_alpha",
  gamma: "TOY_GAMMA",
  retryable: false,
  message: "It is a toy.",
};

beforeEach(() => void Object.assign(failures, { toy_failure: toy }));
afterEach(() => void Reflect.deleteProperty(failures, "toy_failure"));

/** The type does not contain the toy's code. */
function toyCode(): FailureCode {
  const code = Object.keys(failures).find((each): each is FailureCode => each === "toy_failure");
  if (code === undefined) throw new Error("the toy is not in the registry");
  return code;
}

test("a failure needs only a row: status, message and headers come from it", () => {
  const failure = new Failure(toyCode());
  expect(failure).toMatchObject({ code: "toy_failure", status: 418, message: "It is a toy.", kind: toy });
  expect(failureHeaders(failure)).toEqual({ "x-should-retry": "false" });
});

test.each<readonly [ErrorFormat, object]>([
  ["common", { error: { type: "toy_type", code: "toy_failure", message: "It is a toy." } }],
  ["alpha", { type: "error", error: { type: "toy_alpha", message: "It is a toy." } }],
  ["gamma", { error: { code: 418, status: "TOY_GAMMA", message: "It is a toy." } }],
  ["task", { code: "toy_failure", error: { type: "toy_type", code: "toy_failure" } }],
  ["epsilon", { code: 418, error: { type: "toy_type", code: "toy_failure" } }],
  ["ollama", { error: "It is a toy." }],
])("its body in the format %s comes from the row", (format, body) => {
  expect(renderFailure(format, new Failure(toyCode()), "r1")).toMatchObject(body);
});

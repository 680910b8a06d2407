import { afterEach, expect, test, vi } from "vitest";
import { Failure, type FailureCode } from "@modelgate/contracts";
import { createLogger } from "@modelgate/platform";
import { onError } from "../../src/steps/on-error.ts";
import { callOf } from "./call.ts";

const { log } = createLogger("test", "silent");
afterEach(() => void vi.restoreAllMocks());

test.each<[FailureCode, readonly string[]]>([
  ["api_not_implemented", []],
  ["invalid_value", []],
  ["server_overloaded", ["warn"]],
  ["internal_error", ["error"]],
])("%s is logged as %j: clients cannot fill the log with errors", (code, levels) => {
  const spies = (["info", "warn", "error", "fatal"] as const).map((level) => ({ level, spy: vi.spyOn(log, level) }));
  const { request, response } = callOf();
  onError(log)(new Failure(code), request, response, undefined);
  expect(spies.filter(({ spy }) => spy.mock.calls.length > 0).map(({ level }) => level)).toEqual(levels);
});

test.each([
  ["/v1/chat/completions", { error: { code: "internal_error" } }],
  ["/v1/messages", { type: "error", error: { type: "api_error" } }],
  ["/v1beta/models/m:generateContent", { error: { code: 500, status: "INTERNAL" } }],
])("a step that throws on %s is answered in its format, without what was thrown", (path, body) => {
  const { request, response, answer } = callOf({ path });
  onError(log)(new Error("secret"), request, response, undefined);
  expect(answer().status).toBe(500);
  expect(JSON.parse(answer().body)).toMatchObject(body);
  expect(answer().body).not.toContain("secret");
});

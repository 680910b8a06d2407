import { expect, test, vi } from "vitest";
import { Failure, type FailureCode } from "@modelgate/contracts";
import { createLogger } from "@modelgate/platform";
import { logFailure } from "../src/request-end.ts";

/** The levels at which a failure is logged. */
function levelsOf(code: FailureCode): readonly string[] {
  const { log } = createLogger("test", "silent");
  const levels = (["info", "warn", "error", "fatal"] as const).map((level) => ({ level, spy: vi.spyOn(log, level) }));
  logFailure(log, new Failure(code), { requestId: "req-1", traceId: "trace-1" });
  return levels.filter(({ spy }) => spy.mock.calls.length > 0).map(({ level }) => level);
}

test.each<[FailureCode, readonly string[]]>([
  ["api_not_implemented", []],
  ["invalid_value", []],
  ["server_overloaded", ["warn"]],
  ["internal_error", ["error"]],
])("%s is logged as %j: clients cannot fill the log with errors", (code, levels) => {
  expect(levelsOf(code)).toEqual(levels);
});

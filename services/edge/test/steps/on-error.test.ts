import { afterEach, expect, test, vi } from "vitest";
import { Failure, type FailureCode } from "@modelgate/contracts";
import { createLogger, type RefusedCalls } from "@modelgate/platform";
import { onError } from "../../src/steps/on-error.ts";
import { identifyCaller } from "../../src/steps/caller.ts";
import { matchEndpoint } from "../../src/steps/endpoint.ts";
import { callOf, run, token } from "./call.ts";

const { log } = createLogger("test", "silent");
const refused = { add: vi.fn<RefusedCalls["add"]>() };
afterEach(() => void vi.restoreAllMocks());

test.each<[FailureCode, path: string, readonly string[]]>([
  ["api_not_implemented", "/v1/fine-tunes", []],
  ["api_not_implemented", "/v1/chat/completions", ["warn"]], // its service has no address
  ["invalid_value", "/v1/chat/completions", []],
  ["server_overloaded", "/v1/fine-tunes", ["warn"]],
  ["internal_error", "/v1/chat/completions", ["error"]],
])("%s at %s is logged as %j: clients cannot fill the log with errors", async (code, path, levels) => {
  const spies = (["info", "warn", "error", "fatal"] as const).map((level) => ({ level, spy: vi.spyOn(log, level) }));
  const call = callOf({ path });
  await run(call, matchEndpoint);
  onError({ log, refused })(new Failure(code), call.request, call.response, undefined);
  expect(spies.filter(({ spy }) => spy.mock.calls.length > 0).map(({ level }) => level)).toEqual(levels);
});

test.each([
  ["/v1/chat/completions", { error: { code: "internal_error" } }],
  ["/v1/messages", { type: "error", error: { type: "api_error" } }],
  ["/v1beta/models/m:generateContent", { error: { code: 500, status: "INTERNAL" } }],
])("a step that throws on %s is answered in the format of the endpoint, without the thrown error", (path, body) => {
  const { request, response, answer } = callOf({ path });
  onError({ log, refused })(new Error("secret"), request, response, undefined);
  expect(answer().status).toBe(500);
  expect(JSON.parse(answer().body)).toMatchObject(body);
  expect(answer().body).not.toContain("secret");
});

test("a refusal is recorded if the key is known, even if the key itself is refused", async () => {
  const unknown = callOf();
  const failure = new Failure("api_key_disabled");
  onError({ log, refused })(failure, unknown.request, unknown.response, undefined);
  expect(refused.add).not.toHaveBeenCalled();
  const disabled = callOf();
  const tokens = { find: () => ({ ...token, disabled: true }), [Symbol.dispose]: () => undefined };
  await expect(run(disabled, matchEndpoint, identifyCaller(tokens, 0))).rejects.toMatchObject({
    code: "api_key_disabled",
  });
  onError({ log, refused })(failure, disabled.request, disabled.response, undefined);
  expect(refused.add.mock.calls).toEqual([
    [
      {
        requestId: disabled.context.requestId,
        accountId: "account-1",
        tokenId: "token-1",
        endpoint: "POST /v1/chat/completions",
      },
      failure,
    ],
  ]);
});

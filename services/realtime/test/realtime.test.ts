import { describe, expect, test } from "vitest";
import { withoutSecrets, sendableCode, sendableReason, endingByClient, endingByVendor } from "../src/closing.ts";
import { chooseProtocol } from "../src/handshake.ts";
import { SessionTraffic } from "../src/session-traffic.ts";
import { RecentIds } from "../src/recent-ids.ts";
import { PendingTranscripts } from "../src/pending-transcripts.ts";

test.each([
  [1000, 1000],
  [1001, 1001],
  [1005, 1000],
  [1006, 1011],
  [1015, 1011],
  [1004, 1011],
  [1009, 1009],
  [1016, 1011],
  [2999, 1011],
  [3000, 3000],
  [4999, 4999],
  [5000, 1011],
])("a side that closed with %i is closed for the other with %i", (code, expected) =>
  expect(sendableCode(code)).toBe(expected),
);

test("a reason is cut between characters, and contains no address and no key", () => {
  expect(sendableReason("go to https://vendor.example/x with sk-abcdef123456")).toBe("go to [address] with [key]");
  for (const reason of ["ä".repeat(100), "😀".repeat(50), `a${"😀".repeat(50)}`]) {
    const sendable = sendableReason(reason);
    expect(Buffer.byteLength(sendable)).toBeLessThanOrEqual(123);
    expect(Buffer.byteLength(sendable)).toBeGreaterThan(119);
    expect(reason.startsWith(sendable)).toBe(true);
  }
});

test("a vanished client is not reported to its vendor as an error; a client's close code is forwarded", () => {
  expect(endingByClient(1006, "")).toEqual({ code: 1011, reason: "", vendorCode: 1000 });
  expect(endingByClient(4001, "mine")).toEqual({ code: 4001, reason: "mine", vendorCode: 4001 });
});

test.each([
  {
    closed: "in order",
    code: 1000,
    failed: false,
    isOutstanding: false,
    ending: { code: 1000, reason: "bye" },
    failureCode: undefined,
  },
  {
    closed: "in order, in the middle of an answer",
    code: 1000,
    failed: false,
    isOutstanding: true,
    ending: { code: 1000, reason: "bye" },
    failureCode: "upstream_error",
  },
  {
    closed: "without a word",
    code: 1006,
    failed: false,
    isOutstanding: false,
    ending: { code: 1011, reason: "bye" },
    failureCode: "upstream_error",
  },
  {
    closed: "after its own error",
    code: 1006,
    failed: true,
    isOutstanding: true,
    ending: { code: 1011, reason: "bye" },
    failureCode: undefined,
  },
])("a vendor that closes $closed", ({ code, failed, isOutstanding, ending, failureCode }) => {
  const { failure, ...rest } = endingByVendor(code, "bye", { hasFailed: failed, isOutstanding });
  expect(rest).toEqual(ending);
  expect(failure?.code).toBe(failureCode);
});

test("without a reason of the vendor, the error is the reason", () =>
  expect(endingByVendor(1006, "", { hasFailed: false, isOutstanding: false }).reason).toBe("upstream_error"));

test.each<[readonly string[], string | false]>([
  [["realtime", "openai-beta.realtime-v1"], "realtime"],
  [["openai-insecure-api-key.sk-1", "realtime"], "realtime"],
  [["openai-insecure-api-key.sk-1"], false],
  [["another"], false],
])("of %j the selected subprotocol is %s", (offered, answered) =>
  expect(chooseProtocol(new Set(offered))).toBe(answered),
);

test("an id is new once, and only the latest ids are remembered", () => {
  const ids = new RecentIds();
  expect([ids.add("a"), ids.add("a")]).toEqual([true, false]);
  for (let at = 0; at < 256; at++) ids.add(`b${at}`);
  expect(ids.add("a")).toBe(true);
});

test("a turn is transcribed by the model that was set at its time; above the maximum the oldest are dropped", () => {
  const transcripts = new PendingTranscripts();
  const one = { model: "one" };
  transcripts.add("first", one);
  transcripts.add("second", undefined);
  expect(transcripts.isPending).toBe(true);
  expect([transcripts.remove("second"), transcripts.remove("first"), transcripts.remove("first")]).toEqual([
    undefined,
    one,
    undefined,
  ]);
  expect(transcripts.isPending).toBe(false);
  for (let at = 0; at <= 256; at++) transcripts.add(`turn ${at}`, one);
  expect([transcripts.remove("turn 0"), transcripts.remove("turn 1")]).toEqual([undefined, one]);
});

test("traffic is counted until it is settled, and is checked at intervals", () => {
  const passed = new SessionTraffic();
  passed.addInput(4_800, 8);
  expect([passed.hasOutput, passed.addOutput(0, 4)]).toEqual([false, false]);
  expect(passed.units).toEqual({ inputTokens: 2, outputTokens: 1, inputAudioTokens: 1 });
  // The reservation is checked after every 256 tokens of text.
  expect([passed.addOutput(0, 1_024), passed.addOutput(0, 4), passed.addOutput(0, 1_024)]).toEqual([true, false, true]);
  passed.startNextUse();
  expect([passed.hasOutput, passed.units]).toEqual([false, {}]);
});

describe("a vendor's error", () => {
  const text = (data: string) => ({ data: Buffer.from(data), binary: false });
  test("loses only the addresses and keys in its message", () => {
    const cleaned = withoutSecrets(
      text('{"type":"error","error":{"message":"Incorrect key sk-abcdef123456","code":"c"}}'),
    );
    expect(JSON.parse(cleaned.data.toString())).toEqual({
      type: "error",
      error: { message: "Incorrect key [key]", code: "c" },
    });
  });

  test.each([
    '{"type":"error","error":{"message":"No such item."}}',
    '{"type":"error","error":"sk-abcdef123456"}',
    '{"type":"error", garbage',
    '{"type":"response.output_text.delta","delta":"sk-abcdef123456"}',
  ])("of other types passes unchanged: %s", (data) => {
    const message = text(data);
    expect(withoutSecrets(message)).toBe(message);
  });
});

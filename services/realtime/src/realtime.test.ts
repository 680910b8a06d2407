import { describe, expect, test } from "vitest";
import { cleanError } from "./clean-error.ts";
import { carriedCode, carriedReason } from "./closing.ts";
import { chooseProtocol } from "./handshake.ts";
import { RecentIds } from "./recent-ids.ts";

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
])("a side that closed with %i is told to the other as %i", (code, carried) => expect(carriedCode(code)).toBe(carried));

test("a reason is cut between characters, and holds no address and no key", () => {
  expect(carriedReason("go to https://vendor.example/x with sk-abcdef123456")).toBe("go to [address] with [key]");
  for (const reason of ["ä".repeat(100), "😀".repeat(50), `a${"😀".repeat(50)}`]) {
    const carried = carriedReason(reason);
    expect(Buffer.byteLength(carried)).toBeLessThanOrEqual(123);
    expect(Buffer.byteLength(carried)).toBeGreaterThan(119);
    expect(reason.startsWith(carried)).toBe(true);
  }
});

test.each<[readonly string[], string | false]>([
  [["realtime", "openai-beta.realtime-v1"], "realtime"],
  [["openai-insecure-api-key.sk-1", "realtime"], "realtime"],
  [["openai-insecure-api-key.sk-1"], false],
  [["another"], false],
])("of %j the subprotocol that is answered is %s", (offered, answered) =>
  expect(chooseProtocol(new Set(offered))).toBe(answered),
);

test("an id is new once, and only the latest are remembered", () => {
  const ids = new RecentIds();
  expect([ids.add("a"), ids.add("a")]).toEqual([true, false]);
  for (let at = 0; at < 256; at++) ids.add(`b${at}`);
  expect(ids.add("a")).toBe(true);
});

describe("a vendor's error", () => {
  const text = (data: string) => ({ data: Buffer.from(data), binary: false });
  test("loses the addresses and keys of its words, and nothing else", () => {
    const cleaned = cleanError(text('{"type":"error","error":{"message":"Incorrect key sk-abcdef123456","code":"c"}}'));
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
  ])("of other kinds passes as it came: %s", (data) => {
    const message = text(data);
    expect(cleanError(message)).toBe(message);
  });
});

import { describe, expect, test } from "vitest";
import { refersToOwnItem, withReferences } from "../../src/responses/item-references.ts";

const thought = { type: "reasoning", id: "rs_a1_0", summary: [], encrypted_content: "sealed" };
const unsealed = { type: "reasoning", id: "rs_a1_1", summary: [] };
const message = { type: "message", id: "msg_a1_2", role: "assistant", status: "completed", content: [] };
const response = { response: { output: [thought, unsealed, message] }, input: [], ancestors: [] };
const reference = (id: string) => ({ type: "item_reference", id });

describe("an item reference", () => {
  test.each([
    ["a message of this gateway", reference("msg_a1_2"), true],
    ["without its type", { id: "rs_a1_0" }, true],
    ["the vendor's", reference("msg_68af05d2"), false],
    ["a complete message", { role: "user", id: "msg_a1_2", content: "Hi" }, false],
    ["a complete reasoning item", thought, false],
  ])("%s: %j names an item of this gateway: %s", (_, item, ours) => {
    expect(refersToOwnItem(item)).toBe(ours);
  });

  test("is replaced by its item, if it can be sent again", () => {
    const user = { role: "user", content: "Hi" };
    const items = [user, reference("rs_a1_0"), { id: "rs_a1_1" }, reference("msg_a1_2"), reference("msg_a1_9")];
    expect(withReferences(items, [undefined, response])).toEqual([
      user,
      thought,
      { ...message, id: undefined, status: undefined },
      reference("msg_a1_9"),
    ]);
  });
});

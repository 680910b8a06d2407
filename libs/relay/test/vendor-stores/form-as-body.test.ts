import { expect, test } from "vitest";
import { runToEnd } from "@modelgate/formats/json";
import { plainDialect, vendorIdsIn } from "@modelgate/wires/vendor-stores";
import { formAsBody } from "../../src/vendor-stores/form-as-body.ts";

test("form fields are read as vendors read them", () => {
  const entries = [
    ["voice[id]", "v"],
    ["file_ids[]", "a"],
    ["file_ids[1]", "b"],
    ["input_reference[file_id]", "c"],
    ["plain", "d"],
    ["odd]", "e"],
    ["__proto__[file_id]", "f"],
  ] as const;
  expect(runToEnd(vendorIdsIn(plainDialect, formAsBody(entries))).map(({ path }) => path)).toEqual([
    "voice.id",
    "file_ids[0]",
    "file_ids[1]",
    "input_reference.file_id",
    "__proto__.file_id",
  ]);
});

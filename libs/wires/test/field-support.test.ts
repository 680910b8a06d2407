import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fieldSupport as chat } from "../src/text/chat/field-support.ts";
import { fieldSupport as content } from "../src/text/content/field-support.ts";
import { fieldSupport as converse } from "../src/text/converse/field-support.ts";
import { fieldSupportTable } from "../src/text/hub/field-support.ts";
import { fieldSupport as messages } from "../src/text/messages/field-support.ts";
import { fieldSupport as responses } from "../src/text/responses/field-support.ts";

test.each(Object.entries({ chat, content, converse, messages, responses }))(
  "the table in the README of %s is the code's",
  (wire, fieldSupport) => {
    const readme = readFileSync(join(import.meta.dirname, "../src/text", wire, "README.md"), "utf8");
    expect(readme).toContain(fieldSupportTable(fieldSupport));
  },
);

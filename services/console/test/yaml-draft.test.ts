import { expect, test } from "vitest";
import { editorText } from "../src/parts/yaml-draft.ts";

const draft = { text: "mine", basedOn: 3 };

test.each([
  {
    name: "no draft: the newest version",
    version: 4,
    draft: undefined,
    shown: { text: "theirs", basedOn: 4, isOutdated: false, maySave: false },
  },
  {
    name: "a draft of the newest version",
    version: 3,
    draft,
    shown: { text: "mine", basedOn: 3, isOutdated: false, maySave: true },
  },
  {
    name: "a draft, after another person saved a version",
    version: 4,
    draft,
    shown: { text: "mine", basedOn: 3, isOutdated: true, maySave: false },
  },
  {
    name: "a draft without changes",
    version: 3,
    draft: { text: "theirs", basedOn: 3 },
    shown: { text: "theirs", basedOn: 3, isOutdated: false, maySave: false },
  },
])("the YAML editor shows $name", ({ version, draft: edited, shown }) => {
  expect(editorText({ document: "theirs", version }, edited)).toEqual(shown);
});

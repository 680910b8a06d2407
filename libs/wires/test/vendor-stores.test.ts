import { describe, expect, test } from "vitest";
import fc from "fast-check";
import { runToEnd } from "@modelgate/formats/json";
import { wires as realtimeWires } from "../src/realtime/index.ts";
import { wires } from "../src/text/index.ts";
import {
  createdIn,
  plainDialect,
  storeMembers,
  vendorIdsIn,
  type CreatedReader,
  type StoreDialect,
} from "../src/vendor-stores/index.ts";
import { videoStoreDialect } from "../src/video/index.ts";

const {
  chat: {
    client: { stores: chat },
  },
  responses: {
    client: { stores: responses },
  },
  messages: {
    client: { stores: messages },
  },
  content: {
    client: { stores: content },
  },
  interactions: {
    client: { stores: interactions },
  },
} = wires;
const dialects: Readonly<Record<string, StoreDialect>> = {
  chat,
  responses,
  messages,
  content,
  interactions,
  realtime: realtimeWires.realtime.client.stores,
  video: videoStoreDialect,
  other: plainDialect,
};
const madeBy: Readonly<Record<"chat" | "responses" | "messages", CreatedReader>> = {
  chat: chat.created,
  responses: responses.created,
  messages: messages.created,
};

/** A value that names an object, and the path of the name within the value. */
const valuesWithIds = {
  id: ["x_1", ""],
  object: [{ id: "x_1" }, ".id"],
  "id-or-object": ["x_1", ""],
  address: ["gs://bucket/object", ""],
  "file-address": ["files/abc", ""],
  text: ["fileid://file-1", ""],
  setting: [[{}], ""],
  "made-voice": ["voice_1", ""],
  json: ['{"file_id":"x_1"}', ".file_id"],
} as const;

const camel = (name: string): string => name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

describe("every member of the table, and every wire's own member", () => {
  const cases = Object.entries(dialects).flatMap(([wire, dialect]) =>
    [...storeMembers, ...(dialect.members ?? [])].flatMap((member) =>
      member.names
        .filter((name) => dialect.without?.includes(name) !== true)
        .map((name) => ({ wire, dialect, name, member })),
    ),
  );
  test.each(cases)("$wire $name is found in every spelling and at every depth", ({ dialect, name, member }) => {
    const [value, behind] = valuesWithIds[member.naming];
    const type = member.of === undefined ? {} : { type: member.of };
    for (const spelled of [name, camel(name), name.toUpperCase(), name.replaceAll("_", "")]) {
      const holder = { ...type, [spelled]: value };
      const findIds = (body: object) => runToEnd(vendorIdsIn(dialect, body)).map(({ store, path }) => [store, path]);
      expect(findIds(holder)).toContainEqual([member.store, spelled + behind]);
      const deep = findIds({ any: [{ thing: holder }] });
      if (member.top === true) expect(deep).toEqual([]);
      else expect(deep).toContainEqual([member.store, `any[0].thing.${spelled}${behind}`]);
    }
  });

  test.each(cases)("$wire $name names nothing if it is empty", ({ dialect, name }) => {
    for (const empty of [null, false, "", [], {}])
      expect(runToEnd(vendorIdsIn(dialect, { [name]: empty }))).toEqual([]);
  });
});

test.each([
  ["https://generativelanguage.googleapis.com/v1beta/files/a", true],
  [" HTTPS://user@GenerativeLanguage.googleapis.com.:443/v1beta/files/a", true],
  ["https://generativelanguage.googleapis.com%2e/v1beta/files/a", true],
  ["https://us-central1-aiplatform.googleapis.com/v1/x", true],
  ["https://own.test/v1/files/a", true],
  ["https://own.test/v1/%66iles/a", true],
  ["https://own.test/public/a.png", false],
  ["https://storage.googleapis.com/bucket/files/a", false],
  ["https://notgenerativelanguage.googleapis.com.evil.test/files/a", false],
  ["https://example.com/files/a", false],
  ["data:image/png;base64,files/", false],
  ["https://", true],
  ["gs://a/b", true],
  ["GS://a/b", true],
  ["files/a", true],
])("the file at %j is in a store: %s", (fileUri, isStored) => {
  const hosts = new Set(["own.test"]);
  expect(runToEnd(vendorIdsIn(content, { fileData: { fileUri } }, hosts)).length).toBe(isStored ? 1 : 0);
  expect(runToEnd(vendorIdsIn(chat, { image_url: { url: fileUri } }, hosts)).length).toBe(isStored ? 1 : 0);
});

describe("interactions name files by address in every content", () => {
  const uri = "https://generativelanguage.googleapis.com/v1beta/files/abc";
  test.each(["image", "audio", "video", "document"])("%s", (type) => {
    const input = [
      { type: "user_input", content: [{ type, uri }] },
      { type: "function_result", call_id: "a", result: [{ type, uri }] },
      { type: "function_result", call_id: "a", result: { type, uri } },
    ];
    expect(runToEnd(vendorIdsIn(interactions, { input }))).toEqual([
      { store: "file", id: uri, path: "input[0].content[0].uri" },
      { store: "file", id: uri, path: "input[1].result[0].uri" },
      { store: "file", id: uri, path: "input[2].result.uri" },
    ]);
  });
  test("a function's JSON result names none", () => {
    const input = [{ type: "function_result", call_id: "a", result: { uri, file_id: "file-1" } }];
    expect(runToEnd(vendorIdsIn(interactions, { input }))).toEqual([]);
  });
});

test("every path that a body reports leads to the named object", () => {
  const names = fc.constantFrom("file_id", "container", "input", "content", "url", "id", "type", "__proto__", "a");
  const { body } = fc.letrec((tie) => ({
    body: fc.oneof(
      { maxDepth: 5 },
      fc.constantFrom("x", "gs://a", null, 1, "item_reference"),
      fc.array(tie("body"), { maxLength: 3 }),
      fc.dictionary(names, tie("body"), { maxKeys: 4 }),
    ),
  }));
  fc.assert(
    fc.property(body, fc.constantFrom(...Object.values(dialects)), (value, dialect) => {
      const parsed: unknown = JSON.parse(JSON.stringify(value));
      for (const { path, id } of runToEnd(vendorIdsIn(dialect, parsed))) {
        const steps = path.split(/[.[\]]+/).filter((step) => step !== "");
        const valueAtPath = steps.reduce((at: any, step) => at?.[step], parsed);
        expect(String(valueAtPath).startsWith(id)).toBe(true);
      }
    }),
  );
});

describe("the objects that an answer says its vendor created", () => {
  test("do not include text that a model or a tool wrote", () => {
    const foreign = {
      file_id: "foreign",
      container_id: "foreign",
      container: { id: "foreign" },
      audio: { id: "foreign" },
    };
    const content = [
      { type: "tool_use", input: foreign },
      { type: "mcp_tool_result", content: [{ type: "text", ...foreign }] },
      { type: "web_fetch_tool_result", content: { content: [foreign] } },
    ];
    expect(createdIn(madeBy.messages, { content })).toEqual([]);
    const output = [{ type: "function_call", arguments: JSON.stringify(foreign), output: foreign }];
    expect(createdIn(madeBy.responses, { output })).toEqual([]);
    const annotations = [{ type: "file_citation", file_id: "foreign" }];
    expect(createdIn(madeBy.responses, { output: [{ type: "message", content: [{ annotations }] }] })).toEqual([]);
    expect(createdIn(madeBy.chat, { choices: [{ message: { tool_calls: [foreign] } }] })).toEqual([]);
  });

  test("are limited in number", () => {
    const output = Array.from({ length: 5_000 }, (_, at) => ({ type: "message", id: `msg_${at}` }));
    expect(createdIn(madeBy.responses, { output }).length).toBe(1_000);
  });
});

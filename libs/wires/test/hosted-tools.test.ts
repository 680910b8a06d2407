import { describe, expect, test } from "vitest";
import { textCodecs } from "../src/index.ts";
import type { JsonObject, TextWire } from "../src/text/hub/request.ts";
import { plain } from "./harness.ts";

const target = { model: "theirs", defaultMaxTokens: 1_000 };
const look = { type: "function", name: "look", parameters: { type: "object", properties: { at: {} } }, strict: false };
const asked = (body: JsonObject) => textCodecs.responses.parseRequest({ model: "m", input: "Go", ...body }, {}).request;
const told = (wire: TextWire, body: JsonObject, model = target.model) => {
  const { body: rendered, dropped } = textCodecs[wire].renderRequest(asked(body), { ...target, model });
  return { body: plain(rendered), dropped };
};

/** Agents offer a search of the vendor with every request, whatever vendor it goes to. */
describe("a search on the web", () => {
  const versions = ["web_search", "web_search_preview", "web_search_2025_08_26", "web_search_preview_2025_03_11"];

  test.each(versions)("of the version %s stays what it is, and is a search elsewhere", (type) => {
    const body = { tools: [{ type, search_context_size: "low" }] };
    expect(told("responses", body)).toMatchObject({ body, dropped: [] });
    expect(told("messages", body).body).toMatchObject({ tools: [{ name: "web_search" }] });
    expect(told("content", body).body).toMatchObject({ tools: [{ googleSearch: {} }] });
  });

  test.each(["gpt-5.1", "deepseek-chat"])("is not told to %s, which would refuse it", (model) => {
    const { body, dropped } = told("chat", { tools: [look, { type: "web_search" }] }, model);
    expect(body).toMatchObject({ tools: [{ function: { name: "look" } }] });
    expect(body).not.toHaveProperty("web_search_options");
    expect(dropped).toEqual(["tools.web-search"]);
  });

  test("gives way to functions where the vendor takes one or the other", () => {
    const { body, dropped } = told("content", { tools: [look, { type: "web_search" }], tool_choice: "auto" });
    expect(body["tools"]).toMatchObject([{ functionDeclarations: [{ name: "look" }] }]);
    expect(body["tools"]).toHaveLength(1);
    expect(dropped).toEqual(["tools.web-search"]);
  });

  test("is asked for without a word on functions that are not there", () => {
    const { body, dropped } = told("content", { tools: [{ type: "web_search" }], tool_choice: "auto" });
    expect(body).not.toHaveProperty("toolConfig");
    expect(dropped).toEqual(["toolChoice"]);
  });
});

import { expect, test } from "vitest";
import { providers } from "@modelgate/providers";
import { withKnownPrices } from "../../src/vendors/known-prices.ts";

const model = (id: string, more: object = {}) => ({
  id,
  kind: "chat" as const,
  price: null,
  contextTokens: null,
  ...more,
});
const openaiBaseUrl = providers["openai"]?.baseUrl ?? "";

test.each([
  { what: "a model that the catalogue knows", baseUrl: openaiBaseUrl, id: "gpt-4o", priced: true },
  { what: "a model that it does not know", baseUrl: openaiBaseUrl, id: "demo-chat", priced: false },
  { what: "another vendor of the same formats", baseUrl: "https://v.example/v1", id: "gpt-4o", priced: false },
])("$what has the catalogue's price: $priced", ({ baseUrl, id, priced }) => {
  const { models } = withKnownPrices({ models: [model(id)], message: null }, { provider: "openai", baseUrl });
  const [found] = models;
  expect(found?.price !== null).toBe(priced);
  if (priced) expect(found?.price).toMatchObject({ input: expect.any(Number), output: expect.any(Number) });
});

test("a price that the vendor reports is kept", () => {
  const listed = { models: [model("gpt-4o", { price: { input: 7 } })], message: null };
  expect(withKnownPrices(listed, { provider: "openai", baseUrl: openaiBaseUrl })).toEqual(listed);
});

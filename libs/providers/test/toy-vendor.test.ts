import { expect, test } from "vitest";
import type { VendorRow } from "../src/by-name/row.ts";
import { vendorOfRow } from "../src/by-name/vendor.ts";

/** Vendor that is in no table. CONTRIBUTING states that a vendor of known wires needs only a row. */
const toy: VendorRow = {
  title: "Toy",
  baseUrl: "https://toy.example/v1",
  keyVariable: "TOY_API_KEY",
  wires: ["chat", "messages", "jina-rerank"],
  paths: { "jina-rerank": "/rank" },
  modelsAt: "none",
  docs: "https://toy.example/docs",
};
const { baseUrl } = toy;
const call = {
  act: "answer",
  baseUrl,
  key: "k",
  nowMs: 0,
  model: "m",
  stream: false,
  body: Buffer.from("{}"),
} as const;

test.each([
  ["chat", "https://toy.example/v1/chat/completions"],
  ["messages", "https://toy.example/v1/messages"],
  ["jina-rerank", "https://toy.example/v1/rank"],
] as const)("a row defines a vendor that is called in %s at %s with its key", (wire, address) => {
  const request = vendorOfRow("toy", toy).request({ ...call, wire });
  expect(request.url.href).toBe(address);
  expect(request.headers).toMatchObject({ authorization: "Bearer k" });
});

test("a row defines the vendor's name, wires, model list and failures", () => {
  const vendor = vendorOfRow("toy", toy);
  expect(vendor).toMatchObject({ name: "toy", title: "Toy", wires: toy.wires, keyVariable: "TOY_API_KEY" });
  expect(vendor.modelsAt).toBeUndefined();
  expect(vendor.moreWires).not.toContain("chat");
  const failure = vendor.failureOf(401, JSON.stringify({ error: { code: "invalid_api_key" } }));
  expect(failure).toMatchObject({ code: "upstream_auth_failed", blame: "key" });
});

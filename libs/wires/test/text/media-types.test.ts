import { expect, test } from "vitest";
import { runToEnd } from "@modelgate/formats/json";
import { wires } from "../../src/text/wires.ts";

const sent = (wire: "content" | "messages", body: string): string =>
  runToEnd(wires[wire].pass.upstreamBody(Buffer.from(body), { model: undefined, reportUsage: false })).toString();

test.each([
  [
    "content",
    '{"inlineData": {"mimeType": "image/jpg", "data":"AA=="}}',
    '{"inlineData": {"mimeType": "image/jpeg", "data":"AA=="}}',
  ],
  ["content", '{"inline_data":{"mime_type" : "image/jpg"}}', '{"inline_data":{"mime_type" : "image/jpeg"}}'],
  [
    "messages",
    '{"source":{"media_type":"image/jpg"},"x":{"media_type":"image/jpg"}}',
    '{"source":{"media_type":"image/jpeg"},"x":{"media_type":"image/jpeg"}}',
  ],
] as const)("%s: image/jpg, which the vendor refuses, is sent as image/jpeg: %s", (wire, body, expected) => {
  expect(sent(wire, body)).toBe(expected);
});

test.each([
  ["a text that mentions it", { text: '"mimeType":"image/jpg"' }],
  ["an argument of that value", { args: { type: "image/jpg" } }],
])("%s is unchanged", (_, part) => {
  const body = JSON.stringify({ contents: [{ parts: [part] }] });
  expect(sent("content", body)).toBe(body);
});

test("images in results and by address are sent with the type that vendors know", () => {
  const parts = [
    { functionCall: { id: "c", name: "f", args: {} } },
    {
      functionResponse: {
        id: "c",
        name: "f",
        response: {},
        parts: [{ inlineData: { mimeType: "image/jpg", data: "AA==" } }],
      },
    },
    { fileData: { mimeType: "image/jpg", fileUri: "https://a.test/a" } },
  ];
  const { request } = wires.content.client.read({ contents: [{ parts }] }, { model: "m" });
  expect(JSON.stringify(request)).not.toContain("image/jpg");
  expect(JSON.stringify(request).match(/image\/jpeg/g)).toHaveLength(2);
});

import { expect, test } from "vitest";
import { Failure } from "@modelgate/contracts";
import { runToEnd } from "@modelgate/formats/json";
import { decodeImages, readImageBody, readImageForm, refuseWithoutImage } from "../src/images/index.ts";

/** Base64 of bytes that begin like a PNG file. */
const png = Buffer.from("\x89PNG\r\n\x1a\n and more", "latin1").toString("base64");
const simpleBody = { model: "m", prompt: "a fox" };
const edit = { ...simpleBody, image: `data:image/png;base64,${png}` };
const item = { text: "a fox" };
const qwenBody = (content: readonly object[], parameters: object = {}) => ({
  model: "m",
  input: { messages: [{ role: "user", content }] },
  parameters,
});

function paramOf(read: () => unknown): string | undefined {
  try {
    read();
  } catch (error) {
    if (error instanceof Failure) return error.param;
    throw error;
  }
  throw new Error("nothing was refused");
}

test.each<[what: string, body: object, param: string]>([
  ["no model", { prompt: "a fox" }, "model"],
  ["no prompt", { model: "m" }, "prompt"],
  ["a prompt that is not a string", { ...simpleBody, prompt: ["a", "fox"] }, "prompt"],
  ["a prompt above the maximum", { ...simpleBody, prompt: "x".repeat(32_001) }, "prompt"],
  ["a number of 0 images", { ...simpleBody, n: 0 }, "n"],
  ["too many requested images", { ...simpleBody, n: 11 }, "n"],
  ["a number as text", { ...simpleBody, n: "2" }, "n"],
  ["half a size", { ...simpleBody, size: "1024" }, "size"],
  ["an invalid size", { ...simpleBody, size: "0x0" }, "size"],
  ["an unknown form", { ...simpleBody, response_format: "hex" }, "response_format"],
  ["an unknown format", { ...simpleBody, output_format: "bmp" }, "output_format"],
  ["compression above 100", { ...simpleBody, output_compression: 101 }, "output_compression"],
  ["an invalid value of stream", { ...simpleBody, stream: "true" }, "stream"],
  ["an image that is a number", { ...simpleBody, image: 7 }, "image"],
  ["an image that is not Base64", { ...simpleBody, image: "no image !" }, "image"],
  ["an empty image", { ...simpleBody, image: "" }, "image"],
  ["Base64 of text", { ...simpleBody, image: Buffer.from("just words").toString("base64") }, "image"],
  ["a data URL of text", { ...simpleBody, image: "data:text/plain;base64,aGk=" }, "image"],
  ["a data URL that is not Base64", { ...simpleBody, image: "data:image/png,%89PNG" }, "image"],
  ["a data URL with another type's bytes", { ...simpleBody, image: "data:image/png;base64,aGkgdGhlcmU=" }, "image"],
  ["an invalid image among valid ones", { ...edit, image: [edit.image, "x y"] }, "image[1]"],
  ["too many images", { ...simpleBody, image: Array.from({ length: 17 }, () => png) }, "image"],
  ["a mask without an image", { ...simpleBody, mask: edit.image }, "image"],
  ["no messages", { model: "m", input: {} }, "input.messages"],
  ["messages that are not a list", { model: "m", input: { messages: "hi" } }, "input.messages"],
  ["an empty list", { model: "m", input: { messages: [] } }, "input.messages"],
  ["two messages", { model: "m", input: { messages: [{ content: [item] }, { content: [item] }] } }, "input.messages"],
  [
    "another's words",
    { model: "m", input: { messages: [{ role: "system", content: [item] }] } },
    "input.messages[0].role",
  ],
  ["no content", { model: "m", input: { messages: [{ role: "user" }] } }, "input.messages[0].content"],
  ["an empty item", qwenBody([item, {}]), "input.messages[0].content[1]"],
  ["no text", qwenBody([{ image: edit.image }]), "input.messages[0].content"],
  ["an invalid image", qwenBody([item, { image: "x y" }]), "input.messages[0].content[1].image"],
  ["a wrong size", qwenBody([item], { size: "big" }), "parameters.size"],
  ["too many", qwenBody([item], { n: 99 }), "parameters.n"],
])("%s is refused, and the field is named", (_, body, param) => {
  expect(paramOf(() => runToEnd(decodeImages(readImageBody(body).request)))).toBe(param);
});

test.each([
  ["a simple body", simpleBody, "image"],
  ["a Qwen-style body", qwenBody([item]), "input.messages[0].content[].image"],
])("%s without an image is refused", (_, body, param) => {
  expect(paramOf(() => refuseWithoutImage(readImageBody(body).request))).toBe(param);
});

test("a form with a text in place of a file is refused", () => {
  const fields = [...Object.entries(simpleBody), ["image", "hello there"]] as const;
  expect(paramOf(() => readImageForm({ fields, files: [] }))).toBe("image[0]");
});

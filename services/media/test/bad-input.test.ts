import { request } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startArea, type Area } from "../../../libs/relay/test/area.ts";
import { keys } from "../../../libs/relay/test/config.ts";
import { service } from "../src/service.ts";
import { costOf, imagesConfig, postImages, qwenBody } from "./images-suite.ts";
import { samplePng } from "./pictures.ts";

let area: Area;
beforeAll(async () => {
  area = await startArea(service, {
    config: imagesConfig,
    env: { BODY_BYTES: "2000000", BUFFER_BYTES: "5000000" },
    limits: { media: { images: { maxBytes: 200_000, timeoutMs: 500 } } },
  });
});
afterAll(() => area?.[Symbol.asyncDispose]());

const simpleBody = { model: "tokens", prompt: "a fox" };
const item = { text: "a fox" };

/** Errors that only the service detects; `libs/wires/test/images-bad-input.test.ts` tests errors in the body. */
test.each([
  ["no prompt", { model: "tokens" }, "prompt", ""],
  ["an unknown model", { ...simpleBody, model: "absent" }, "model", ""],
  ["a model of another kind", { ...simpleBody, model: "chat" }, "model", ""],
  ["a file of another store", { ...simpleBody, images: [{ file_id: "file-1" }] }, "images[0].file_id", ""],
  ["an invalid image", qwenBody("tokens", [item, { image: "x y" }]), "input.messages[0].content[1].image", ""],
  [
    "an unreachable image",
    { ...simpleBody, image: "http://169.254.169.254/latest" },
    "image",
    "not on the public internet",
  ],
  [
    "an image at a private address",
    { ...simpleBody, image: "http://localhost:6379/" },
    "image",
    "not on the public internet",
  ],
  [
    "an image URL without a host",
    { ...simpleBody, image: "https://nowhere.invalid/a.png" },
    "image",
    "cannot be fetched",
  ],
])("%s is refused, and the field is named", async (_, body, param, words) => {
  const { status, body: answer } = await postImages(area, "generations", body);
  expect([400, 404]).toContain(status);
  expect(answer.error).toMatchObject({ type: "invalid_request_error", param });
  expect(answer.error.message).toContain(words);
});

test("an edit without an image is refused", async () => {
  const { status, body: answer } = await postImages(area, "edits", simpleBody);
  expect({ status, ...answer.error }).toMatchObject({
    status: 400,
    code: "missing_required_parameter",
    param: "image",
  });
});

const form = (...parts: readonly (readonly [name: string, value: string | Buffer])[]): FormData => {
  const formData = new FormData();
  for (const [name, value] of parts)
    if (typeof value === "string") formData.append(name, value);
    else formData.append(name, new File([new Uint8Array(value)], "a.png", { type: "image/png" }));
  return formData;
};
const whole = [
  ["model", "tokens"],
  ["prompt", "a fox"],
] as const;

test.each<[string, FormData, number, string | null]>([
  ["without a prompt", form(["model", "tokens"], ["image", samplePng()]), 400, "prompt"],
  [
    "with a file of another store",
    form(...whole, ["image", samplePng()], ["reference[file_id]", "file-1"]),
    400,
    "reference.file_id",
  ],
  ["with a file that is not an image", form(...whole, ["image[]", Buffer.from("words")]), 400, "image[]"],
  ["with an image that is too large", form(...whole, ["image", samplePng(200_001)]), 413, "image"],
  [
    "with too many images",
    form(...whole, ...Array.from({ length: 18 }, () => ["image[]", samplePng()] as const)),
    413,
    null,
  ],
  [
    "with too many parts",
    form(...whole, ...Array.from({ length: 100_000 }, (_, at) => [`f${at}`, "x"] as const)),
    413,
    null,
  ],
])("a form %s", async (_, body, status, param) => {
  const answer = await postImages(area, "edits", body);
  expect(answer.status).toBe(status);
  expect(answer.body.error.param).toBe(param);
});

test.each([
  ["without a boundary", "multipart/form-data", "--x\r\n", 400, "content-type"],
  [
    "cut in the middle",
    "multipart/form-data; boundary=x",
    '--x\r\ncontent-disposition: form-data; name="a"\r\n\r\nb',
    400,
    null,
  ],
  ["of words", "text/plain", "draw a fox", 415, "content-type"],
  ["that is not JSON", "application/json", "{", 400, null],
  [
    "that names two files and shows one",
    "application/json",
    `{"reference":{"file_id":"file-1"},"reference":{},${JSON.stringify(simpleBody).slice(1)}`,
    400,
    "reference",
  ],
  ["that is too large", "application/json", JSON.stringify({ ...simpleBody, image: "A".repeat(2_000_000) }), 413, null],
])("a body %s", async (_, type, body, status, param) => {
  const answer = await postImages(area, "edits", body, { "content-type": type });
  expect(answer.status).toBe(status);
  expect(answer.body.error.param).toBe(param);
});

test("images above the process's memory limit are refused until there is room", async () => {
  const large = form(...whole, ...Array.from({ length: 10 }, () => ["image[]", samplePng(190_000)] as const));
  const { status, body } = await postImages(area, "edits", large);
  expect({ status, ...body.error }).toMatchObject({ status: 503, code: "server_overloaded" });
  // The memory of refused requests is released.
  const half = form(
    ...whole,
    ["n", "0"],
    ...Array.from({ length: 10 }, () => ["image[]", samplePng(190_000)] as const),
  );
  for (let at = 0; at < 4; at++) expect((await postImages(area, "edits", half)).status).toBe(400);
});

test("a client that stops uploading is disconnected, and holds no memory", async () => {
  const asking = request(`${area.url}/v1/images/edits`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${keys.demo}`,
      "content-type": "multipart/form-data; boundary=x",
      "content-length": "1000000",
    },
  });
  asking.on("error", () => undefined);
  asking.write('--x\r\ncontent-disposition: form-data; name="image"; filename="a.png"\r\n\r\n\x89PNG');
  await new Promise((resolve) => setImmediate(resolve));
  asking.destroy();
  expect((await area.settled("demo")).spentNanos).toBe(0n);
});

test("none of these calls was charged or reached a vendor", async () => {
  const cost = await costOf(area, () => postImages(area, "generations", { ...simpleBody, image: "http://[::1]/" }));
  expect(cost).toBe(0n);
  expect((await area.account("demo")).spentNanos).toBe(0n);
  expect(await area.simulator.requests("pictures")).toEqual([]);
});

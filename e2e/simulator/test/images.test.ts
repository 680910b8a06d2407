import OpenAI, { toFile } from "openai";
import { afterAll, beforeAll, expect, test } from "vitest";
import { pictureOf } from "../src/pictures/picture.ts";
import { simulate, startSimulator, type Started } from "./started.ts";

let simulator: Started;
let client: OpenAI;
beforeAll(async () => {
  simulator = await startSimulator({ authorization: "Bearer key" });
  client = new OpenAI({ baseURL: `${simulator.url}/openai/v1`, apiKey: "key", maxRetries: 0 });
});
afterAll(() => simulator[Symbol.asyncDispose]());

const aigc = "/dashscope/api/v1/services/aigc";
const generation = `${aigc}/multimodal-generation/generation`;
const png = pictureOf({ words: "x", width: 4, height: 4, format: "png" });
const file = () => toFile(png, "x.png", { type: "image/png" });
const qwenRequest = (model: string, content: readonly object[], more: object = {}) => ({
  model,
  input: { messages: [{ role: "user", content }] },
  ...more,
});

test("the official SDK gets bytes of images from newer models, and URLs from older ones", async () => {
  const created = await client.images.generate({ model: "gpt-image-1", prompt: "a fox", n: 2, size: "256x256" });
  expect(created.data?.map((image) => Object.keys(image))).toEqual([["b64_json"], ["b64_json"]]);
  expect(created.usage).toMatchObject({ input_tokens: 2, output_tokens: 2_112 });
  const edited = await client.images.edit({ model: "dall-e-2", prompt: "at night", image: await file() });
  const answer = await fetch(edited.data?.[0]?.url ?? "");
  expect(answer.headers.get("content-type")).toBe("image/png");
});

test.each<[string, object, string]>([
  ["no prompt", { model: "gpt-image-1" }, "prompt"],
  [
    "a format that the model does not support",
    { model: "gpt-image-1", prompt: "x", response_format: "url" },
    "response_format",
  ],
  ["a stream of an older model", { model: "dall-e-3", prompt: "x", stream: true }, "stream"],
  ["a size with an asterisk", { model: "gpt-image-1", prompt: "x", size: "1*1" }, "size"],
  ["an unknown member", { model: "gpt-image-1", prompt: "x", strange: 1 }, "strange"],
])("%s is refused", async (_, body, param) => {
  const { status, body: refused } = await simulator.post("/openai/v1/images/generations", body);
  expect({ status, param: refused.error.param }).toEqual({ status: 400, param });
});

test("an edit without an image, or with text in its place, is refused", async () => {
  const image = await toFile(Buffer.from("words"), "x.png", { type: "image/png" });
  await expect(client.images.edit({ prompt: "x", image })).rejects.toMatchObject({ status: 400, param: "image" });
  await expect(client.images.edit({ prompt: "x", image: [] })).rejects.toMatchObject({ status: 400 });
});

test("models of Qwen without tasks answer with images", async () => {
  const { body } = await simulator.post(
    generation,
    qwenRequest("qwen-image", [{ text: "a fox" }], { parameters: { n: 2 } }),
  );
  expect(body).toMatchObject({ output: { choices: [{}, {}] }, usage: { image_count: 2 } });
  expect(body.output.choices[0].message.content[0].image).toContain("/pictures/1328x1328/");
});

test.each<[string, string, object, number, string]>([
  ["a model that is served as a task", generation, qwenRequest("wan2.5", [{ text: "x" }]), 400, "InvalidParameter"],
  ["an edit without an image", generation, qwenRequest("qwen-image-edit", [{ text: "x" }]), 400, "InvalidParameter"],
  ["two texts", generation, qwenRequest("qwen-image", [{ text: "x" }, { text: "y" }]), 400, "InvalidParameter"],
  [
    "a size with an x",
    generation,
    qwenRequest("q", [{ text: "x" }], { parameters: { size: "8x8" } }),
    400,
    "InvalidParameter",
  ],
  ["a synchronous request to a model with tasks", `${aigc}/text2image/image-synthesis`, {}, 403, "AccessDenied"],
])("%s is refused", async (_, path, sent, status, code) => {
  const refused = await simulator.post(path, sent);
  expect({ status: refused.status, code: refused.body.code }).toEqual({ status, code });
});

test("a task progresses with each poll, and is shown only to the key that created it", async () => {
  const start = (prompt: string) =>
    simulator.post(
      `${aigc}/text2image/image-synthesis`,
      { model: "wan2.5", input: { prompt } },
      { "x-dashscope-async": "enable" },
    );
  const poll = async (id: string, key = "key") => {
    const answer = await fetch(`${simulator.url}/dashscope/api/v1/tasks/${id}`, {
      headers: { authorization: `Bearer ${key}` },
    });
    return JSON.parse(await answer.text());
  };
  const { body: begun } = await start("a fox");
  expect(begun.output.task_status).toBe("PENDING");
  const id: string = begun.output.task_id;
  expect(await poll(id, "another")).toMatchObject({ code: "InvalidTask" });
  expect((await poll(id)).output.task_status).toBe("RUNNING");
  expect((await poll(id)).output).toMatchObject({
    task_status: "SUCCEEDED",
    results: [{ actual_prompt: "Extended: a fox" }],
  });
  const { body: failing } = await start(simulate({ finish: "FAILED", errorCode: "DataInspectionFailed" }));
  await poll(failing.output.task_id);
  expect((await poll(failing.output.task_id)).output).toMatchObject({
    task_status: "FAILED",
    code: "DataInspectionFailed",
  });
});

import { GoogleGenAI } from "@google/genai";
import { JWT } from "google-auth-library";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { simulate, startSimulator, type Started } from "./started.ts";

let started: Started;
let sdk: GoogleGenAI;
beforeAll(async () => {
  started = await startSimulator({ authorization: "Bearer ya29.token" });
  const file: { private_key: string; client_email: string } = JSON.parse(
    await (await fetch(`${started.url}/_account/vertex`)).text(),
  );
  sdk = sdkOf(file.client_email, file.private_key);
});
afterAll(() => started[Symbol.asyncDispose]());

/** Creates the SDK with tokens that the service account signs itself. */
function sdkOf(email: string, key: string): GoogleGenAI {
  // The SDK depends on another version of the package.
  const authClient: any = new JWT({ email, key, scopes: "https://www.googleapis.com/auth/cloud-platform" });
  authClient.useJWTAccessWithScope = true;
  return new GoogleGenAI({
    vertexai: true,
    project: "p",
    location: "us-central1",
    googleAuthOptions: { authClient },
    httpOptions: { baseUrl: `${started.url}/vertex` },
  });
}

const publishersPath = "/vertex/v1/projects/p/locations/us-central1/publishers";
const model = "gemini-3-flash";

describe("the official SDK", () => {
  test("generates", async () => {
    const answer = await sdk.models.generateContent({ model, contents: simulate({ text: "Ah" }) });
    expect([answer.text, answer.usageMetadata?.candidatesTokenCount]).toEqual(["Ah", 1]);
  });

  test("generates as a stream", async () => {
    const stream = await sdk.models.generateContentStream({ model, contents: "Hello there" });
    let text = "";
    for await (const piece of stream) text += piece.text ?? "";
    expect(text).toBe("You said: Hello there");
  });

  test("counts", async () => {
    expect((await sdk.models.countTokens({ model, contents: "Hello" })).totalTokens).toBe(2);
  });

  test.each([
    ["text-embedding-005", ["Hello there"]],
    ["text-embedding-005", ["Hello there", "Good morning"]],
    ["gemini-embedding-001", ["Hello there"]],
  ])("embeds with %s", async (model, contents) => {
    const { embeddings = [] } = await sdk.models.embedContent({ model, contents, config: { outputDimensionality: 8 } });
    expect(embeddings.map(({ values, statistics }) => [values?.length, statistics?.tokenCount])).toEqual(
      contents.map(() => [8, 3]),
    );
  });

  test("generates images with Imagen", async () => {
    const config = { numberOfImages: 2, aspectRatio: "16:9", negativePrompt: "rain", outputMimeType: "image/jpeg" };
    const { generatedImages = [] } = await sdk.models.generateImages({
      model: "imagen-4.0-generate-001",
      prompt: "A boat",
      config,
    });
    expect(generatedImages.map(({ image }) => [image?.mimeType, image?.imageBytes?.slice(0, 4)])).toEqual([
      ["image/jpeg", "/9j/"],
      ["image/jpeg", "/9j/"],
    ]);
  });

  test("gets an error for an unknown account", async () => {
    const { private_key: key }: { private_key: string } = JSON.parse(
      await (await fetch(`${started.url}/_account/vertex`)).text(),
    );
    const answer = sdkOf("stranger@p.iam.gserviceaccount.com", key).models.countTokens({ model, contents: "a" });
    await expect(answer).rejects.toMatchObject({ status: 401 });
  });
});

test("contents without a role are refused", async () => {
  const { status, body } = await started.post(`${publishersPath}/google/models/${model}:generateContent`, {
    contents: [{ parts: [{ text: "a" }] }],
  });
  expect([status, body.error.message]).toEqual([400, "Please use a valid role: user, model."]);
});

describe("Claude", () => {
  const request = {
    anthropic_version: "vertex-2023-10-16",
    max_tokens: 50,
    messages: [{ role: "user", content: "Hi" }],
  };

  test("answers complete and streamed", async () => {
    const { body } = await started.post(`${publishersPath}/anthropic/models/claude-x:rawPredict`, request);
    expect(body.content).toMatchObject([{ text: "You said: Hi" }]);
    const path = `${publishersPath}/anthropic/models/claude-x:streamRawPredict`;
    const frames = await started.stream(path, { ...request, stream: true });
    expect(frames.at(-1)?.event).toBe("message_stop");
  });

  test.each([
    ["another version", { anthropic_version: "2023-06-01" }],
    ["a model in its body", { model: "claude-x" }],
  ])("refuses %s", async (_, more) => {
    const { status } = await started.post(`${publishersPath}/anthropic/models/claude-x:rawPredict`, {
      ...request,
      ...more,
    });
    expect(status).toBe(400);
  });
});

import OpenAI, { toFile } from "openai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { until } from "@modelgate/testkit";
import { startArea, type Area } from "../../../libs/relay/test/area.ts";
import { keys } from "../../../libs/relay/test/config.ts";
import { service } from "../src/service.ts";
import { costOf, imagesConfig, postImages } from "./images-suite.ts";
import { pictureIn, samplePng } from "./pictures.ts";

let area: Area;
let client: OpenAI;
beforeAll(async () => {
  area = await startArea(service, {
    config: imagesConfig,
    // The shutdown waits this long for requests that a test left open.
    env: { HEARTBEAT_MS: "200", DRAIN_MS: "2000" },
    limits: { media: { images: { taskWaitMs: 1_900, firstPollMs: 150 } } },
  });
  client = new OpenAI({ baseURL: `${area.url}/v1`, apiKey: keys.demo, maxRetries: 0 });
});
afterAll(() => area?.[Symbol.asyncDispose]());

async function pictureOf(image: { url?: string | undefined; b64_json?: string | undefined } | undefined) {
  if (image?.b64_json !== undefined) return pictureIn(Buffer.from(image.b64_json, "base64"));
  return pictureIn(Buffer.from(await (await fetch(image?.url ?? "")).arrayBuffer()));
}

const file = (bytes: Buffer, name = "in.png") => toFile(bytes, name, { type: "image/png" });
const simulate = (behaviour: object) => `a fox {{simulate: ${JSON.stringify(behaviour)}}}`;

describe("a stream", () => {
  const events = async (model: string, more: object = {}) => {
    const stream = await client.images.generate({ model, prompt: "a fox", stream: true, size: "256x256", ...more });
    const receivedEvents = [];
    for await (const event of stream) receivedEvents.push(event);
    return receivedEvents;
  };

  test("of partial images, if the vendor supports them", async () => {
    const cost = await costOf(area, async () => {
      const streamEvents = await events("tokens", { partial_images: 2 });
      expect(streamEvents.map(({ type }) => type)).toEqual([
        "image_generation.partial_image",
        "image_generation.partial_image",
        "image_generation.completed",
      ]);
      expect(await pictureOf(streamEvents[2])).toEqual({ type: "png", width: 256, height: 256 });
      expect(streamEvents[2]).toMatchObject({ usage: { input_tokens: 2, output_tokens: 1_056 } });
    });
    // 2 × $10 + 1,056 × $40 per million
    expect(cost).toBe(20_000n + 42_240_000n);
  });

  test("of an edit", async () => {
    const stream = await client.images.edit({
      model: "tokens",
      prompt: "at night",
      image: await file(samplePng()),
      stream: true,
      partial_images: 1,
    });
    const receivedEvents = [];
    for await (const event of stream) receivedEvents.push(event.type);
    expect(receivedEvents).toEqual(["image_edit.partial_image", "image_edit.completed"]);
  });

  test.each(["synchronous", "tasks", "content"])(
    "of the finished image, if the vendor does not support partial ones: %s",
    async (model) => {
      const [only, ...others] = await events(model);
      expect(others).toEqual([]);
      expect(only).toMatchObject({ type: "image_generation.completed" });
      expect(await pictureOf(only)).toMatchObject({ type: "png" });
    },
  );

  test.each([
    ["per image", "extras", 40_000_000n],
    // 13 × $10 and, for an image of the best quality, 4,160 × $40 per million
    ["by tokens", "tokens", 130_000n + 166_400_000n],
  ])("whose client disconnects is charged, since the image is being generated: %s", async (_, model, charged) => {
    const cost = await costOf(area, async () => {
      const prompt = simulate({ stallAfterChunks: 1 });
      const request = { model, prompt, stream: true, partial_images: 2 } as const;
      const stream = await client.images.generate(request);
      for await (const { type } of stream) {
        expect(type).toBe("image_generation.partial_image");
        stream.controller.abort();
      }
    });
    expect(cost).toBe(charged);
  });

  test("of a slow vendor without streams gets heartbeats", async () => {
    const answer = await fetch(`${area.url}/v1/images/generations`, {
      method: "POST",
      headers: { authorization: `Bearer ${keys.demo}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "tasks", prompt: "a fox", stream: true }),
    });
    expect(answer.headers.get("content-type")).toContain("text/event-stream");
    const text = await answer.text();
    expect(text).toMatch(/^: keep-alive\n\n(?:: keep-alive\n\n)*event: image_generation\.completed\n/);
  });

  // Last in this group, because the channel is in a cooldown afterwards.
  test("that breaks ends with an error, and costs nothing without an image", async () => {
    const cost = await costOf(area, async () => {
      const prompt = simulate({ errorAfterChunks: 1 });
      await expect(events("extras", { prompt, partial_images: 2 })).rejects.toThrow("in the middle of its answer");
      await expect(events("extras", { prompt: simulate({ cutAfterChunks: 1 }), partial_images: 2 })).rejects.toThrow();
    });
    expect(cost).toBe(0n);
    const refused = events("tokens", { prompt: simulate({ errorAfterChunks: 0 }) });
    // After a heartbeat, a failure is an error in the stream.
    await expect(refused).rejects.toThrow("The vendor failed before its answer");
  });

  test("that fails before its first chunk and its first heartbeat is refused with 502", async () => {
    await using patient = await startArea(service, { config: imagesConfig, sameBackendsAs: area });
    await area.enable("pictures");
    const body = { model: "tokens", prompt: simulate({ errorAfterChunks: 0 }), stream: true };
    const answer = await postImages(patient, "generations", body);
    expect([answer.status, answer.body.error.code]).toEqual([502, "upstream_error"]);
    expect(answer.headers.get("content-type")).toContain("application/json");
    await area.enable("pictures");
  });
});

test("text and image tokens are charged at separate prices", async () => {
  const cost = await costOf(area, async () => {
    const image = await file(samplePng());
    const answer = await client.images.edit({ model: "apart", prompt: "at night", image });
    expect(answer.usage).toMatchObject({ input_tokens_details: { text_tokens: 2, image_tokens: 323 } });
  });
  expect(cost).toBe(2n * 5_000n + 323n * 10_000n + 1_056n * 40_000n);
});

describe("the charge", () => {
  test("is per received image", async () => {
    const two = () => client.images.generate({ model: "synchronous", prompt: "a fox", n: 2 });
    expect(await costOf(area, two)).toBe(80_000_000n);
    const event = (await area.events()).find(({ units }) => units.images === 2);
    expect(event).toMatchObject({
      endpoint: "POST /v1/images/generations",
      model: "synchronous",
      upstreamModel: "qwen-image",
      units: { images: 2, requests: 1 },
      estimated: false,
      costNanos: "80000000",
    });
  });

  test("is per reported token, and per image", async () => {
    const content = () => client.images.generate({ model: "content", prompt: "a fox" });
    expect(await costOf(area, content)).toBe(40_000_000n + 1_294n * 30_000n);
  });

  test("is for all images of a task whose vendor limits polls", async () => {
    await area.simulator.script("async", [{}, { status: 429 }, { status: 429 }]);
    const cost = await costOf(area, async () => {
      expect((await client.images.generate({ model: "tasks", prompt: "a fox" }, { maxRetries: 0 })).data).toHaveLength(
        1,
      );
    });
    expect(cost).toBe(40_000_000n);
  });

  test("is for the successful images of a partly failed task", async () => {
    const prompt = simulate({ finish: "PARTIAL", errorCode: "DataInspectionFailed" });
    const cost = await costOf(area, async () => {
      const answer = await client.images.generate({ model: "tasks", prompt, n: 3 });
      expect(answer.data).toHaveLength(2);
      expect(answer.data?.[0]?.revised_prompt).toContain("Extended");
    });
    expect(cost).toBe(80_000_000n);
  });

  test.each([
    [
      "fails because of its input",
      { finish: "FAILED", errorCode: "DataInspectionFailed", errorMessage: "not this" },
      400,
      "not this",
    ],
    ["fails", { finish: "FAILED", errorCode: "InternalError.Algo" }, 502, "simulated failure"],
    ["never ends", { finish: "RUNNING" }, 504, "did not finish within 1900 ms"],
  ])("is nothing for a task that %s", async (_, behaviour, status, message) => {
    const cost = await costOf(area, () =>
      expect(client.images.generate({ model: "tasks", prompt: simulate(behaviour) })).rejects.toMatchObject({
        status,
        message: expect.stringContaining(message),
      }),
    );
    expect(cost).toBe(0n);
  });

  test("is nothing for a task that the vendor may have accepted, and no other vendor is tried", async () => {
    await client.images.generate({ model: "tasks", prompt: "a fox" });
    await Promise.all([area.simulator.forget("spare"), area.simulator.script("async", [{ closeBeforeHead: true }])]);
    const cost = await costOf(area, () =>
      expect(client.images.generate({ model: "tasks", prompt: "a fox" })).rejects.toMatchObject({
        status: 502,
        code: "create_uncertain",
      }),
    );
    expect(cost).toBe(0n);
    expect(await area.simulator.requests("spare")).toEqual([]);
  });

  test("is made once if one vendor was at its limit and another was not", async () => {
    await area.simulator.script("async", [{ status: 429 }]);
    const cost = await costOf(area, () => client.images.generate({ model: "tasks", prompt: "a fox" }));
    expect(cost).toBe(40_000_000n);
    expect(await area.simulator.requests("spare")).not.toEqual([]);
  });

  test("is for the requested images if the client disconnects, and the result is not known in time", async () => {
    // The first channel may still be in a cooldown.
    const instances = ["async", "spare"] as const;
    const leaveAfterLook = (behaviour: object) =>
      costOf(area, async () => {
        for (const instance of instances) await area.simulator.forget(instance);
        const leaving = new AbortController();
        const answer = client.images
          .generate({ model: "tasks", prompt: simulate(behaviour), n: 2 }, { signal: leaving.signal })
          .catch((error: unknown) => error);
        const requestsOfInstances = () => Promise.all(instances.map((instance) => area.simulator.requests(instance)));
        await until("the first poll", async () =>
          (await requestsOfInstances()).flat().some(({ method }) => method === "GET"),
        );
        leaving.abort();
        await answer;
      });
    expect(await leaveAfterLook({ finish: "RUNNING" })).toBe(80_000_000n);
  });
});

import { createHash, createHmac } from "node:crypto";
import OpenAI, { APIError, toFile } from "openai";
import { Compile } from "typebox/compile";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TaskEvent } from "@modelgate/contracts";
import { startScriptedServer, until } from "@modelgate/testkit";
import { startArea, type Area } from "../../../libs/relay/test/area.ts";
import { ask, callbacksHere, ended, films, quickLimits, promptWith, taskEvents } from "./films.ts";
import { keys, rival, trusting, trustingAccount } from "../../../libs/relay/test/config.ts";
import { service } from "../src/service.ts";

let area: Area;
beforeAll(async () => {
  const groups = { ...films.groups, trusting };
  const accounts = { ...films.accounts, rival: rival.account, trusting: trustingAccount.account };
  area = await startArea(service, { config: { ...films, groups, accounts }, env: callbacksHere, limits: quickLimits });
});
afterAll(() => area?.[Symbol.asyncDispose]());

const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const settled = async (account = "demo"): Promise<bigint> => (await area.settled(account)).balanceNanos;
const sdk = () => new OpenAI({ baseURL: `${area.url}/v1`, apiKey: keys.demo, maxRetries: 0 });
const download = (id: string, headers: Record<string, string> = {}, key: string = keys.demo, query = "") =>
  fetch(`${area.url}/v1/videos/${id}/content${query}`, {
    headers: { authorization: `Bearer ${key}`, ...headers },
  });
const codeIn = (json: any): string => json.error.code;
const isMp4 = (bytes: Uint8Array) => Buffer.from(bytes).subarray(4, 12).toString() === "ftypisom";

/** Models with a duration in seconds, and its cost in nano-dollars. */
const vendors = [
  ["film-openai", 8, 800_000_000n],
  ["film-compatible", 7, 1_400_000_000n],
  ["film-kling", 10, 3_050_000_000n],
  ["film-jimeng", 5, 2_000_000_000n],
  ["film-veo", 8, 2_800_000_000n],
  ["film-vertex", 6, 2_400_000_000n],
  ["film-bucket", 5, 2_500_000_000n],
  ["film-wan", 12, 1_800_000_000n],
  ["film-wan-former", 10, 1_000_000_000n],
  ["film-seedance", 7, 1_450_000_000n],
] as const;

test.each(vendors)(
  "the official SDK creates, polls and downloads at %s, and is charged once",
  async (model, seconds, cost) => {
    const before = await settled();
    const client = sdk();
    const video = await client.videos.create({
      model,
      prompt: "A boat",
      seconds: String(seconds) as "4",
    });
    expect(video).toMatchObject({ object: "video", model, status: "queued", progress: 0, seconds: String(seconds) });
    expect(Math.abs(video.created_at * 1_000 - Date.now())).toBeLessThan(60_000);
    const progressValues: number[] = [];
    const done = await until("the video to be finished", async () => {
      const polledVideo = await client.videos.retrieve(video.id);
      progressValues.push(polledVideo.progress);
      return polledVideo.status === "completed" && polledVideo;
    });
    expect(done).toMatchObject({ id: video.id, progress: 100, error: null });
    expect(progressValues).toEqual(progressValues.toSorted((left, right) => left - right));
    const content = await client.videos.downloadContent(video.id);
    expect(content.headers.get("content-type")).toBe("video/mp4");
    expect(isMp4(new Uint8Array(await content.arrayBuffer()))).toBe(true);
    expect(before - (await settled())).toBe(cost);
  },
);

/** Endpoints and field names of each style. */
const styles = {
  A: {
    path: "/v1/videos",
    body: (model: string, seconds: number) => ({ model, prompt: "A boat", seconds }),
    id: (json: any) => json.id,
    read: (id: string) => ask(area, `/v1/videos/${id}`),
    state: (json: any) => json.status,
    address: () => undefined,
  },
  B: {
    path: "/v1/video/generations",
    body: (model: string, seconds: number) => ({ model, prompt: "A boat", duration: seconds }),
    id: (json: any) => json.task_id,
    read: (id: string) => ask(area, `/v1/video/generations/${id}`),
    state: (json: any) => json.status,
    address: (json: any) => json.url,
  },
  C: {
    path: "/delta/v1/videos/text2video",
    body: (model: string, seconds: number) => ({ model_name: model, prompt: "A boat", duration: String(seconds) }),
    id: (json: any) => json.data.task_id,
    read: (id: string) => ask(area, `/kling/v1/videos/text2video/${id}`),
    state: (json: any) =>
      json.data.task_status === "succeed" && json.status === "completed" ? "completed" : json.status,
    address: (json: any) => json.data.task_result.videos[0].url,
  },
  D: {
    path: "/epsilon/?Action=CVSync2AsyncSubmitTask&Version=2022-08-31",
    body: (model: string, seconds: number) => ({ req_key: model, prompt: "A boat", frames: seconds * 24 + 1 }),
    id: (json: any) => json.data.task_id,
    read: (id: string) =>
      ask(area, "/jimeng/?Action=CVSync2AsyncGetResult&Version=2022-08-31", { req_key: "film", task_id: id }),
    state: (json: any) => (json.code === 10_000 && json.data.status === "done" ? "completed" : json.data.status),
    address: (json: any) => json.data.video_url,
  },
} as const;
/** Combinations of each style with a vendor of another wire. `libs/wires/test/video.test.ts` tests all conversions. */
const cells = [
  ["A", "film-kling", 10],
  ["B", "film-jimeng", 5],
  ["C", "film-openai", 8],
  ["D", "film-compatible", 7],
] as const;

test.each(cells)("style %s runs at %s", async (style, model, seconds) => {
  const { path, body, id: idOf, read, state, address } = styles[style];
  const created = await ask(area, path, body(model, seconds));
  expect(created.json).not.toHaveProperty("error.code");
  expect(created.status).toBe(200);
  const id = idOf(created.json);
  const done = await until("the task to end", async () => {
    const { status, json } = await read(id);
    expect(status).toBe(200);
    return state(json) === "completed" && json;
  });
  const url = address(done);
  const content = await fetch(url ?? `${area.url}/v1/videos/${id}/content`, {
    headers: { authorization: `Bearer ${keys.demo}` },
  });
  expect(content.status).toBe(200);
  expect(isMp4(new Uint8Array(await content.arrayBuffer()))).toBe(true);
  // A task can be read in every style.
  expect((await styles.A.read(id)).json).toMatchObject({ id, status: "completed", seconds: String(seconds) });
  expect((await styles.B.read(id)).json).toMatchObject({ task_id: id, status: "completed", format: "mp4" });
});

describe("an image", () => {
  test("in the SDK's form reaches a vendor with forms as a file, and others as Base64", async () => {
    for (const [model, instance] of [
      ["film-openai", "openai-films"],
      ["film-kling", "kling"],
    ] as const) {
      await area.simulator.forget(instance);
      const file = await toFile(png, "boat.png", { type: "image/png" });
      const video = await sdk().videos.create({
        model,
        prompt: "A boat",
        input_reference: file,
      });
      await ended(area, video.id);
      const [vendorRequest] = await area.simulator.requests(instance);
      if (instance === "openai-films")
        expect(vendorRequest).toMatchObject({
          files: [{ name: "input_reference", bytes: png.length, contentType: "image/png" }],
        });
      else expect(vendorRequest?.body).toContain(png.toString("base64"));
      if (instance === "kling") expect(vendorRequest?.path).toBe("/at/kling/kling/v1/videos/image2video");
    }
  });

  test("as an address in the SDK's form reaches a vendor of another format", async () => {
    await area.simulator.forget("kling");
    const image_url = "https://pictures.example/boat.png";
    const video = await sdk().videos.create({ model: "film-kling", prompt: "A boat", input_reference: { image_url } });
    const [vendorRequest] = await area.simulator.requests("kling");
    expect(JSON.parse(vendorRequest?.body ?? "{}")).toMatchObject({ image: image_url });
    await ended(area, video.id);
  });

  test("as a data URL in the SDK's form, where it is text, reaches a vendor with forms as a file", async () => {
    await area.simulator.forget("openai-films");
    const bytes = Buffer.concat([png, Buffer.alloc(200_000)]);
    const image_url = `data:image/png;base64,${bytes.toString("base64")}`;
    const video = await sdk().videos.create({ model: "film-openai", prompt: "A boat", input_reference: { image_url } });
    const [vendorRequest] = await area.simulator.requests("openai-films");
    expect(vendorRequest).toMatchObject({ files: [{ name: "input_reference", bytes: bytes.length }] });
    await ended(area, video.id);
  });

  test.each([
    ["of another kind", { type: "text/plain", bytes: png }, /must be an image/],
    ["of zero bytes", { type: "image/png", bytes: Buffer.alloc(0) }, /is empty/],
  ])("%s is refused, and no vendor is called", async (_, { type, bytes }, error) => {
    await area.simulator.forget("openai-films");
    const file = await toFile(bytes, "boat.png", { type });
    const create = sdk().videos.create({ model: "film-openai", prompt: "A boat", input_reference: file });
    await expect(create).rejects.toMatchObject({ status: 400, param: "input_reference", message: error });
    expect(await area.simulator.requests("openai-films")).toEqual([]);
  });
});

describe("a create is refused", () => {
  test.each([
    ["/v1/videos", { prompt: "A boat" }, 400, "missing_required_parameter", "model"],
    ["/v1/videos", { model: "film-openai", prompt: "A boat", seconds: 1e9 }, 400, "invalid_value", "seconds"],
    ["/v1/videos", { model: "film-kling", prompt: "A boat", seconds: "7" }, 400, "unsupported_parameter", "seconds"],
    ["/v1/videos", { model: "absent", prompt: "A boat" }, 404, "model_not_found", "model"],
    ["/v1/videos", { model: "chat", prompt: "A boat" }, 404, "model_not_found", "model"],
    [
      "/v1/videos",
      { model: "film-openai", prompt: "A boat", characters: [{ id: "char_1" }] },
      400,
      "unsupported_parameter",
      "characters[0].id",
    ],
    ["/v1/video/generations", { model: "film-jimeng", prompt: "A", n: 4 }, 400, "invalid_value", "n"],
    ["/v1/video/generations", { model: "film-kling", prompt: "A", image: "no Base64" }, 400, "invalid_value", "image"],
    [
      "/epsilon/?Action=CVSync2AsyncSubmitTask&Version=1",
      { req_key: "film-jimeng", prompt: "A", binary_data_base64: ["no Base64"] },
      400,
      "invalid_value",
      "binary_data_base64[0]",
    ],
    ["/delta/v1/videos/text2video", { model: "film-kling" }, 400, "missing_required_parameter", "prompt"],
    [
      "/delta/v1/videos/image2video",
      { model: "film-kling", prompt: "A boat" },
      400,
      "missing_required_parameter",
      "image",
    ],
    [
      "/epsilon/?Action=CVSync2AsyncSubmitTask",
      { req_key: "film-jimeng", prompt: "A" },
      400,
      "missing_required_parameter",
      "Version",
    ],
    ["/epsilon/?Action=Other&Version=1", { req_key: "film-jimeng", prompt: "A" }, 400, "invalid_value", "Action"],
  ])("%s %j", async (path, body, status, code, param) => {
    const answer = await ask(area, path, body);
    expect([answer.status, answer.json.error]).toMatchObject([status, { code, param }]);
    if (path.startsWith("/epsilon")) expect(answer.json).toMatchObject({ code: status, data: null });
  });

  test.each([
    ["input_reference[file_id]", "file-1", "input_reference.file_id"],
    ["metadata", '{"video_id":"v"}', "metadata.video_id"],
    ["Model", "more expensive", "model"],
  ])("as a form with an object in a vendor's store, or with a second model: %s", async (name, value, param) => {
    const form = new FormData();
    for (const [field, text] of [
      ["model", "film-openai"],
      ["prompt", "A boat"],
      [name, value],
    ] as const)
      form.set(field, text);
    const answer = await area.post("/v1/videos", form, keys.demo);
    expect([answer.status, await answer.json()]).toMatchObject([400, { error: { param } }]);
  });

  /** Body with an image in the vendor's store. */
  const stored = '{"model":"film-openai","prompt":"A boat","input_reference":{"file_id":"file-1"}}';
  test.each([
    ["a picture in a vendor's store", stored, "input_reference.file_id", "vendorStores: shared"],
    [
      "a picture twice, of which one is in a vendor's store",
      stored.replace(/\}$/, ',"input_reference":null}'),
      "input_reference",
      "appears more than once",
    ],
  ])("as JSON that names %s", async (_, body, param, words) => {
    await area.simulator.forget("openai-films");
    const answer = await area.post("/v1/videos", body, keys.demo);
    const error = { param, message: expect.stringContaining(words) };
    expect([answer.status, await answer.json()]).toMatchObject([400, { error }]);
    expect(await area.simulator.requests("openai-films")).toEqual([]);
  });

  test("not for an image in a vendor's store if the group shares vendors' stores", async () => {
    await area.simulator.forget("openai-films");
    const { json } = await ask(area, "/v1/videos", JSON.parse(stored), { key: trustingAccount.key });
    const [vendorRequest] = await area.simulator.requests("openai-films");
    expect(JSON.parse(vendorRequest?.body ?? "{}")).toMatchObject({ input_reference: { file_id: "file-1" } });
    await ended(area, json.id, trustingAccount.key);
  });

  test("by its vendor, with the vendor's message, and costs nothing", async () => {
    const before = await settled();
    const answer = await ask(area, "/v1/videos", { model: "film-openai", prompt: "A boat", seconds: "5" });
    expect([answer.status, answer.json.error.param]).toEqual([400, "seconds"]);
    expect(await settled()).toBe(before);
  });

  test.each([
    ["film-openai", "openai-films", {}],
    ["film-bucket", "vertex-bucket", { seconds: "5" }],
  ])("without a balance, before any vendor is called: %s", async (model, instance, more) => {
    await area.simulator.forget(instance);
    const answer = await ask(area, "/v1/videos", { model, prompt: "A boat", ...more }, { key: keys.poor });
    expect([answer.status, answer.json.error.code]).toEqual([402, "insufficient_quota"]);
    expect(await area.simulator.requests(instance)).toEqual([]);
  });

  test("optional fields are dropped and named, or refused if the client is strict", async () => {
    const body = { model: "film-kling", prompt: "A boat", seed: 7 };
    const dropped = await ask(area, "/v1/video/generations", body);
    expect([dropped.status, dropped.headers.get("x-modelgate-dropped")]).toEqual([200, "seed"]);
    const complete = await ask(area, "/v1/video/generations", { ...body, seed: undefined });
    expect([complete.status, complete.headers.get("x-modelgate-dropped")]).toEqual([200, null]);
    const strict = await ask(area, "/v1/video/generations", body, { headers: { "x-modelgate-strict": "true" } });
    expect([strict.status, strict.json.error]).toMatchObject([400, { code: "unsupported_parameter", param: "seed" }]);
  });
});

describe("a task belongs to one account", () => {
  test("another account's and an unknown one get 404 in every style, and no vendor is called", async () => {
    const { json } = await ask(area, "/v1/videos", { model: "film-openai", prompt: "A boat" });
    await ended(area, json.id);
    await area.simulator.forget("openai-films");
    const other = { key: keys.poor };
    for (const id of [json.id, "video_unknown"]) {
      for (const path of [
        "/v1/videos/",
        "/v1/video/generations/",
        "/delta/v1/videos/text2video/",
        "/delta/v1/videos/image2video/",
      ]) {
        const answer = await ask(area, path + id, undefined, other);
        expect([answer.status, answer.json.error.code]).toEqual([404, "task_not_found"]);
      }
      const path = "/epsilon/?Action=CVSync2AsyncGetResult&Version=2022-08-31";
      const style = await ask(area, path, { req_key: "film-openai", task_id: id }, other);
      expect([style.status, style.json.code]).toEqual([404, 404]);
      expect((await download(id, {}, keys.poor)).status).toBe(404);
      expect((await ask(area, `/v1/videos/${id}`, undefined, { ...other, method: "DELETE" })).status).toBe(404);
      expect((await ask(area, `/v1/videos/${id}/remix`, { prompt: "B" }, other)).status).toBe(404);
    }
    expect(await area.simulator.requests("openai-films")).toEqual([]);
    expect((await ask(area, "/v1/videos", undefined, other)).json).toMatchObject({ data: [], has_more: false });
  });

  test("its result can be fetched if its hold used up the balance", async () => {
    // The balance of 5 cents covers no video; the top-up covers exactly one.
    await area.topUp("poor", "0.35");
    const created = await ask(
      area,
      "/epsilon/?Action=CVSync2AsyncSubmitTask&Version=2022-08-31",
      { req_key: "film-openai", prompt: promptWith({ polls: 3 }) },
      { key: keys.poor },
    );
    expect(created.json).toMatchObject({ code: 10_000 });
    const result = { req_key: "film-openai", task_id: created.json.data.task_id };
    const path = "/epsilon/?Action=CVSync2AsyncGetResult&Version=2022-08-31";
    expect((await ask(area, path, result, { key: keys.poor })).status).toBe(200);
  });
});

describe("content", () => {
  test("is sent in ranges, at the reader's pace, with a thumbnail if there is one", async () => {
    for (const model of ["film-openai", "film-kling"]) {
      const { json } = await ask(area, "/v1/video/generations", { model, prompt: promptWith({ bodyBytes: 100_000 }) });
      await ended(area, json.id);
      const whole = Buffer.from(await (await download(json.id)).arrayBuffer());
      expect(whole).toHaveLength(100_000);
      const part = await download(json.id, { range: "bytes=10-1009" });
      expect([part.status, part.headers.get("content-range")]).toEqual([206, "bytes 10-1009/100000"]);
      expect(Buffer.from(await part.arrayBuffer()).equals(whole.subarray(10, 1_010))).toBe(true);
      expect((await download(json.id, { range: "bytes=200000-" })).status).toBe(416);
      const thumbnail = await download(json.id, {}, keys.demo, "?variant=thumbnail");
      if (model === "film-kling") expect(thumbnail.status).toBe(404);
      else expect([thumbnail.status, thumbnail.headers.get("content-type")]).toEqual([200, "image/png"]);
      expect((await download(json.id, {}, keys.demo, "?variant=other")).status).toBe(400);
    }
  });

  test("of a task that has not finished gets 404, and no vendor is called", async () => {
    // The task never ends, so nothing is settled.
    const body = { model: "film-openai", prompt: promptWith({ polls: 1_000_000 }) };
    const { json } = await ask(area, "/v1/videos", body, { key: rival.key });
    expect(await area.metrics.metrics()).toMatch(/^modelgate_tasks_open(?:\{.*\})? [1-9]/m);
    const answer = await download(json.id, {}, rival.key);
    expect([answer.status, codeIn(await answer.json())]).toEqual([404, "video_not_ready"]);
    const paths = (await area.simulator.requests("openai-films")).map(({ path }) => path);
    expect(paths.filter((path) => path.endsWith("/content") && path.includes(json.id))).toEqual([]);
    const forget = { method: "DELETE", key: rival.key };
    expect((await ask(area, `/v1/videos/${json.id}`, undefined, forget)).status).toBe(409);
  });

  test.each(["film-openai", "film-kling"])("that has expired at %s is reported as expired", async (model) => {
    const { json } = await ask(area, "/v1/video/generations", { model, prompt: promptWith({ expired: true }) });
    await ended(area, json.id);
    const answer = await download(json.id);
    expect([answer.status, codeIn(await answer.json())]).toEqual([404, "video_expired"]);
  });
});

describe("the end of a task", () => {
  test.each(["film-openai", "film-veo"])("that %s fails costs nothing and has a reason", async (model) => {
    const { json } = await ask(area, "/v1/video/generations", {
      model,
      prompt: promptWith({ taskError: "no boats today" }),
    });
    const done = await ended(area, json.id);
    expect(done).toMatchObject({ status: "failed", error: { message: "no boats today" } });
    const path = "/epsilon/?Action=CVSync2AsyncGetResult&Version=2022-08-31";
    const result = await ask(area, path, { req_key: model, task_id: json.id });
    expect(result.json.code).toBeGreaterThan(50_000);
    expect((await ask(area, `/delta/v1/videos/text2video/${json.id}`)).json).toMatchObject({
      status: "failed",
      data: { task_status: "failed", task_status_msg: "no boats today" },
    });
    const usage = await until("its usage event", async () =>
      (await area.events()).find(
        (event) => event.outcome === "failed" && event.model === model && event.attempts === 1,
      ),
    );
    expect(usage).toMatchObject({ area: "video", costNanos: "0", units: {} });
  });

  test("can be followed, with each state and progress", async () => {
    const { json } = await ask(area, "/v1/videos", { model: "film-openai", prompt: promptWith({ polls: 5 }) });
    const authorization = `Bearer ${keys.demo}`;
    const followed = await fetch(`${area.url}/v1/videos/${json.id}/events`, { headers: { authorization } });
    expect(followed.headers.get("content-type")).toContain("text/event-stream");
    const frames = (await followed.text()).split("\n\n").filter((frame) => frame.startsWith("event: "));
    expect(frames[0]).toContain("event: video.queued\n");
    expect(frames.at(-1)).toContain("event: video.completed\n");
    expect(new Set(frames).size).toBe(frames.length);
    expect(JSON.parse(frames.at(-1)?.split("data: ")[1] ?? "")).toMatchObject({ id: json.id, progress: 100 });
    const other = { authorization: `Bearer ${keys.poor}` };
    expect((await fetch(`${area.url}/v1/videos/${json.id}/events`, { headers: other })).status).toBe(404);
  });

  test("is sent to the client's callback URL, signed, once per transition", async () => {
    await using client = await startScriptedServer(() => ({}));
    await area.simulator.forget("kling");
    const request = { model_name: "film-kling", prompt: promptWith({ polls: 4 }), callback_url: `${client.url}/done` };
    const { json } = await ask(area, "/kling/v1/videos/text2video", request);
    await until("every transition to be sent", () => client.requests.length === 3);
    // Callbacks are sent over separate connections and may arrive in any order.
    expect(client.requests.map(({ body }) => JSON.parse(body).state).toSorted()).toEqual([
      "completed",
      "in_progress",
      "queued",
    ]);
    for (const { body, headers } of client.requests) {
      const signature = String(headers["x-modelgate-signature"]);
      const [, seconds, hex] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(signature) ?? [];
      const key = createHash("sha256").update(keys.demo).digest("hex");
      expect(createHmac("sha256", key).update(`${seconds}.${body}`).digest("hex")).toBe(hex);
      expect(JSON.parse(body)).toMatchObject({ taskId: json.task_id, accountId: "demo" });
      expect(JSON.parse(body)).not.toHaveProperty("channelId");
    }
    expect((await area.simulator.requests("kling"))[0]?.body).not.toContain("callback");
    const wrong = await ask(area, "/v1/videos", { model: "film-kling", prompt: "A", callback_url: "ftp://x.example" });
    expect([wrong.status, wrong.json.error.param]).toEqual([400, "callback_url"]);
  });

  test("each transition is one event, and the settlement is another", async () => {
    const { json } = await ask(area, "/v1/videos", { model: "film-openai", prompt: promptWith({ polls: 4 }) });
    await ended(area, json.id);
    const events = await until("its events", async () => {
      const eventsOfTask = (await taskEvents(area.backends.natsUrl)).filter(({ taskId }) => taskId === json.id);
      return eventsOfTask.length >= 3 && eventsOfTask;
    });
    expect(events.map(({ state, previousState }) => [state, previousState])).toEqual([
      ["queued", null],
      ["in_progress", "queued"],
      ["completed", "in_progress"],
    ]);
    for (const event of events) expect(Compile(TaskEvent).Errors(event)).toEqual([]);
    expect(events[2]).toMatchObject({
      accountId: "demo",
      model: "film-openai",
      channelId: "openai-films",
      progress: 100,
    });
    await settled();
    const usage = (await area.events()).filter(({ model }) => model === "film-openai");
    expect(usage[0]).toMatchObject({
      area: "video",
      endpoint: "POST /v1/videos",
      status: 200,
      units: { requests: 1 },
      estimated: false,
    });
  });
});

describe("a start", () => {
  test("whose answer is lost is not sent again, and costs nothing", async () => {
    const before = await settled();
    for (const instance of ["first", "second"]) await area.simulator.forget(instance);
    const body = { model: "film-two", prompt: promptWith({ closeAfterAccept: true }) };
    const answer = await ask(area, "/v1/videos", body);
    expect([answer.status, answer.json.error.code]).toEqual([502, "create_uncertain"]);
    expect(answer.headers.get("x-should-retry")).toBe("false");
    const client = sdk().withOptions({ maxRetries: 2 });
    await expect(client.videos.create({ ...body, model: "film-two" })).rejects.toThrow(APIError);
    expect(await area.simulator.requests("first")).toHaveLength(2);
    expect(await area.simulator.requests("second")).toEqual([]);
    expect(await settled()).toBe(before);
  });

  test("that its vendor clearly refuses is retried at the next vendor", async () => {
    await area.simulator.script("first", [{ status: 429 }]);
    const { json } = await ask(area, "/v1/videos", { model: "film-two", prompt: "A boat" });
    expect((await ended(area, json.id)).status).toBe("completed");
    expect(await area.simulator.requests("second")).not.toEqual([]);
    // A remix uses the source's channel, regardless of priorities.
    await area.simulator.forget("first");
    expect((await ask(area, `/v1/videos/${json.id}/remix`, { prompt: "At night" })).status).toBe(200);
    expect(await area.simulator.requests("first")).toEqual([]);
    expect((await area.simulator.requests("second")).map(({ path }) => path)).toContainEqual(
      expect.stringMatching(/\/remix$/),
    );
  });
});

test("a list page by page, a remix, and a task that is deleted", async () => {
  const client = sdk();
  const ids: string[] = [];
  for await (const { id } of client.videos.list({ limit: 7 })) ids.push(id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.length).toBeGreaterThan(7);
  const source = await client.videos.create({ model: "film-openai", prompt: "A boat", seconds: "12" });
  await ended(area, source.id);
  const remix = await client.videos.remix(source.id, { prompt: "At night" });
  expect(remix).toMatchObject({
    status: "queued",
    remixed_from_video_id: source.id,
    seconds: "12",
    prompt: "At night",
  });
  expect((await ended(area, remix.id)).status).toBe("completed");
  expect(await client.videos.delete(source.id)).toMatchObject({ id: source.id, deleted: true });
  await expect(client.videos.retrieve(source.id)).rejects.toMatchObject({ status: 404 });
  const deletion = await until("the event of the deletion", async () =>
    (await taskEvents(area.backends.natsUrl)).find(({ taskId, deleted }) => taskId === source.id && deleted),
  );
  expect(deletion).toMatchObject({ id: `${source.id}.deleted`, state: "completed", previousState: "completed" });
  expect(Compile(TaskEvent).Errors(deletion)).toEqual([]);
});

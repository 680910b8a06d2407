import { request, type IncomingMessage } from "node:http";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { Failure } from "@modelgate/contracts";
import { startHttpServer, type TestServer } from "@modelgate/testkit";
import { BufferBudget } from "../../src/buffer-budget.ts";
import { ClientDisconnected } from "../../src/read-body.ts";
import { startSpooling, spoolFile } from "../../src/form/follow-file.ts";
import { bufferForm } from "../../src/form/buffer-form.ts";
import { openForm, type FormLimits } from "../../src/form/open-form.ts";

const budget = new BufferBudget(5_000_000);
const holder = { accountId: "a", tokenId: "t" };
const limits: FormLimits = {
  maxBytes: 8 * 1024 * 1024,
  silenceMs: 10_000,
  graceMs: 10_000,
  floorBytesPerSecond: 1_024,
  budget,
  parts: 20,
  files: 3,
  fieldBytes: 1_000,
  fieldsBytes: 2_500,
  fileBytes: 1_000_000,
};

type Read = (incoming: IncomingMessage) => Promise<unknown>;
const buffered: Read = async (incoming) => {
  using form = await bufferForm(incoming, limits, holder);
  return { fields: form.fields, files: form.files.map(({ bytes, ...file }) => ({ ...file, size: bytes.length })) };
};

let server: TestServer;
let folder: string;
let port = 0;
let read: Read = buffered;
let outcomes: unknown[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "modelgate-form-"));
  server = await startHttpServer((incoming, response) => {
    read(incoming).then(
      (outcome) => {
        outcomes.push(outcome);
        response.end();
      },
      (error: unknown) => {
        outcomes.push(error);
        response.writeHead(error instanceof Failure ? error.status : 500, { connection: "close" }).end();
        incoming.resume();
      },
    );
  });
  ({ port } = server);
});
afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  read = buffered;
  outcomes = [];
});

const boundary = "cut-here";
const typed = { "content-type": `multipart/form-data; boundary=${boundary}` };
const field = (name: string, value: string) =>
  `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
const file = (name: string, value: string) =>
  `--${boundary}\r\ncontent-disposition: form-data; name="${name}"; filename="../é.png"\r\ncontent-type: image/png\r\n\r\n${value}\r\n`;
const end = `--${boundary}--\r\n`;

async function send(body: string, headers: Record<string, string> = typed): Promise<unknown> {
  await fetch(`http://127.0.0.1:${port}`, { method: "POST", body, headers });
  return outcomes[0];
}

async function sendAndLeave(body: string): Promise<unknown> {
  const upload = request({ port, method: "POST", headers: { ...typed, "content-length": "100000" } });
  upload.on("error", () => undefined).write(body);
  await new Promise((resolve) => server.server.once("request", resolve));
  upload.destroy();
  await expect.poll(() => outcomes.length).toBe(1);
  return outcomes[0];
}

test("fields and files are returned in their order", async () => {
  const body = file("image[]", "one") + field("prompt", "für dich") + file("image[]", "three") + field("n", "2") + end;
  expect(await send(body)).toEqual({
    fields: [
      ["prompt", "für dich"],
      ["n", "2"],
    ],
    files: [
      { name: "image[]", filename: "é.png", contentType: "image/png", size: 3 },
      { name: "image[]", filename: "é.png", contentType: "image/png", size: 5 },
    ],
  });
  expect(budget.usedBytes).toBe(0);
});

test("the content encoding identity is accepted", async () => {
  const outcome = await send(field("a", "b") + end, { ...typed, "content-encoding": "Identity" });
  expect(outcome).toEqual({ fields: [["a", "b"]], files: [] });
});

describe("refused forms, and their errors", () => {
  const many = Array.from({ length: 100_000 }, (_, at) => field(`f${at}`, "x")).join("") + end;
  test.each<[string, string, Record<string, string>, object]>([
    ["JSON", "{}", { "content-type": "application/json" }, { code: "unsupported_media_type", param: "content-type" }],
    ["no boundary", "", { "content-type": "multipart/form-data" }, { code: "invalid_value", param: "content-type" }],
    ["compressed", "", { ...typed, "content-encoding": "gzip" }, { code: "unsupported_media_type" }],
    [
      "another boundary",
      field("a", "b") + end,
      { "content-type": "multipart/form-data; boundary=other" },
      { code: "invalid_value" },
    ],
    ["nothing", "", typed, { code: "invalid_value" }],
    [
      "cut in a field",
      field("a", "b") + field("prompt", "c").slice(0, -5),
      typed,
      { code: "invalid_value", message: "The form ends in the middle of a part." },
    ],
    ["cut in a file", file("image", "abc"), typed, { code: "invalid_value" }],
    [
      "malformed part headers",
      `--${boundary}\r\nnot a header\0\r\n\r\nx\r\n${end}`,
      typed,
      { code: "invalid_value", message: "The form has a malformed part." },
    ],
    [
      "a part without a name",
      `--${boundary}\r\ncontent-disposition: form-data\r\n\r\nx\r\n${end}`,
      typed,
      { code: "invalid_value", message: "A part of the form has no name." },
    ],
    [
      "an empty name",
      field("", "x") + end,
      typed,
      { code: "invalid_value", message: "A part of the form has no name." },
    ],
    [
      "a name without an end",
      field("n".repeat(300), "x") + end,
      typed,
      { code: "invalid_value", message: "A part of the form has a name longer than 200 bytes." },
    ],
    ["100,000 parts", many, typed, { code: "request_too_large", status: 413 }],
    ["too many files", file("image", "x").repeat(4) + end, typed, { code: "request_too_large" }],
    ["a large field", field("prompt", "x".repeat(1_001)) + end, typed, { code: "request_too_large", param: "prompt" }],
    ["large fields", field("prompt", "x".repeat(900)).repeat(3) + end, typed, { code: "request_too_large" }],
    ["a large file", file("mask", "x".repeat(1_000_001)) + end, typed, { code: "request_too_large", param: "mask" }],
    ["a large body", file("image", "x".repeat(9_000_000)) + end, typed, { code: "request_too_large" }],
  ])("%s", async (_, body, headers, failure) => {
    const outcome = await send(body, headers);
    expect(outcome).toBeInstanceOf(Failure);
    expect(outcome).toMatchObject(failure);
    expect(budget.usedBytes).toBe(0);
  });

  test("a process whose buffers are full", async () => {
    budget.add(4_999_990);
    expect(await send(file("image", "x".repeat(100)) + end)).toMatchObject({ code: "server_overloaded" });
    budget.release(4_999_990);
    expect(budget.usedBytes).toBe(0);
  });

  test("a silent client", async () => {
    read = (incoming) => bufferForm(incoming, { ...limits, silenceMs: 100 }, holder);
    const upload = request({ port, method: "POST", headers: { ...typed, "content-length": "1000" } });
    upload.on("error", () => undefined).write(field("a", "b"));
    await expect.poll(() => outcomes[0]).toMatchObject({ code: "request_timeout" });
    upload.destroy();
  });
});

test.each([
  ["in a field", field("a", "b") + field("c", "d").slice(0, -4)],
  ["in a file", file("image", "x".repeat(5_000)).slice(0, -4)],
])("a client that disconnects %s is noticed immediately", async (_, body) => {
  expect(await sendAndLeave(body)).toBeInstanceOf(ClientDisconnected);
  expect(budget.usedBytes).toBe(0);
});

describe("spooled to disk", () => {
  const spooled: Read = async (incoming) => {
    using form = openForm(incoming, limits, holder);
    for await (const part of form) {
      if (part.kind !== "file") continue;
      await using kept = await spoolFile(part, { folder, budget }, holder);
      const sizes = [];
      for (const _ of [1, 2]) {
        let size = 0;
        for await (const chunk of kept.read()) size += Buffer.isBuffer(chunk) ? chunk.length : 0;
        sizes.push(size);
      }
      return { size: kept.size, sizes, onDisk: readdirSync(folder) };
    }
    return undefined;
  };
  beforeEach(() => {
    read = spooled;
  });

  test("a file can be read several times, and has no name on disk", async () => {
    expect(await send(file("file", "x".repeat(900_000)) + field("model", "m") + end)).toEqual({
      size: 900_000,
      sizes: [900_000, 900_000],
      onDisk: [],
    });
  });

  test("a file above its maximum is refused, and nothing is left", async () => {
    expect(await send(file("file", "x".repeat(1_000_001)) + end)).toMatchObject({ code: "request_too_large" });
    expect(readdirSync(folder)).toEqual([]);
  });

  test("a client that disconnects in the middle leaves no file", async () => {
    expect(await sendAndLeave(file("file", "x".repeat(50_000)).slice(0, -4))).toBeInstanceOf(ClientDisconnected);
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe("read while it arrives", () => {
  test("a reader gets bytes before the client has sent all of them, and can start again from the first one", async () => {
    const beginning = Promise.withResolvers<string>();
    read = async (incoming) => {
      const form = openForm(incoming, limits, holder);
      const all: string[] = [];
      for await (const part of form) {
        if (part.kind !== "file") continue;
        await using kept = await startSpooling(part, { folder, budget }, holder);
        await kept.waitForBytes(5);
        for await (const chunk of kept.read()) {
          beginning.resolve(String(chunk));
          all.push(String(chunk));
        }
        all.push(String((await kept.read().toArray())[0]));
      }
      return { text: all.join("|"), onDisk: readdirSync(folder), taken: budget.usedBytes };
    };
    const upload = request({ port, method: "POST", headers: typed });
    upload.write(file("file", "begin").slice(0, -2));
    // The parser buffers bytes that may begin the boundary, and releases them after one more byte.
    upload.write("-");
    expect(await beginning.promise).toMatch(/^beg/);
    upload.end(`-end\r\n${end}`);
    await expect.poll(() => outcomes.length).toBe(1);
    expect(outcomes[0]).toMatchObject({ text: expect.stringMatching(/begin--end$/), onDisk: [], taken: 0 });
  });

  test("a process whose files use the maximum disk space refuses the next one", async () => {
    read = async (incoming) => {
      using form = openForm(incoming, limits, holder);
      for await (const part of form)
        if (part.kind === "file") await spoolFile(part, { folder, budget: new BufferBudget(10) }, holder);
    };
    expect(await send(file("file", "x".repeat(100)) + end)).toMatchObject({ code: "server_overloaded" });
    expect(readdirSync(folder)).toEqual([]);
  });
});

test("a file that is not read is dropped before the next part", async () => {
  read = async (incoming) => {
    using form = openForm(incoming, limits, holder);
    const names: string[] = [];
    for await (const part of form) names.push(part.name);
    return names;
  };
  expect(await send(file("file", "x".repeat(900_000)) + field("model", "m") + end)).toEqual(["file", "model"]);
});

describe("a client that sends slowly", () => {
  /** Sends a file byte by byte, in intervals shorter than the maximum silence. */
  const sendSlowly = async (reading: Read, changes: Partial<FormLimits>): Promise<unknown> => {
    read = reading;
    Object.assign(current, limits, changes);
    const upload = request({ port, method: "POST", headers: typed });
    upload.on("error", () => undefined);
    upload.write(file("file", "").slice(0, -2));
    const timer = setInterval(() => upload.write("x"), 20);
    await expect.poll(() => outcomes.length).toBe(1);
    clearInterval(timer);
    upload.destroy();
    return outcomes[0];
  };
  const current: FormLimits = { ...limits };

  test.each<[string, Read]>([
    ["held in memory", (incoming) => bufferForm(incoming, current, holder)],
    [
      "spooled to disk",
      async (incoming) => {
        using form = openForm(incoming, current, holder);
        for await (const part of form) if (part.kind === "file") await spoolFile(part, { folder, budget }, holder);
      },
    ],
  ])("is refused below the minimum rate: %s", async (_, reading) => {
    const refused = await sendSlowly(reading, { graceMs: 100, floorBytesPerSecond: 1_000_000 });
    expect(refused).toMatchObject({ code: "request_timeout", message: expect.stringContaining("1000000 bytes") });
    expect(budget.usedBytes).toBe(0);
    expect(readdirSync(folder)).toEqual([]);
  });

  test("is refused after the maximum time for a body", async () => {
    const refused = await sendSlowly((incoming) => bufferForm(incoming, current, holder), {
      totalMs: 150,
      floorBytesPerSecond: 0,
    });
    expect(refused).toMatchObject({ code: "request_timeout", message: expect.stringContaining("150 ms") });
  });
});

test("an arriving form is aborted to free memory and disk space for another account's", async () => {
  const small = new BufferBudget(1_000);
  const started = Promise.withResolvers<void>();
  read = async (incoming) => {
    using form = openForm(incoming, limits, holder);
    for await (const part of form) {
      if (part.kind !== "file") continue;
      await using kept = await startSpooling(part, { folder, budget: small }, holder);
      await kept.waitForBytes(1);
      started.resolve();
      await kept.complete;
    }
  };
  const upload = request({ port, method: "POST", headers: typed });
  upload.on("error", () => undefined);
  upload.write(file("file", "x".repeat(900)).slice(0, -2));
  await started.promise;
  using other = small.openHolding({ accountId: "other", tokenId: "o" });
  other.add(500);
  await expect.poll(() => outcomes.length).toBe(1);
  expect(outcomes[0]).toMatchObject({ code: "server_overloaded" });
  expect(small.usedBytes).toBe(500);
  upload.destroy();
});

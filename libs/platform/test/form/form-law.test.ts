import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import fc from "fast-check";
import { expect, test } from "vitest";
import { Failure } from "@modelgate/contracts";
import { BufferBudget } from "../../src/buffer-budget.ts";
import { bufferForm, type BufferedForm } from "../../src/form/buffer-form.ts";

const limits = {
  maxBytes: 20_000,
  graceMs: 10_000,
  floorBytesPerSecond: 1_024,
  silenceMs: 5_000,
  parts: 10,
  files: 3,
  fieldBytes: 200,
  fieldsBytes: 500,
  fileBytes: 1_000,
};

function requestOf(pieces: readonly Uint8Array[]): IncomingMessage {
  const request = new IncomingMessage(new Socket());
  request.headers["content-type"] = "multipart/form-data; boundary=b";
  for (const piece of pieces) request.push(piece);
  request.complete = true;
  request.push(null);
  return request;
}

const part = fc.record({
  name: fc.string({ maxLength: 12 }).map((name) => name.replaceAll(/["\r\n\\]/g, "")),
  isFile: fc.boolean(),
  bytes: fc.uint8Array({ maxLength: 300 }),
});
const bodyOf = (parts: readonly { name: string; isFile: boolean; bytes: Uint8Array }[]): Buffer =>
  Buffer.concat([
    ...parts.map(({ name, isFile, bytes }) =>
      Buffer.concat([
        Buffer.from(`--b\r\ncontent-disposition: form-data; name="${name}"${isFile ? '; filename="f"' : ""}\r\n\r\n`),
        bytes,
        Buffer.from("\r\n"),
      ]),
    ),
    Buffer.from("--b--\r\n"),
  ]);

function cutAt(bytes: Buffer, cuts: readonly number[]): readonly Buffer[] {
  const sorted = [0, ...cuts.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return sorted.slice(1).map((end, at) => bytes.subarray(sorted[at], end));
}

async function outcomeOf(pieces: readonly Uint8Array[]): Promise<BufferedForm | Failure> {
  const budget = new BufferBudget(1_000_000);
  try {
    using form = await bufferForm(requestOf(pieces), { ...limits, budget }, { accountId: "a", tokenId: "t" });
    return form;
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  } finally {
    expect(budget.usedBytes).toBe(0);
  }
}

test("a form is parsed or refused with a Failure, with the same result in one chunk and in many", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(part, { maxLength: 12 }), fc.array(fc.nat(), { maxLength: 8 }), async (parts, cuts) => {
      const body = bodyOf(parts);
      const [whole, cut] = [await outcomeOf([body]), await outcomeOf(cutAt(body, cuts))];
      if (whole instanceof Failure) expect(cut).toMatchObject({ code: whole.code });
      else expect(cut).toMatchObject({ fields: whole.fields, files: whole.files });
    }),
    { numRuns: 60 },
  );
});

test("arbitrary bytes result in a form or in a Failure of the client", async () => {
  const anything = fc.array(
    fc.oneof(
      fc.uint8Array({ maxLength: 60 }),
      fc
        .constantFrom("--b", "\r\n", "--b--", "content-disposition: form-data; name=a")
        .map((text) => Buffer.from(text)),
    ),
    { maxLength: 20 },
  );
  await fc.assert(
    fc.asyncProperty(anything, async (pieces) => {
      const outcome = await outcomeOf(pieces);
      if (outcome instanceof Failure) expect(outcome.status).toBeLessThan(500);
    }),
    { numRuns: 100 },
  );
});

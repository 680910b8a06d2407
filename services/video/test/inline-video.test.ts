import fc from "fast-check";
import { expect, test } from "vitest";
import { Base64VideoDecoder } from "../src/content/inline-video.ts";
import { StringShortener } from "../src/poll/short-strings.ts";

function pieces(text: string, lengths: readonly number[]): readonly Buffer[] {
  const bytes = Buffer.from(text);
  let at = 0;
  const cut = lengths.map((length) => bytes.subarray(at, (at += length)));
  return [...cut, bytes.subarray(at)];
}
const anyPieces = fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 60 });

test("a video is extracted from an answer, for any chunks and any escaping of its Base64", () => {
  const film = fc.uint8Array({ maxLength: 300 });
  fc.assert(
    fc.property(film, anyPieces, fc.boolean(), (bytes, lengths, isEscaped) => {
      const base64 = Buffer.from(bytes).toString("base64");
      const rendered = isEscaped ? base64.replaceAll("/", String.raw`\/`).replaceAll("=", String.raw`\u003d`) : base64;
      const answer = `{"name":"a \\"film\\"","response":{"videos":[{"film": "${rendered}","mimeType":"video/mp4"}]}}`;
      const reader = new Base64VideoDecoder("film");
      const read = Buffer.concat(pieces(answer, lengths).map((piece) => reader.push(piece)));
      expect(read.equals(bytes)).toBe(true);
      expect(reader.hasEnded).toBe(true);
    }),
  );
});

test("an interrupted video is not complete, and an answer of megabytes without one is refused", () => {
  const reader = new Base64VideoDecoder("film");
  reader.push(Buffer.from('{"film":"AAAA'));
  expect(reader.hasEnded).toBe(false);
  expect(() => new Base64VideoDecoder("film").push(Buffer.alloc(2 * 1024 * 1024, "x"))).toThrow(RangeError);
});

test("JSON with shortened strings is the same JSON with the beginnings of its strings", () => {
  const longest = 20;
  const value = fc.jsonValue({ maxDepth: 3 });
  fc.assert(
    fc.property(
      value,
      fc.string({ maxLength: 200 }),
      anyPieces,
      fc.boolean(),
      (memberValue, long, lengths, isPretty) => {
        const text = JSON.stringify({ found: memberValue, long }, undefined, isPretty ? 2 : undefined);
        const cutter = new StringShortener(longest);
        const cut = Buffer.concat(pieces(text, lengths).map((piece) => cutter.push(piece))).toString();
        const read: { readonly long: string } = JSON.parse(cut);
        // The cut may split a character, which is decoded as U+FFFD.
        const keptText = read.long.replaceAll("\uFFFD", "");
        expect(long.replaceAll("\uFFFD", "").startsWith(keptText)).toBe(true);
        expect(Buffer.byteLength(keptText)).toBeLessThanOrEqual(longest + 6);
        if (Buffer.byteLength(text) <= longest) expect(cut).toBe(text);
      },
    ),
  );
  const short = JSON.stringify({ name: "an operation", done: true, list: ['a "quoted" \\ word', "\u0007"] });
  const cutter = new StringShortener(1_000);
  expect(cutter.push(Buffer.from(short)).toString()).toBe(short);
});

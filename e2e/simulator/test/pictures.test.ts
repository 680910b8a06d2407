import { decode } from "jpeg-js";
import { PNG } from "pngjs";
import { describe, expect, test } from "vitest";
import { pictureOf } from "../src/pictures/picture.ts";

const settings = { words: "a fox", width: 37, height: 21 };

describe("images can be decoded, and have the requested size", () => {
  test("PNG", () => {
    const { width, height, data } = PNG.sync.read(pictureOf({ ...settings, format: "png" }));
    expect([width, height, data.length]).toEqual([37, 21, 37 * 21 * 4]);
  });

  test("JPEG", () => {
    expect(decode(pictureOf({ ...settings, format: "jpeg" }))).toMatchObject({ width: 37, height: 21 });
  });

  test("WebP: the container, the dimensions, and codes of one symbol each", () => {
    const bytes = pictureOf({ ...settings, format: "webp" });
    expect(bytes.toString("latin1", 0, 4)).toBe("RIFF");
    expect(bytes.readUInt32LE(4)).toBe(bytes.length - 8);
    expect(bytes.toString("latin1", 8, 16)).toBe("WEBPVP8L");
    expect(bytes[20]).toBe(0x2f);
    const sides = bytes.readUInt32LE(21);
    expect([(sides & 0x3fff) + 1, ((sides >> 14) & 0x3fff) + 1, sides >>> 28]).toEqual([37, 21, 0]);
  });

  test("different texts make different images, equal texts equal ones", () => {
    const png = (words: string) => pictureOf({ ...settings, words, format: "png" });
    expect(png("a")).toEqual(png("a"));
    expect(png("a")).not.toEqual(png("b"));
  });
});

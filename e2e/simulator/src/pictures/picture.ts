import { createHash } from "node:crypto";
import { encode } from "jpeg-js";
import { PNG } from "pngjs";
import { webpOf } from "./webp.ts";

export const pictureFormats = { png: "image/png", jpeg: "image/jpeg", webp: "image/webp" } as const;
export type PictureFormat = keyof typeof pictureFormats;

export interface PictureSize {
  readonly width: number;
  readonly height: number;
}

/** Picture to create. */
export interface PictureRequest extends PictureSize {
  readonly words: string;
  readonly format: PictureFormat;
}

const quality = 80;
const smallSize = { width: 8, height: 8 };

/** Creates a picture whose colour depends on the text. */
export function pictureOf({ words, width, height, format }: PictureRequest): Buffer {
  const [red = 0, green = 0, blue = 0] = createHash("sha256").update(words).digest();
  if (format === "webp") return webpOf(width, height, [red, green, blue]);
  const data = Buffer.alloc(width * height * 4, Buffer.from([red, green, blue, 255]));
  if (format === "jpeg") return encode({ width, height, data }, quality).data;
  const png = new PNG({ width, height });
  data.copy(png.data);
  return PNG.sync.write(png, { colorType: 2, deflateLevel: 1 });
}

/** Creates a small PNG. */
export function smallPictureOf(words: string): Buffer {
  return pictureOf({ words, ...smallSize, format: "png" });
}

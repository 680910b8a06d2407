import type { Vendor } from "../vendor.ts";
import { pictureFormats, pictureOf, type PictureFormat, type PictureWish } from "./picture.ts";

const prefix = "/pictures";
const longestWords = 60;
const largestSide = 4_096;

/** An address of a picture, for vendors that give addresses; it is made when it is fetched. `host` is the vendor's own. */
export function addressOfPicture(host: string, { words, width, height, format }: PictureWish): string {
  const name = Buffer.from(words.slice(0, longestWords)).toString("base64url") || "_";
  return `http://${host}${prefix}/${width}x${height}/${name}.${format}?Expires=1`;
}

function isFormat(word: string): word is PictureFormat {
  return word in pictureFormats;
}

/** Where the pictures are that vendors give addresses of. `/broken/…` is a page instead. */
export const pictures: Vendor = {
  prefix,
  answer({ path, response }) {
    const [, width = "", height = "", words = "", format = ""] =
      /^\/(\d{1,5})x(\d{1,5})\/([\w-]+)\.(\w+)$/.exec(path) ?? [];
    const size = { width: Number(width), height: Number(height) };
    if (!isFormat(format) || size.width < 1 || size.height < 1 || Math.max(size.width, size.height) > largestSide)
      response.writeHead(404, { "content-type": "text/html" }).end("<html>nothing here</html>");
    else {
      const bytes = pictureOf({ ...size, format, words: Buffer.from(words, "base64url").toString() });
      response.writeHead(200, { "content-type": pictureFormats[format], "content-length": bytes.length }).end(bytes);
    }
    return Promise.resolve();
  },
};

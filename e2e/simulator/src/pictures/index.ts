import type { Vendor } from "../vendor.ts";
import { pictureFormats, pictureOf, type PictureFormat, type PictureRequest } from "./picture.ts";

const prefix = "/pictures";
const maxTextLength = 60;
const largestSide = 4_096;

/** Returns the address of a picture, which is created when it is fetched. */
export function addressOfPicture(host: string, { words, width, height, format }: PictureRequest): string {
  const name = Buffer.from(words.slice(0, maxTextLength)).toString("base64url") || "_";
  return `http://${host}${prefix}/${width}x${height}/${name}.${format}?Expires=1`;
}

function isFormat(word: string): word is PictureFormat {
  return word in pictureFormats;
}

/** File host of pictures. Unknown paths get an HTML page. */
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

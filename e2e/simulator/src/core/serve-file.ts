import type { IncomingHttpHeaders, ServerResponse } from "node:http";

/** File of a file host. */
export interface ServedFile {
  readonly bytes: Buffer;
  readonly contentType: string;
}

/** Answers with a file, or with the requested range of it. */
export function writeFile(
  response: ServerResponse,
  { range }: IncomingHttpHeaders,
  { bytes, contentType }: ServedFile,
): void {
  const size = bytes.length;
  const head = { "content-type": contentType, "accept-ranges": "bytes", etag: `"${size}"` };
  const match = range === undefined ? null : /^bytes=(\d*)-(\d*)$/.exec(range);
  if (match === null) return void response.writeHead(200, { ...head, "content-length": size }).end(bytes);
  const [, from = "", to = ""] = match;
  const start = from === "" ? Math.max(0, size - Number(to)) : Number(from);
  const end = from === "" || to === "" ? size - 1 : Math.min(size - 1, Number(to));
  if (start > end) return void response.writeHead(416, { ...head, "content-range": `bytes */${size}` }).end();
  response
    .writeHead(206, {
      ...head,
      "content-length": end - start + 1,
      "content-range": `bytes ${start}-${end}/${size}`,
    })
    .end(bytes.subarray(start, end + 1));
}

import { createServer } from "node:http";
import { pipeline, Readable } from "node:stream";
import { parentPort, workerData } from "node:worker_threads";

/** A vendor, in a thread of its own, whose only video is finished at the first look and as long as asked for. */
const bytes = Number(workerData);
const piece = Buffer.alloc(64 * 1_024, 1);

const server = createServer((request, response) => {
  request.resume();
  if (request.url?.endsWith("/content") === true) {
    response.writeHead(200, { "content-type": "video/mp4", "content-length": bytes });
    pipeline(Readable.from(pieces(), { objectMode: false }), response, () => undefined); // readers may leave
  } else
    response
      .writeHead(200, { "content-type": "application/json" })
      .end(`{"id":"film","object":"video","status":"${request.method === "POST" ? "queued" : "completed"}"}`);
});

function* pieces(): Generator<Buffer> {
  for (let left = bytes; left > 0; left -= piece.length) yield piece.subarray(0, left);
}

server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  parentPort?.postMessage(typeof address === "object" && address !== null ? address.port : 0, []);
});

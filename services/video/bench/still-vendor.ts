import { createServer } from "node:http";
import { parentPort } from "node:worker_threads";

/** Vendor whose tasks never end, in a separate thread. */
const server = createServer((_request, response) => {
  response
    .writeHead(200, { "content-type": "application/json" })
    .end('{"id":"v","object":"video","status":"in_progress","progress":40}');
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  parentPort?.postMessage(typeof address === "object" && address !== null ? address.port : 0, []);
});

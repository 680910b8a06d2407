import { once } from "node:events";
import { createServer } from "node:net";
import { pino } from "pino";
import { expect, test } from "vitest";
import { openRedis } from "../src/index.ts";

test("a restarted Redis is used as soon as it has loaded its data, regardless of its estimate", async () => {
  let infoCalls = 0;
  const server = createServer((socket) => {
    socket
      .on("error", () => undefined)
      .on("data", (bytes) => {
        for (const [, name = ""] of bytes.toString().matchAll(/\*\d+\r\n\$\d+\r\n(\w+)/g)) {
          if (name.toLowerCase() !== "info") socket.write("+OK\r\n");
          else {
            const info = ++infoCalls === 1 ? "loading:1\r\nloading_eta_seconds:3600\r\n" : "loading:0\r\n";
            socket.write(`$${info.length}\r\n${info}\r\n`);
          }
        }
      });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  // The test's timeout is shorter than the client's default pause of ten seconds.
  const redis = await openRedis(`redis://127.0.0.1:${port}`, pino({ level: "silent" }));
  expect(await redis.get("a")).toBe("OK");
  expect(infoCalls).toBe(2);
  redis.disconnect();
  server.close();
}, 8_000);

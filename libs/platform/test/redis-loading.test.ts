import { pino } from "pino";
import { expect, test } from "vitest";
import { startSocketServer } from "@modelgate/testkit";
import { openRedis } from "../src/index.ts";
import { onCommands } from "./redis-commands.ts";

test("a restarted Redis is used as soon as it has loaded its data, regardless of its estimate", async () => {
  let infoCalls = 0;
  await using server = await startSocketServer((socket) => {
    onCommands(socket, (name) => {
      if (name !== "info") socket.write("+OK\r\n");
      else {
        const info = ++infoCalls === 1 ? "loading:1\r\nloading_eta_seconds:3600\r\n" : "loading:0\r\n";
        socket.write(`$${info.length}\r\n${info}\r\n`);
      }
    });
  }, "redis");
  // The test's timeout is shorter than the client's default pause of ten seconds.
  const redis = await openRedis(server.url, pino({ level: "silent" }));
  expect(await redis.get("a")).toBe("OK");
  expect(infoCalls).toBe(2);
  redis.disconnect();
}, 8_000);

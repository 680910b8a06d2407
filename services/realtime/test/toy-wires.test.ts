import { toyConfig, toyKey } from "../../../libs/relay/test/toys.ts";
import { once } from "node:events";
import { createServer } from "node:http";
import { listen } from "@modelgate/testkit";
import { expect, test } from "vitest";
import { WebSocketServer } from "ws";
import { startArea } from "../../../libs/relay/test/area.ts";
import { service } from "../src/service.ts";
import { openSession } from "./start-sessions.ts";

test("a wire of sessions", async () => {
  const http = createServer();
  const sessions = new WebSocketServer({ server: http });
  const arrived: unknown[] = [];
  sessions.on("connection", (socket) =>
    socket.on("message", (data: Buffer) => {
      const event = JSON.parse(data.toString());
      arrived.push(event);
      if (event.act !== "response.create") return;
      const usage = { input_tokens: 2, output_tokens: 3 };
      socket.send(JSON.stringify({ act: "response.created", response: { id: "r", status: "in_progress" } }));
      socket.send(JSON.stringify({ act: "response.done", response: { id: "r", status: "completed", usage } }));
    }),
  );
  const url = await listen(http);
  await using area = await startArea(service, { config: toyConfig(url, { realtime: { input: 1, output: 10 } }) });
  const session = await openSession(area, { model: "my-realtime", key: toyKey });
  session.send({ type: "response.create" });
  expect(await session.next("response.done")).toMatchObject({ response: { status: "completed" } });
  expect(arrived).toEqual([{ act: "response.create" }]);
  session.socket.close();
  await session.closed;
  // 2 input tokens at 1 and 3 output tokens at 10 dollars a million.
  expect((await area.settled("demo")).spentNanos).toBe(32_000n);
  sessions.close();
  http.close();
  await once(http, "close");
});

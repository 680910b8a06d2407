import { toyConfig, toyKey } from "../../../libs/relay/test/toys.ts";
import { expect, test } from "vitest";
import { sendEvent, startSessionVendor } from "@modelgate/testkit";
import { startArea } from "../../../libs/relay/test/area.ts";
import { service } from "../src/service.ts";
import { openSession } from "./start-sessions.ts";

test("a wire of sessions can be added", async () => {
  await using vendor = await startSessionVendor({
    received({ act }, socket) {
      if (act !== "response.create") return;
      const usage = { input_tokens: 2, output_tokens: 3 };
      sendEvent(socket, { act: "response.created", response: { id: "r", status: "in_progress" } });
      sendEvent(socket, { act: "response.done", response: { id: "r", status: "completed", usage } });
    },
  });
  await using area = await startArea(service, {
    config: toyConfig(vendor.url, { realtime: { input: 1, output: 10 } }),
  });
  const session = await openSession(area, { model: "my-realtime", key: toyKey });
  session.send({ type: "response.create" });
  expect(await session.next("response.done")).toMatchObject({ response: { status: "completed" } });
  expect(vendor.events).toEqual([{ act: "response.create" }]);
  session.socket.close();
  await session.closed;
  // 2 input tokens at $1 and 3 output tokens at $10 per million.
  expect((await area.settled("demo")).spentNanos).toBe(32_000n);
});

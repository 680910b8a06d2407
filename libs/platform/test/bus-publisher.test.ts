import { expect, test } from "vitest";
import { BusPublisher } from "../src/bus-publisher.ts";

test("a message that cannot be sent does not affect the others of its batch", async () => {
  let answer: (failed: Error | null, message: object) => void = () => undefined;
  const connection = {
    subscribe: (_: string, { callback }: { callback: typeof answer }) => (answer = callback),
    publish(_: string, body: string, { reply }: { reply: string }) {
      if (body === "large") throw new Error("too large");
      setImmediate(() => answer(null, { subject: reply, string: () => '{"stream":"TASKS","seq":1}' }));
    },
  };
  using publisher = new BusPublisher(connection as never, 60_000);
  const messages = ["first", "large", "last"].map((body) => ({ subject: "task.v1.video.queued", body, id: body }));
  expect(await publisher.publish(messages)).toEqual([undefined, new Error("too large"), undefined]);
  expect(await publisher.publish(messages.slice(1, 2))).toEqual([new Error("too large")]);
});

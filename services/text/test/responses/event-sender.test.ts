import { once } from "node:events";
import { until } from "@modelgate/testkit";
import { expect, test } from "vitest";
import { EventSender } from "../../src/responses/sockets/event-sender.ts";
import { connection } from "./socket-pair.ts";

test("messages of a client are not read while too many events wait to be sent to it", async () => {
  await using open = await connection();
  const { socket, client } = open;
  const sender = new EventSender(socket, 1000);
  const event = "x".repeat(600);
  const received: string[] = [];
  client.on("message", (data: Buffer) => received.push(data.toString()));
  sender.send(event);
  expect(socket.isPaused).toBe(false);
  sender.send(event);
  expect(socket.isPaused).toBe(true);
  await until("reading again", () => !socket.isPaused);
  await until("the events", () => received.length === 2);
  const message = once(socket, "message");
  client.send("Hi");
  expect(String((await message)[0])).toBe("Hi");
});

test("nothing is sent to a client that has left", async () => {
  await using open = await connection();
  const { socket, client } = open;
  const sender = new EventSender(socket, 1000);
  client.close();
  await once(socket, "close");
  sender.send("x".repeat(2000));
  expect(socket.bufferedAmount).toBe(0);
});

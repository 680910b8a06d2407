import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { areaUpgrade } from "../src/area-upgrade.ts";
import { createLogger } from "../src/log.ts";

const { log } = createLogger("test", "silent");

test.each([
  ["/v1/realtime", '"code":"invalid_api_key"'],
  ["/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent", '"status":"UNAUTHENTICATED"'],
  ["/ws/google.absent", '"status":"NOT_FOUND"'],
])("the refusal of %s is in the format of its clients: %s", async (url, expected) => {
  const upgrade = areaUpgrade({
    area: "realtime",
    secrets: ["0123456789abcdef0123456789abcdef"],
    log,
    refused: { add: () => undefined },
    handlers: { realtime: () => Promise.resolve(), geminiLive: () => Promise.resolve() },
  });
  const socket = new PassThrough();
  upgrade(Object.assign(new IncomingMessage(new Socket()), { method: "GET", url }), socket, Buffer.alloc(0));
  expect(await text(socket)).toContain(expected);
});

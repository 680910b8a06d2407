import { expect, test } from "vitest";
import { connectSocket } from "../src/connect.ts";
import { isLinkLocal } from "../src/link-local.ts";
import { openTransport } from "../src/transport.ts";

test.each([
  ["169.254.169.254", true],
  ["[fe80::1]", true],
  ["[fd00:ec2::254]", true],
  ["[::ffff:a9fe:a9fe]", true],
  ["100.100.100.200", true],
  ["127.0.0.1", false],
  ["10.0.0.1", false],
  ["[fd00::1]", false],
  ["api.openai.com", false],
])("%s is link-local: %s", (host, expected) => {
  expect(isLinkLocal(host)).toBe(expected);
});

test("no request and no WebSocket goes to a link-local address", async () => {
  await using transport = openTransport();
  const request = { method: "GET", headers: {}, timeoutMs: 1_000 } as const;
  const signal = AbortSignal.timeout(1_000);
  await expect(transport.send({ ...request, url: new URL("http://169.254.169.254/") }, signal)).rejects.toThrow(
    "link-local",
  );
  const socket = connectSocket({ ...request, url: new URL("ws://[fe80::1]/") }, { maxMessageBytes: 1 }, signal);
  await expect(socket).rejects.toThrow("link-local");
});

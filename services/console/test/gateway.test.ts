import { afterEach, expect, test, vi } from "vitest";
import { chatStream } from "../src/parts/gateway.ts";

afterEach(() => {
  vi.unstubAllGlobals();
});

test("a chat call ends with its signal", async () => {
  vi.stubGlobal("fetch", async (_: string, { signal }: RequestInit) => {
    signal?.throwIfAborted();
    return new Response("data: [DONE]\n\n");
  });
  const gateway = { address: "https://gateway.example", model: "m", key: () => Promise.resolve("sk-1") };
  const ended = AbortSignal.abort(new Error("the person left"));
  await expect(chatStream(gateway, [], ended).next()).rejects.toThrow("the person left");
});

import { afterAll, beforeAll, expect, test } from "vitest";
import { startSuite, type Suite } from "@modelgate/testkit";
import { channel, config as baseConfig, hello, keys, settledMoney } from "./suite-client.ts";

let suite: Suite;
beforeAll(async () => {
  suite = await startSuite({
    shape: "apart",
    config: { ...baseConfig, models: { chat: baseConfig.models.chat }, channels: [channel("main", ["chat"])] },
    envOf: { text: { HEARTBEAT_MS: "200" } },
    limits: { edge: { silence: { streamSilenceMs: 1_500 } }, relay: { limits: { leaseMs: 1_500 } } },
  });
});
afterAll(() => suite?.[Symbol.asyncDispose]());

async function stream(behaviour: object): Promise<Response> {
  return fetch(`${suite.edgeUrl}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${keys.demo}`, "content-type": "application/json" },
    body: JSON.stringify({ ...hello("chat", `Hi {{simulate: ${JSON.stringify(behaviour)}}}`), stream: true }),
  });
}

test("a vendor that is silent for longer: the stream continues because of the service's heartbeats", async () => {
  const text = await (await stream({ chunks: 2, chunkDelayMs: 2_000 })).text();
  expect(text).toMatch(/\n: .*\n/);
  expect(text).toMatch(/data: \[DONE\]\n\n$/);
});

test("a service that hangs: its stream ends with the wire's error event, and its hold settles", async () => {
  const answer = await stream({ chunks: 2_000, chunkDelayMs: 20 });
  const reader = answer.body?.getReader();
  let text = "";
  const read = async (): Promise<boolean> => {
    const piece = await reader?.read();
    text += Buffer.from(piece?.value ?? []).toString();
    return piece?.done === false;
  };
  await read();
  suite.process("text").signal("SIGSTOP");
  try {
    while (await read());
    expect(text).toMatch(/\n\ndata: \{"error":\{.*"code":"server_overloaded"\}\}\n\n$/);
    await settledMoney(suite);
  } finally {
    suite.process("text").signal("SIGCONT");
  }
});

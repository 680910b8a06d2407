import { Agent, request, type ClientRequest } from "node:http";
import { setTimeout } from "node:timers/promises";
import { options } from "../options.ts";
import { memoryOf, type Gateway } from "./gateways.ts";
import { models } from "./stub-models.ts";

const count = options.quick ? 200 : 1_000;
/** How many are opened at once: all of them would be a burst, not streams that are open. */
const together = 50;
/** What is collected after the opening is collected by then, ms. */
const settleMs = 1_000;

/** Memory of a gateway's own processes for each stream that is open and silent, bytes. */
export async function memoryPerStream(gateway: Gateway): Promise<number> {
  const agent = new Agent({ keepAlive: false, maxSockets: Infinity });
  const open: ClientRequest[] = [];
  try {
    const openMore = async (): Promise<unknown> =>
      open.push(...(await Promise.all(Array.from({ length: together }, () => openStream(gateway, agent)))));
    await openMore(); // what the first ones load is not theirs
    const before = memoryOf(gateway);
    while (open.length < count + together) await openMore();
    await setTimeout(settleMs);
    return (memoryOf(gateway) - before) / count;
  } finally {
    for (const stream of open) stream.destroy();
    agent.destroy();
  }
}

function openStream({ address, headers }: Gateway, agent: Agent): Promise<ClientRequest> {
  const body = JSON.stringify({
    model: models.open,
    stream: true,
    stream_options: { include_usage: true },
    messages: [{ role: "user", content: "Hello" }],
  });
  const more = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
  const target = `${address}/v1/chat/completions`;
  return new Promise((resolve, reject) => {
    const asked = request(target, { method: "POST", agent, headers: { ...headers, ...more } }, (response) => {
      response.once("data", () => resolve(asked));
      response.on("error", () => undefined);
    });
    asked.on("error", reject);
    asked.end(body);
  });
}

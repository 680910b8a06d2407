import { randomBytes } from "node:crypto";
import { onRedis } from "../../chaos/redis-log.ts";
import { statusesOf, times, attackResult, type Attack, type AttackContext } from "../attack.ts";
import type { Answer } from "../../chaos/exchange.ts";
import { residentMebibytes } from "../loops.ts";

const mebibyte = 1024 * 1024;
/** Stored content: conversations, items per conversation, and bytes per item. */
const [conversations, itemsOfEach, itemBytes] = [20, 15, 130_000];
const maxMoreMebibytes = 2;

const text = (value: string): object => ({ type: "message", role: "user", content: value });

async function redisMebibytes({ suite }: AttackContext): Promise<number> {
  const info = await onRedis(suite.backends.redisUrl, (redis) => redis.info("memory"));
  return Number(/used_memory:(\d+)/.exec(info)?.[1]) / mebibyte;
}

const contentWithoutBalance: Attack = {
  id: "filling",
  name: "fills the store with conversations and client secrets, without a balance",
  area: "text",
  balance: "0.00",
  async run(context) {
    const before = await redisMebibytes(context);
    const noise = (): object => text(randomBytes(itemBytes).toString("base64"));
    const session = { type: "realtime", model: "m", instructions: "x".repeat(2 * mebibyte) };
    const answers = await context.sendAll([
      ...times(conversations, () => ({ path: "/v1/conversations", body: { items: times(itemsOfEach, noise) } })),
      { path: "/v1/realtime/client_secrets", body: { session } },
    ]);
    const more = (await redisMebibytes(context)) - before;
    const kept = answers.filter(({ status }) => status < 400).length;
    return attackResult(`${answers.length} requests: ${statusesOf(answers)}`, `Redis ${more.toFixed(1)} MiB larger`, [
      kept > 0 && `${kept} were stored for an account without a balance`,
      more > maxMoreMebibytes && `Redis is ${more.toFixed(1)} MiB larger`,
    ]);
  },
};

/**
 * Numbers of requests that add messages, of messages per request, of parts per message, and of reads of the first page.
 */
const [adds, messagesOfAdd, partsOfMessage, reads] = [30, 5, 9_000, 12];
/** Limits of the text service for these reads. */
const [maxCpuSeconds, maxReadMebibytes] = [5, 200];

async function cpuSeconds({ suite }: AttackContext): Promise<number> {
  const metrics = await (await fetch(`${suite.opsUrl("text")}/metrics`)).text();
  return Number(/^process_cpu_seconds_total(?:\{[^}]*\})? ([\d.e+-]+)$/m.exec(metrics)?.[1]);
}

const conversationPages: Attack = {
  id: "pages",
  name: "reads the first page of a conversation with many small parts",
  area: "text",
  async run(context) {
    const created = await context.send({ path: "/v1/conversations", body: {} });
    const id = /"id":\s*"(conv[^"]*)"/.exec(created.body)?.[1] ?? "";
    const part = { type: "input_text", text: "a" };
    const message = { type: "message", role: "user", content: times(partsOfMessage, () => part) };
    const body = { items: times(messagesOfAdd, () => message) };
    const added: Answer[] = [];
    for (let at = 0; at < adds && added.every(({ status }) => status < 400); at++)
      added.push(await context.send({ path: `/v1/conversations/${id}/items`, body }));
    const [cpu, memory] = [await cpuSeconds(context), await residentMebibytes(context.suite, "text")];
    const read = { method: "GET", path: `/v1/conversations/${id}/items?limit=1` };
    const answers = await Promise.all(times(reads, () => context.send(read)));
    const seconds = (await cpuSeconds(context)) - cpu;
    const more = Math.max(0, (await residentMebibytes(context.suite, "text")) - memory);
    return attackResult(
      `${added.length} adds: ${statusesOf(added)}; ${reads} reads: ${statusesOf(answers)}`,
      `${seconds.toFixed(1)} s of CPU, memory of text +${Math.round(more)} MiB`,
      [
        id === "" && "no conversation was made, so none was read",
        !(seconds <= maxCpuSeconds) && `text used ${seconds.toFixed(1)} s of CPU (aim: ${maxCpuSeconds})`,
        more > maxReadMebibytes && `text has ${Math.round(more)} MiB more (aim: ${maxReadMebibytes})`,
      ],
    );
  },
};

/** Attacks by stored content. */
export const contentAttacks: readonly Attack[] = [contentWithoutBalance, conversationPages];

import { expect, test } from "vitest";
import { until } from "@modelgate/testkit";
import { ask, promptWith, taskEvents } from "../../../services/video/test/films.ts";
import { storedEvents } from "../events.ts";
import { booksAgree, liveSession, textSession, userMessage, simulated, usageEvents } from "../realtime-client.ts";
import { money, settledMoney } from "../suite-client.ts";
import { open } from "./killed-text.ts";
import { kill, type CrashSetup } from "./setup.ts";

const models = ["film-openai", "film-kling", "film-veo"];
const instances = ["openai-films", "kling", "veo"];
const tasks = 12;

export function killedAreasTests(setup: () => CrashSetup): void {
  test("media and audio are killed: events end with the wire's error, and speech as bytes is cut", async () => {
    const { suite } = setup();
    const image = { prompt: 'a fox {{simulate: {"stallAfterChunks": 1}}}', stream: true, partial_images: 2 };
    const pictures = open(suite, "/v1/images/generations", { model: "tokens", ...image });
    const input = 'Hello there, listen to this. {{simulate: {"chunks": 200, "stallAfterChunks": 1}}}';
    const speech = { model: "tts-events", voice: "alloy", input };
    const events = open(suite, "/v1/audio/speech", { ...speech, stream_format: "sse" });
    const bytes = open(suite, "/v1/audio/speech", speech);
    await Promise.all([pictures, events, bytes].map(({ begun }) => begun));
    await Promise.all([kill(setup(), "media"), kill(setup(), "audio")]);
    expect(await pictures.result).toMatch(
      /event: error\ndata: \{"type":"error","error":\{.*"code":"server_overloaded"\}\}\n\n$/,
    );
    expect(await events.result).toMatch(/\n\ndata: \{"type":"error","error":\{.*"code":"server_overloaded"\}\}\n\n$/);
    await expect(bytes.result).rejects.toThrow();
  });

  test("realtime is killed: sessions of both formats end with the edge's error, and every hold ends once", async () => {
    const { suite } = setup();
    const [session, talk] = [await textSession(suite), await liveSession(suite, "talk")];
    session.send(userMessage(simulated({ chunks: 500, chunkDelayMs: 50, bodyBytes: 5_000 })));
    session.send({ type: "response.create" });
    await session.next("response.output_text.delta");
    talk.send({ type: "session.input_audio.append", audio: Buffer.alloc(2 * 48_000).toString("base64") });
    await talk.next("session.usage.updated");
    await kill(setup(), "realtime");
    expect(await session.closed).toEqual({ code: 1012, reason: "server_overloaded" });
    expect(JSON.parse(session.texts.at(-1) ?? "")).toMatchObject({
      type: "error",
      error: { code: "server_overloaded" },
    });
    for (const text of session.texts) expect(JSON.parse(text)).toHaveProperty("event_id");
    expect((await talk.closed).code).toBe(1012);
    await suite.restart("realtime");
    expect(await usageEvents(suite, "talk", 1)).toMatchObject([{ event: { estimated: true } }]);
    await booksAgree(suite, "demo");
  });

  test(`video is killed under ${tasks} tasks and a start: every task ends, is settled once, and no vendor sees a create twice; the start gets its format's error, and costs nothing`, async () => {
    const { suite } = setup();
    const [before, { length: from }] = [await money(suite), await storedEvents(suite.backends.natsUrl)];
    const begun: string[] = [];
    let number = 0;
    const clients = Array.from({ length: 4 }, async () => {
      while (begun.length < tasks) {
        const id = await begin(setup(), number++);
        if (id !== undefined) begun.push(id);
        else await new Promise((resolve) => setTimeout(resolve, 100));
      }
    });
    await until("more tasks to be started", () => begun.length >= tasks / 2, 60_000);
    const at = { url: suite.edgeUrl };
    const body = { model: "film-openai", prompt: promptWith({ delayMs: 20_000 }) };
    const dying = ask(at, "/v1/videos", body);
    await until("the start to reach the vendor", async () =>
      (await suite.simulator.requests("openai-films")).some(({ body: sent }) => sent.includes("20000")),
    );
    await kill(setup(), "video");
    const later = [ask(at, "/v1/videos", { ...body, prompt: "A boat" }), ask(at, "/v1/videos/video_1")];
    for (const { status, json } of await Promise.all([dying, ...later]))
      expect([status, json.error.code]).toEqual([503, "server_overloaded"]);
    await suite.restart("video");
    await Promise.all(clients);

    const account = await settledMoney(suite);
    const stored = await untilTasksStored(setup(), begun);
    // Each state is stored once and in order.
    for (const events of Map.groupBy(stored, ({ taskId }) => taskId).values()) {
      expect(new Set(events.map(({ state }) => state)).size).toBe(events.length);
      expect(events.map(({ previousState }) => previousState)).toEqual([
        null,
        ...events.slice(0, -1).map(({ state }) => state),
      ]);
      expect(events.filter(({ state }) => isEnd(state))).toHaveLength(1);
    }
    const usage = await until("every settlement to be stored", async () => {
      const events = (await storedEvents(suite.backends.natsUrl)).slice(from).map(({ event }) => event);
      const sum = events.reduce((all, { costNanos }) => all + BigInt(costNanos), 0n);
      return sum === BigInt(account.spentNanos) - BigInt(before.spentNanos) && events;
    });
    expect(new Set(usage.map(({ id }) => id)).size).toBe(usage.length);
    const completed = stored.filter(({ state }) => state === "completed").length;
    // The complete hold of the start is released, although the vendor may have accepted the task.
    expect(usage.filter(({ costNanos }) => costNanos !== "0")).toHaveLength(completed);
    // A task whose service was killed has no id, but must also be sent only once.
    expect([...(await countStarts(setup())).values()].filter((count) => count !== 1)).toEqual([]);
  });
}

const isEnd = (state: string): boolean => state === "completed" || state === "failed";

/** Returns the id of a new task, or undefined if the service was killed. */
async function begin({ suite }: CrashSetup, number: number): Promise<string | undefined> {
  const behaviour = { polls: 2 + (number % 4), ...(number % 7 === 0 ? { taskError: "no boats today" } : {}) };
  const body = {
    model: models[number % models.length],
    prompt: `task number ${number}; ${promptWith(behaviour)}`,
  };
  const answer = await ask({ url: suite.edgeUrl }, "/v1/video/generations", body).catch(() => undefined);
  return answer?.status === 200 ? String(answer.json.task_id) : undefined;
}

/** Waits for the last event of every task, and all earlier ones. */
function untilTasksStored({ suite }: CrashSetup, begun: readonly string[]) {
  return until("the events of all tasks", async () => {
    const events = await taskEvents(suite.backends.natsUrl);
    const states = new Set(events.map(({ taskId, state }) => `${taskId} ${state}`));
    const ends = new Set(events.filter(({ state }) => isEnd(state)).map(({ taskId }) => taskId));
    const isWhole = events.every(({ taskId, previousState: was }) => was === null || states.has(`${taskId} ${was}`));
    return isWhole && begun.every((id) => ends.has(id)) && events;
  });
}

/** Returns the number of requests that the vendors received to start each task, by the number in the task's prompt. */
async function countStarts({ suite }: CrashSetup): Promise<ReadonlyMap<string, number>> {
  const vendorRequests = (await Promise.all(instances.map((instance) => suite.simulator.requests(instance)))).flat();
  const counts = new Map<string, number>();
  for (const { method, body } of vendorRequests) {
    const task = method === "POST" ? /task number (\d+);/.exec(body)?.[1] : undefined;
    if (task !== undefined) counts.set(task, (counts.get(task) ?? 0) + 1);
  }
  return counts;
}

import { afterAll, beforeAll, expect, test } from "vitest";
import { startSuite, until, type Suite } from "@modelgate/testkit";
import { storedEvents } from "./events.ts";
import { ask, films, quickLimits, promptWith, taskEvents } from "../../services/video/test/films.ts";
import { money, settledMoney } from "./suite-client.ts";

let suite: Suite;
beforeAll(async () => {
  suite = await startSuite({
    shape: "apart",
    config: films,
    limits: {
      relay: { limits: { leaseMs: 1_500 } },
      video: { ...quickLimits.video, pace: { ...quickLimits.video.pace, longestMs: 300 } },
    },
  });
});
afterAll(() => suite?.[Symbol.asyncDispose]());

const tasks = 32;
const kills = 2;
const models = [
  "film-openai",
  "film-compatible",
  "film-kling",
  "film-jimeng",
  "film-veo",
  "film-vertex",
  "film-wan",
  "film-seedance",
];
const instances = ["openai-films", "compatible", "kling", "jimeng", "veo", "vertex-films", "wan", "seedance"];

/** Returns the id of a new task, or undefined if the service was killed. */
async function begin(number: number): Promise<string | undefined> {
  const behaviour = { polls: 2 + (number % 4), ...(number % 7 === 0 ? { taskError: "no boats today" } : {}) };
  const model = models[number % models.length];
  const body = { model, prompt: `task number ${number}; ${promptWith(behaviour)}` };
  const answer = await ask({ url: suite.edgeUrl }, "/v1/video/generations", body).catch(() => undefined);
  return answer?.status === 200 ? String(answer.json.task_id) : undefined;
}

/** Returns the number of requests for each prompt. */
async function creates(): Promise<ReadonlyMap<string, number>> {
  const vendorRequests = (await Promise.all(instances.map((instance) => suite.simulator.requests(instance)))).flat();
  const prompts = vendorRequests.flatMap(({ method, body }) => {
    const found = /task number (\d+);/.exec(body)?.[1];
    return method === "POST" && found !== undefined ? [found] : [];
  });
  return new Map(
    Object.entries(Object.groupBy(prompts, (prompt) => prompt)).map(([prompt, all]) => [prompt, all?.length ?? 0]),
  );
}

test(`killed ${kills} times under ${tasks} tasks: every task ends, is settled once, and no vendor sees a create twice`, async () => {
  const before = await money(suite);
  let number = 0;
  const begun: string[] = [];
  const clients = Array.from({ length: 8 }, async () => {
    while (begun.length < tasks) {
      const id = await begin(number++);
      if (id !== undefined) begun.push(id);
      else await new Promise((resolve) => setTimeout(resolve, 100));
    }
  });
  for (let kill = 0; kill < kills; kill++) {
    const reached = ((kill + Math.random()) * tasks) / kills;
    await until("more tasks to be started", () => begun.length >= Math.floor(reached), 60_000);
    suite.process("video").signal("SIGKILL");
    await suite.process("video").ended;
    await suite.restart("video");
  }
  await Promise.all(clients);

  const account = await settledMoney(suite);
  const stored = await until("every last event, and all earlier ones, to be stored", async () => {
    const events = await taskEvents(suite.backends.natsUrl);
    const ends = new Set(
      events.filter(({ state }) => state === "completed" || state === "failed").map(({ taskId }) => taskId),
    );
    const states = new Set(events.map(({ taskId, state }) => `${taskId} ${state}`));
    const isWhole = events.every(
      ({ taskId, previousState: before }) => before === null || states.has(`${taskId} ${before}`),
    );
    return isWhole && begun.every((id) => ends.has(id)) && events;
  });
  // Each state is stored once and in order.
  for (const events of Map.groupBy(stored, ({ taskId }) => taskId).values()) {
    expect(new Set(events.map(({ state }) => state)).size).toBe(events.length);
    expect(events[0]?.previousState).toBeNull();
    expect(events.slice(1).map(({ previousState }) => previousState)).toEqual(
      events.slice(0, -1).map(({ state }) => state),
    );
    expect(events.filter(({ state }) => state === "completed" || state === "failed")).toHaveLength(1);
  }
  const usage = await until("every settlement to be stored", async () => {
    const events = (await storedEvents(suite.backends.natsUrl)).map(({ event }) => event);
    const sum = events.reduce((all, { costNanos }) => all + BigInt(costNanos), 0n);
    return sum === BigInt(account.spentNanos) - BigInt(before.spentNanos) && events;
  });
  expect(new Set(usage.map(({ id }) => id)).size).toBe(usage.length);
  const completed = stored.filter(({ state }) => state === "completed").length;
  expect(usage.filter(({ costNanos }) => costNanos !== "0")).toHaveLength(completed);
  // A task whose service was killed has no id, but must also be sent only once.
  expect([...(await creates()).values()].filter((count) => count !== 1)).toEqual([]);
});

test("a service that is unavailable, or is killed during a request, is reported in the request's format, and nothing is charged", async () => {
  const before = await money(suite);
  const dying = ask({ url: suite.edgeUrl }, "/v1/videos", {
    model: "film-openai",
    prompt: promptWith({ delayMs: 20_000 }),
  });
  await until("the request to reach the vendor", async () =>
    (await suite.simulator.requests("openai-films")).some(({ body }) => body.includes("20000")),
  );
  suite.process("video").signal("SIGKILL");
  await suite.process("video").ended;
  const answers = [
    await dying,
    await ask({ url: suite.edgeUrl }, "/v1/videos", { model: "film-openai", prompt: "A boat" }),
    await ask({ url: suite.edgeUrl }, "/v1/videos/video_1"),
  ];
  for (const { status, json } of answers) expect([status, json.error.code]).toEqual([503, "server_overloaded"]);
  // The complete hold is released, although the vendor may have accepted the task.
  const after = await settledMoney(suite);
  expect(after).toEqual(before);
});

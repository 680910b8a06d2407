import { setTimeout as pause } from "node:timers/promises";
import { until } from "@modelgate/testkit";
import { storedEvents } from "../test/events.ts";
import { settledMoney } from "../test/suite-client.ts";
import { call, openSession, type Answer, type RestartSetup, type SessionEnd } from "./setup.ts";

const finalErrorEvent = /\n\ndata: \{"error":\{.*"code":"server_overloaded"\}\}\n\n$/;
/** Ends that clients of a killed service must see. If the edge was killed too, connections are only closed. */
const expectedEnds = {
  apart: {
    stream: ["streams that ended with an error event", ({ text }: Answer) => finalErrorEvent.test(text)],
    session: [
      "sessions that ended with an error event and close code 1012",
      ({ code, last }: SessionEnd) => code === 1012 && last === "error",
    ],
  },
  one: {
    stream: ["streams that were interrupted", ({ whole }: Answer) => !whole],
    session: ["sessions that were interrupted (1006)", ({ code }: SessionEnd) => code === 1006],
  },
} as const;
/** Time in ms before the kill, in which leases are renewed at least once. */
const runMs = 12_000;

/** Kills the text service with open streams. Returns table rows of what clients saw and were charged. */
export async function killText(
  { suite }: RestartSetup,
  streams: number,
): Promise<readonly (readonly [string, string])[]> {
  let begun = 0;
  const openCalls = Array.from({ length: streams }, () =>
    call(suite.edgeUrl, { model: "endless", stream: true, onBegin: () => begun++ }),
  );
  await until("every stream to begin", () => begun === streams, 60_000);
  await pause(runMs);
  const before = new Set((await storedEvents(suite.backends.natsUrl)).map(({ id }) => id));
  const waiting = call(suite.edgeUrl, { model: "endless" });
  suite.process("text").signal("SIGKILL");
  const killedAt = performance.now();
  const answers = await Promise.all(openCalls);
  await waiting;
  if (suite.shape === "one") await suite.restart("text");
  const last = Math.max(...answers.map(({ endedAt }) => endedAt - killedAt));
  await settledMoney(suite);
  const settledMs = performance.now() - killedAt;
  const events = await until("an event of each", async () => {
    const stored = (await storedEvents(suite.backends.natsUrl)).filter(({ id }) => !before.has(id));
    const streamEvents = stored
      .map(({ event }) => event)
      .filter(({ model, status }) => model === "endless" && status === 200);
    return streamEvents.length >= streams && streamEvents;
  });
  // The vendor sends three tokens every half second.
  const charged = events.reduce((sum, { units }) => sum + (units.outputTokens ?? 0), 0);
  const delivered = answers.reduce((sum, { text }) => sum + 3 * (text.split("and so on").length - 1), 0);
  if (suite.shape === "apart") await suite.restart("text");
  const [what, isEnd] = expectedEnds[suite.shape].stream;
  return [
    [what, `${answers.filter(isEnd).length} of ${streams}`],
    ["time until the last of them", `${Math.round(last)} ms`],
    ["time until all calls were charged", `${(settledMs / 1_000).toFixed(1)} s`],
    ["output tokens that were charged, of those delivered", `${charged} of ${delivered}`],
  ];
}

/** Kills the realtime service with open sessions. Returns table rows of what clients saw. */
export async function killRealtime(
  { suite }: RestartSetup,
  sessions: number,
): Promise<readonly (readonly [string, string])[]> {
  const talks = await Promise.all(Array.from({ length: sessions }, () => openSession(suite.edgeUrl)));
  for (const session of talks) void session.requestAnswer();
  suite.process("realtime").signal("SIGKILL");
  const killedAt = performance.now();
  const ended = await Promise.all(talks.map((session) => session.ended));
  const last = Math.max(...ended.map(({ endedAt }) => endedAt - killedAt));
  if (suite.shape === "one") await suite.restart("realtime");
  await settledMoney(suite);
  if (suite.shape === "apart") await suite.restart("realtime");
  const [what, isEnd] = expectedEnds[suite.shape].session;
  return [
    [what, `${ended.filter(isEnd).length} of ${sessions}`],
    ["time until the last of them", `${Math.round(last)} ms`],
  ];
}

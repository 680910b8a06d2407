import { parseArgs } from "node:util";
import { until } from "@modelgate/testkit";
import { storedEvents } from "../test/events.ts";
import { settledMoney } from "../test/suite-client.ts";
import { openRestartSetup } from "./setup.ts";
import { killRealtime, killText } from "./killed.ts";
import { isWhole, rollOut } from "./rolling.ts";

/**
 * Measures a rolling restart and the kill of services, and prints Markdown. Exits with 1 if the restart interrupted a
 * client or an old replica did not exit with 0, if the client of a killed service did not see the expected end, or if
 * the account's spending is not the sum of its usage events.
 */
const { values } = parseArgs({
  options: {
    streams: { type: "string", default: "300" },
    sessions: { type: "string", default: "50" },
    killed: { type: "string", default: "40" },
    shape: { type: "string", default: "apart" },
  },
});

await using setup = await openRestartSetup(values.shape === "one" ? "one" : "apart");
const [streams, sessions] = [Number(values.streams), Number(values.sessions)];
const killedProcesses =
  setup.suite.shape === "one"
    ? { text: "the one process", realtime: "the one process" }
    : { text: "text", realtime: "realtime" };
const tables = [
  ["a rolling restart", await rollingRestart()],
  [
    `${killedProcesses.text} killed (SIGKILL) with ${values.killed} streams open`,
    await killText(setup, Number(values.killed)),
  ],
  [`${killedProcesses.realtime} killed (SIGKILL) with ${sessions} sessions open`, await killRealtime(setup, sessions)],
] as const;
const { spentNanos } = await settledMoney(setup.suite);
const agrees = await until(
  "the usage events to equal the spending",
  async () => (await eventSum()) === BigInt(spentNanos),
).catch(() => false);
for (const [title, rows] of tables) {
  process.stdout.write(`| ${title} | result |\n| --- | --- |\n`);
  for (const [what, figure] of rows) process.stdout.write(`| ${what} | ${figure} |\n`);
  process.stdout.write("\n");
}
process.stdout.write(
  agrees
    ? "No money is reserved, and the account's spending is the sum of its usage events.\n"
    : `The account's spending is ${spentNanos}, but the sum of its usage events is ${await eventSum()}.\n`,
);
const isIncomplete = tables
  .flatMap(([, rows]) => rows)
  .filter(([what]) => /^(?:replicas|(?:open )?(?:streams|sessions)|other calls) /.test(what))
  .some(([, figure]) => !/^(\d+) of \1(?:, each ended with 0)?$/.test(figure));
process.exitCode = agrees && !isIncomplete ? 0 : 1;

/** Returns the cost of all usage events in nano-dollars. */
async function eventSum(): Promise<bigint> {
  const events = await storedEvents(setup.suite.backends.natsUrl);
  return events.reduce((sum, { event }) => sum + BigInt(event.costNanos), 0n);
}

async function rollingRestart(): Promise<readonly (readonly [string, string])[]> {
  const serviceNames = setup.suite.shape === "one" ? (["gateway"] as const) : (["text", "realtime", "edge"] as const);
  const result = await rollOut(setup, { names: [...serviceNames, ...serviceNames], streams, sessions });
  const whole = result.streams.filter((answer) => isWhole(answer, "stream")).length;
  const others = result.otherAnswers.filter((answer) => isWhole(answer, "plain")).length;
  const exits = [...new Set(result.exitStatuses)].join(", ");
  return [
    [
      `replicas of ${serviceNames.join(", ")} replaced`,
      `${result.runningReplicas} of ${2 * serviceNames.length}, each ended with ${exits}`,
    ],
    ["open streams that ended completely", `${whole} of ${streams}`],
    ["open sessions that were answered afterwards", `${result.sessions.filter(Boolean).length} of ${sessions}`],
    ["other calls that were answered meanwhile", `${others} of ${result.otherAnswers.length}`],
  ];
}

import { parseArgs } from "node:util";
import { money } from "../test/suite-client.ts";
import { openRestartSetup } from "./setup.ts";
import { killRealtime, killText } from "./killed.ts";
import { isWhole, rollOut } from "./rolling.ts";

/**
 * Measures a rolling restart and the kill of services, and prints Markdown. Exits with 1 if a client was interrupted by
 * the restart, got no error after a kill, or was charged wrongly.
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
const killed =
  setup.suite.shape === "one"
    ? { text: "the one process", realtime: "the one process" }
    : { text: "text", realtime: "realtime" };
const parts = [
  ["a rolling restart", await rollingRestart()],
  [`${killed.text} killed (SIGKILL) with ${values.killed} streams open`, await killText(setup, Number(values.killed))],
  [`${killed.realtime} killed (SIGKILL) with ${sessions} sessions open`, await killRealtime(setup, sessions)],
] as const;
const { balanceNanos, creditedNanos, spentNanos, heldNanos } = await money(setup.suite);
const agrees = heldNanos === "0" && BigInt(balanceNanos) === BigInt(creditedNanos) - BigInt(spentNanos);
for (const [title, rows] of parts) {
  process.stdout.write(`| ${title} | result |\n| --- | --- |\n`);
  for (const [what, figure] of rows) process.stdout.write(`| ${what} | ${figure} |\n`);
  process.stdout.write("\n");
}
const difference = `balance ${balanceNanos}, credits ${creditedNanos}, spending ${spentNanos}, reserved ${heldNanos}`;
process.stdout.write(
  agrees
    ? "No money is reserved, and the account's balance is its credits minus its spending.\n"
    : `The account does NOT agree: ${difference}\n`,
);
const isIncomplete = parts
  .flatMap(([, rows]) => rows)
  .filter(([what]) => /^(?:streams|sessions|other calls)/.test(what))
  .some(([, figure]) => {
    const [count, total] = figure.split(" of ");
    return count !== total;
  });
process.exitCode = agrees && !isIncomplete ? 0 : 1;

async function rollingRestart(): Promise<readonly (readonly [string, string])[]> {
  const serviceNames = setup.suite.shape === "one" ? (["gateway"] as const) : (["text", "realtime", "edge"] as const);
  const result = await rollOut(setup, { names: [...serviceNames, ...serviceNames], streams, sessions });
  const whole = result.streams.filter((answer) => isWhole(answer, "stream")).length;
  const others = result.others.filter((answer) => isWhole(answer, "plain")).length;
  const exits = [...new Set(result.exits)].join(", ");
  return [
    [
      `replicas of ${serviceNames.join(", ")} replaced`,
      `${result.fresh} of ${2 * serviceNames.length}, each ended with ${exits}`,
    ],
    ["open streams that ended completely", `${whole} of ${streams}`],
    ["open sessions that were answered afterwards", `${result.sessions.filter(Boolean).length} of ${sessions}`],
    ["other calls that were answered meanwhile", `${others} of ${result.others.length}`],
  ];
}

import { setTimeout as pause } from "node:timers/promises";
import type { Sending } from "../../chaos/exchange.ts";
import { openaiModel, statusesOf, times, attackResult, type Attack } from "../attack.ts";
import { json, type Handler } from "../vendor.ts";
import { honestText, textRequest } from "./wires.ts";

/** The vendor fails requests that contain this text. */
const attackerText = "poisoned-request";
/** Numbers of the attacker's calls, and of another account's calls afterwards. */
const [attackerCalls, otherCalls] = [8, 40];

/** Creates a vendor that fails only the attacker's requests. */
const failWith =
  (status: number, error: object): Handler =>
  (request, response) =>
    request.body.includes(attackerText) ? json(response, error, status) : honestText(request, response);

const hangUp: Handler = (request, response) => {
  if (request.body.includes(attackerText)) response.destroy();
  else void honestText(request, response);
};

const price = { input: 1, output: 2 };

const blameAttack = (id: string, what: string, answers: Handler): Attack => ({
  id: `blame-${id}`,
  name: `repeatedly provokes ${what}`,
  area: "text",
  models: [
    openaiModel("main", "chat", price, answers),
    openaiModel("sibling", "chat", price, answers, { channelOf: "main" }),
  ],
  async run(context) {
    const mine = await context.sendAll(
      times(attackerCalls, () => textRequest("chat", context.model("main"), {}, attackerText)),
    );
    const theirs = await context.sendAll(
      times(otherCalls, (at) => ({
        ...textRequest("chat", context.model(at % 2 === 0 ? "main" : "sibling")),
        key: context.other.key,
      })),
    );
    const served = theirs.filter(({ status }) => status === 200).length;
    return attackResult(
      `${attackerCalls} calls: ${statusesOf(mine)}`,
      `another account afterwards: ${statusesOf(theirs)}`,
      [served < otherCalls && `another tenant was served ${served} of ${otherCalls} calls of the channel's models`],
    );
  },
});

const openaiError = (message: string, code: string | null) => ({
  error: { message, type: "invalid_request_error", param: null, code },
});

/** Inputs and dimensions of an answer that exceeds 32 MiB. */
const [inputs, dimensions] = [1_000, 3_072];
const embeddings: Handler = (request, response) => {
  const parsed: { readonly input: string | readonly string[] } = JSON.parse(request.body);
  const count = typeof parsed.input === "string" ? 1 : parsed.input.length;
  const vector = Array.from({ length: dimensions }, (_, at) => Math.sin(at) / 55);
  const data = Array.from({ length: count }, (_, index) => ({ object: "embedding", index, embedding: vector }));
  json(response, { object: "list", model: "m", data, usage: { prompt_tokens: count, total_tokens: count } });
};

const hugeAnswer: Attack = {
  id: "blame-embeddings",
  name: "requests embeddings whose answer is larger than 32 MiB",
  area: "text",
  models: [openaiModel("main", "embedding", { input: 1 }, embeddings, { timeoutMs: 20_000 })],
  async run(context) {
    const request = (input: string | readonly string[], key = context.attacker.key): Sending => ({
      path: "/v1/embeddings",
      body: { model: context.model("main"), input },
      key,
    });
    const mine = await context.sendAll(times(4, () => request(times(inputs, () => "word"))));
    const theirs = await context.sendAll(times(10, () => request("word", context.other.key)));
    const served = theirs.filter(({ status }) => status === 200).length;
    const size = (Math.max(...mine.map(({ bytes }) => bytes)) / 1e6).toFixed(1);
    return attackResult(
      `4 × ${inputs} × ${dimensions}: ${statusesOf(mine)}, ${size} MB`,
      `another account: ${statusesOf(theirs)}`,
      [
        served < theirs.length && `another tenant was served ${served} of ${theirs.length} calls`,
        mine.some(({ status }) => status !== 200) && "an answer that a vendor gives was not passed on",
      ],
    );
  },
};

/** Number of concurrent calls. */
const burstCalls = 500;

const coldBurst: Attack = {
  id: "cold-burst",
  name: "sends 500 concurrent calls after a cold start",
  area: "text",
  models: [openaiModel("main", "chat", price, honestText)],
  async prepare({ suite }) {
    for (const name of ["edge", "text"] as const) {
      await suite.process(name).stop();
      await suite.restart(name);
    }
    await pause(500);
  },
  async run(context) {
    const request = { ...textRequest("chat", context.model("main")), patienceMs: 60_000 };
    const answers = await Promise.all(times(burstCalls, () => context.send(request)));
    const failed = answers.filter(({ status }) => status !== 200).length;
    const slowest = Math.round(Math.max(...answers.map(({ ms }) => ms)));
    return attackResult(`${burstCalls} concurrent calls`, `${statusesOf(answers)}; slowest ${slowest} ms`, [
      failed > 0 && `${failed} of ${burstCalls} were refused`,
    ]);
  },
};

const unimplementedPaths: Attack = {
  id: "log-501",
  name: "calls endpoints that are not implemented, to fill the log with errors",
  area: "text",
  async run(context) {
    const paths = ["/v1/files", "/v1/fine-tunes", "/v1/files/a", "/v1/files/a/content"];
    const answers = await context.sendAll(
      times(100, (at) => ({ path: paths[at % paths.length] ?? "", method: "GET" })),
    );
    const errors = context.suite
      .process("edge")
      .logs()
      .split("\n")
      .filter((line) => line.startsWith('{"level":50') && line.includes("501")).length;
    return attackResult("100 calls", `${statusesOf(answers)}; ${errors} errors in the edge's log`, [
      errors > 0 && `${errors} lines of the log are errors`,
    ]);
  },
};

/** Attacks by which one account makes shared channels, keys or stores unavailable. */
export const blameAttacks: readonly Attack[] = [
  blameAttack(
    "500",
    "a vendor's 500 by its body",
    failWith(500, openaiError("The server had an error", "server_error")),
  ),
  blameAttack("reset", "a vendor's reset by its body", hangUp),
  blameAttack("garbage", "a vendor's answer that is not JSON", (request, response) => {
    if (request.body.includes(attackerText))
      response.writeHead(200, { "content-type": "application/json" }).end("{oops");
    else void honestText(request, response);
  }),
  blameAttack(
    "403",
    "a vendor's 403 for its file",
    failWith(403, openaiError("You do not have access to the file file-1.", "permission_denied")),
  ),
  blameAttack(
    "401-region",
    "a vendor's 401 that is not about the key",
    failWith(401, openaiError("Your organization must be verified to use this feature.", null)),
  ),
  blameAttack(
    "402",
    "a vendor's 402 for a feature",
    failWith(402, openaiError("This feature needs another plan.", "plan_required")),
  ),
  hugeAnswer,
  coldBurst,
  unimplementedPaths,
];

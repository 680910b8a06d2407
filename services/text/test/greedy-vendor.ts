import { once } from "node:events";
import { sse, startScriptedServer, textAnswers, textUsage, textWireOf, type ScriptedServer } from "@modelgate/testkit";

/** Usage that the vendor reports. */
export interface ReportedUsage {
  readonly input: unknown;
  readonly output: unknown;
}

/** Vendor of all wires that respects no limit. While `silent` is set, it does not answer. */
export interface GreedyVendor extends ScriptedServer {
  /** Sets the behaviour for all further requests. */
  behave(behaviour: Partial<GreedyBehaviour>): void;
  /** Answers all requests that wait because of `silent`. */
  speak(): void;
}

interface GreedyBehaviour {
  /** Number of words in an answer. A stream has at most `maxWords`. */
  readonly words: number;
  /** Reported usage; undefined: none is reported. */
  readonly usage: ReportedUsage | undefined;
  /** Number of items in an answer, such as images or vectors. */
  readonly items: number;
  readonly silent: boolean;
}

const maxWords = 100_000;
const word = "story ";
const defaultBehaviour: GreedyBehaviour = { words: 3, usage: { input: 3, output: 3 }, items: 1, silent: false };

export async function startGreedyVendor(): Promise<GreedyVendor> {
  let behaviour = defaultBehaviour;
  const waiting = new Set<() => void>();
  const server = await startScriptedServer(async ({ path, body }, response) => {
    if (behaviour.silent) await new Promise<void>((resolve) => waiting.add(resolve));
    const { words } = behaviour;
    const answer = answerAt(path, behaviour);
    const streams = path.includes(":stream") || /"stream(?:_format)?":\s*(?:true|"sse")/.test(body);
    if (answer === undefined) return { status: 404, body: {} };
    if (!streams || answer.each === undefined) return { body: answer.whole };
    const disconnected = new AbortController();
    response.once("close", () => disconnected.abort());
    response.writeHead(200, { "content-type": "text/event-stream" }).write(answer.begin ?? "");
    for (let at = 0; at < Math.min(words, maxWords) && !response.destroyed; at++)
      if (!response.write(answer.each))
        await once(response, "drain", { signal: disconnected.signal }).catch(() => undefined);
    response.end(answer.end);
    return undefined;
  });
  return Object.assign(server, {
    behave(next: Partial<GreedyBehaviour>) {
      behaviour = { ...defaultBehaviour, ...next };
    },
    speak() {
      for (const resume of waiting) resume();
      waiting.clear();
    },
  });
}

/** Answer in one piece, and as a stream that repeats `each`. */
interface GreedyAnswer {
  readonly whole: object;
  readonly begin?: string;
  readonly each?: string;
  readonly end?: string;
}

function answerAt(path: string, behaviour: GreedyBehaviour): GreedyAnswer | undefined {
  const wire = textWireOf(path);
  if (wire === undefined) return Object.entries(otherAnswers).find(([ending]) => path.endsWith(ending))?.[1](behaviour);
  const reported = behaviour.usage && textUsage[wire](behaviour.usage.input, behaviour.usage.output);
  const frames = textAnswers[wire]({ model: "vendor", usage: reported });
  const text = word.repeat(Math.min(behaviour.words, maxWords));
  return {
    whole: textAnswers[wire]({ model: "vendor", usage: reported, text }).whole,
    begin: frames.begin,
    each: frames.word(word),
    end: frames.end,
  };
}

const usageOf = (usage: ReportedUsage | undefined, of: (usage: ReportedUsage) => object): object =>
  usage === undefined ? {} : { usage: of(usage) };
const plainUsage = ({ input, output }: ReportedUsage): object => textUsage.responses(input, output);
const inputUsage = ({ input }: ReportedUsage): object => ({ prompt_tokens: input, total_tokens: input });

/** Answers other than text, by the end of the request's path. */
const otherAnswers: Readonly<Record<string, (behaviour: GreedyBehaviour) => GreedyAnswer>> = {
  "/embeddings": ({ items, usage }) => ({
    whole: {
      object: "list",
      model: "vendor",
      data: Array.from({ length: items }, (_, index) => ({ object: "embedding", index, embedding: [0.5, 0.5] })),
      ...usageOf(usage, inputUsage),
    },
  }),
  "/rerank": ({ usage }) => ({
    whole: {
      model: "vendor",
      results: [{ index: 0, relevance_score: 0.5 }],
      ...usageOf(usage, ({ input }) => ({ total_tokens: input })),
      meta: { billed_units: { search_units: usage?.input } },
    },
  }),
  "/images/generations": ({ items, usage }) => ({
    whole: {
      created: 0,
      data: Array.from({ length: items }, () => ({ url: "https://pictures.example/1.png" })),
      ...usageOf(usage, plainUsage),
    },
    each: sse({ type: "image_generation.completed", b64_json: "A".repeat(4_096), ...usageOf(usage, plainUsage) }),
  }),
  ":predict": ({ items }) => ({
    whole: { predictions: Array.from({ length: items }, () => ({ bytesBase64Encoded: "iVBORw0KGgo=" })) },
  }),
  "/moderations": ({ usage }) => ({
    whole: {
      id: "modr-greedy",
      model: "vendor",
      results: [{ flagged: false, categories: {}, category_scores: {} }],
      ...usageOf(usage, inputUsage),
    },
  }),
  "/audio/speech": ({ usage }) => ({
    whole: {},
    each: `data: ${JSON.stringify({ type: "speech.audio.delta", audio: "SUQz" })}\n\n`,
    end: `data: ${JSON.stringify({ type: "speech.audio.done", ...usageOf(usage, plainUsage) })}\n\n`,
  }),
  "/audio/transcriptions": ({ usage }) => ({
    whole: { text: "Hello.", ...usageOf(usage, ({ input }) => ({ type: "duration", seconds: input })) },
  }),
};

import { setTimeout as pause } from "node:timers/promises";
import { WebSocket } from "ws";
import { wavHead } from "@modelgate/testkit";
import { formatDollars, openaiModel, sessionModel, attackResult, type Attack, type AttackContext } from "../attack.ts";
import type { Answer } from "../../chaos/exchange.ts";
import { json, type SocketHandler } from "../vendor.ts";

/** Number of responses that are requested at once. */
const eventCount = 60;
const [responseMs, sessionMs] = [60, 5_000];
const outputTokens = 150;
const outputPrice = 100;
const responseCost = (outputTokens * outputPrice) / 1e6;

/** Creates a vendor that answers every `response.create` and reports each event of the client. */
const respondTo =
  (onEvent: (event: string) => void): SocketHandler =>
  (socket) => {
    const sendEvent = (event: object): void => {
      if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(event));
    };
    const about = { id: "sess_1", object: "realtime.session", model: "m" };
    const session = { type: "realtime", ...about, output_modalities: ["text"] };
    sendEvent({ type: "session.created", event_id: "e", session });
    let count = 0;
    socket.on("message", (data: Buffer) => {
      const event: { readonly type: string } = JSON.parse(data.toString());
      if (event.type === "session.update") sendEvent({ type: "session.updated", event_id: "e", session });
      onEvent(data.toString());
      if (event.type !== "response.create") return;
      const id = `resp_${count++}`;
      const response = { object: "realtime.response", id, status: "in_progress", output: [] };
      sendEvent({ type: "response.created", event_id: "e", response });
      setTimeout(() => {
        const usage = { total_tokens: outputTokens, input_tokens: 0, output_tokens: outputTokens };
        sendEvent({ type: "response.done", event_id: "e", response: { ...response, status: "completed", usage } });
      }, responseMs);
    });
  };

/** Sends all messages in a new session, and returns the number of received messages. */
function converse(
  { edgeUrl, attacker, searchSecrets }: AttackContext,
  path: string,
  messages: readonly (object | string)[],
): Promise<number> {
  return new Promise((resolve) => {
    const url = edgeUrl.replace("http", "ws") + path;
    const socket = new WebSocket(url, { headers: { authorization: `Bearer ${attacker.key}` } });
    let count = 0;
    socket
      .on("open", () => {
        for (const message of messages) socket.send(typeof message === "string" ? message : JSON.stringify(message));
        setTimeout(() => socket.close(1000), sessionMs);
      })
      .on("message", (data: Buffer) => {
        count++;
        searchSecrets(data.toString());
      })
      .on("error", () => undefined)
      .on("close", () => resolve(count));
  });
}

function floodAttack(): Attack {
  let responseCount = 0;
  return {
    id: "realtime-flood",
    name: `requests ${eventCount} responses at the same time in a session`,
    area: "realtime",
    balance: "0.30",
    models: [
      sessionModel(
        "main",
        { output: outputPrice },
        respondTo((event) => {
          if (event.includes('"response.create"')) responseCount++;
        }),
      ),
    ],
    async run(context) {
      responseCount = 0;
      const events = Array.from({ length: eventCount }, () => ({ type: "response.create" }));
      const messageCount = await converse(context, `/v1/realtime?model=${context.model("main")}`, events);
      await pause(500);
      const spent = await context.readSpending(context.attacker);
      const cost = responseCount * responseCost;
      return attackResult(
        `1 session, ${eventCount} × response.create, ${messageCount} messages back`,
        `${responseCount} responses, ${formatDollars(cost)} at the vendor, ${formatDollars(spent)} billed`,
        [
          responseCount === 0 && "the vendor was asked for nothing, so nothing was shown",
          // One response may be in progress when the money is used up.
          cost - spent > responseCost * 1.01 && `the operator pays ${formatDollars(cost - spent)}`,
        ],
      );
    },
  };
}

/** Prompt that another account stored at the vendor. */
const promptId = "pmpt_oftheothertenant";

function storedPrompt(): Attack {
  const received: string[] = [];
  return {
    id: "stores-realtime",
    name: "refers to another account's prompt and file, and to a server, in a session",
    area: "realtime",
    models: [
      sessionModel(
        "main",
        { output: outputPrice },
        respondTo((event) => received.push(event)),
      ),
    ],
    async run(context) {
      const prompt = { id: promptId };
      const mcp = { type: "mcp", server_label: "a", server_url: `https://example.com/${promptId}` };
      const picture = { type: "input_image", file_id: promptId };
      const events = [
        { type: "session.update", session: { type: "realtime", prompt } },
        { type: "response.create", response: { prompt } },
        { type: "session.update", session: { type: "realtime", tools: [mcp] } },
        { type: "response.create", response: { tools: [mcp] } },
        { type: "conversation.item.create", item: { type: "message", role: "user", content: [picture] } },
        { type: "session.update", session: { type: "realtime", instructions: "Be brief." } },
      ];
      const messageCount = await converse(context, `/v1/realtime?model=${context.model("main")}`, events);
      const read = received.filter((event) => event.includes(promptId)).length;
      return attackResult(
        `1 session, ${events.length - 1} references, ${messageCount} messages back`,
        `${read} ids reached the vendor`,
        [
          messageCount === 0 && "the session did not begin, so nothing was shown",
          read > 0 && `${read} references were passed on`,
        ],
      );
    },
  };
}

const livePrice = 0.01;
/** Seconds of sound per event, and number of such events. */
const [soundSeconds, soundEvents] = [10, 12];
const wrongEvents = 20_000;
const sound = {
  type: "session.input_audio.append",
  audio: Buffer.alloc(soundSeconds * 48_000).toString("base64"),
};

/** Creates a vendor of GPT-Live that measures the received sound in seconds. */
const measureSound =
  (onSound: (seconds: number) => void): SocketHandler =>
  (socket) => {
    let seconds = 0;
    const sendEvent = (event: object): void => {
      if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(event));
    };
    socket.on("message", (data: Buffer) => {
      const { type }: { readonly type: string } = JSON.parse(data.toString());
      if (type === "session.start") sendEvent({ type: "session.started", event_id: "e", session: {} });
      if (type === "session.close") sendEvent({ type: "session.closed", event_id: "e", usage: { seconds } });
      if (type !== sound.type) return;
      seconds += soundSeconds;
      onSound(soundSeconds);
    });
  };

function liveFlood(): Attack {
  let receivedSeconds = 0;
  return {
    // The name of GPT-Live selects its wire.
    id: "gpt-live-1",
    name: "floods sessions of GPT-Live with wrong, deep and oversized events, and with sound",
    area: "realtime",
    balance: "0.50",
    models: [
      sessionModel(
        "main",
        { second: livePrice },
        measureSound((seconds) => (receivedSeconds += seconds)),
      ),
    ],
    async run(context) {
      receivedSeconds = 0;
      const start = { type: "session.start", session: { model: context.model("main") } };
      const instructions = "x".repeat(5_000_000);
      const floods: readonly (readonly (object | string)[])[] = [
        [...Array.from({ length: wrongEvents }, () => ""), start],
        ["[".repeat(1_000_000)],
        [{ ...start, session: { ...start.session, instructions } }],
        [start, ...Array.from({ length: wrongEvents }, () => "{")],
        [start, "[".repeat(1_000_000), { type: "session.update", session: { instructions } }],
        [start, "x".repeat(25_000_000)],
        [start, ...Array.from({ length: soundEvents }, () => sound)],
      ];
      let messageCount = 0;
      for (const flood of floods) messageCount += await converse(context, "/v1/live/sessions", flood);
      const spent = await context.readSpending(context.attacker);
      const cost = receivedSeconds * livePrice;
      return attackResult(
        `${floods.length} sessions, ${wrongEvents} wrong events each in two of them, ${messageCount} messages back`,
        `${receivedSeconds} s of sound, ${formatDollars(cost)} at the vendor, ${formatDollars(spent)} billed`,
        [
          receivedSeconds === 0 && "the vendor received no sound, so nothing was shown",
          cost - spent > livePrice / 10 && `the operator pays ${formatDollars(cost - spent)}`,
        ],
      );
    },
  };
}

const sampleRate = 16_000;
const secondPrice = 0.1;
const boundary = "a-boundary-that-no-file-has";

/** Sizes in the header of a WAV file that is still being recorded. */
const unknownSizes = [0xff_ff_ff_ff, 0x7f_ff_ff_ff, 0] as const;

function wavOf(seconds: number, size: number): Buffer {
  const samples = Buffer.alloc(seconds * sampleRate * 2);
  const head = Buffer.from(wavHead({ sampleRate, channels: 1, bits: 16 }, samples.length));
  head.writeUInt32LE(size, 4);
  head.writeUInt32LE(size, 40);
  return Buffer.concat([head, samples]);
}

function transcribe(context: AttackContext, file: Buffer): Promise<Answer> {
  const part = `--${boundary}\r\ncontent-disposition: form-data; name=`;
  return context.send({
    path: "/v1/audio/transcriptions",
    headers: { "content-type": `multipart/form-data; boundary=${boundary}` },
    body: Buffer.concat([
      Buffer.from(`${part}"model"\r\n\r\n${context.model("main")}\r\n`),
      Buffer.from(`${part}"file"; filename="a.wav"\r\ncontent-type: audio/wav\r\n\r\n`),
      file,
      Buffer.from(`\r\n--${boundary}--\r\n`),
    ]),
  });
}

const transcription = openaiModel("main", "transcription", { second: secondPrice }, (_, response) =>
  json(response, { text: "Hello there." }),
);

const pipedWav: Attack = {
  id: "wav",
  name: "sends a WAV file whose header states no size",
  area: "audio",
  models: [transcription],
  async run(context) {
    const seconds = 20;
    const wrong: string[] = [];
    let before = 0;
    for (const size of unknownSizes) {
      const { status } = await transcribe(context, wavOf(seconds, size));
      const spent = await context.readSpending(context.attacker);
      const charged = spent - before;
      before = spent;
      if (status !== 200 || Math.abs(charged - seconds * secondPrice) > secondPrice)
        wrong.push(`size ${size.toString(16)}: ${status}, ${formatDollars(charged)} for ${seconds} s`);
    }
    const due = unknownSizes.length * seconds * secondPrice;
    return attackResult(
      `${unknownSizes.length} files of ${seconds} s`,
      `${formatDollars(before)} billed, ${formatDollars(due)} due`,
      wrong,
    );
  },
};

const unreadableAudio: Attack = {
  id: "unreadable-audio",
  name: "sends 20 MB of audio with an unreadable header",
  area: "audio",
  models: [transcription],
  async run(context) {
    const { status } = await transcribe(context, Buffer.alloc(20_000_000, "sound"));
    const vendor = context.requests("main").length;
    return attackResult("1 file, an account of $100", `${status}; ${vendor} reached the vendor`, [
      vendor > 0 && "a file of unknown length was sent, although its cost could exceed the hold",
    ]);
  },
};

/** Attacks by sessions and audio. */
export const sessionAttacks: readonly Attack[] = [
  floodAttack(),
  storedPrompt(),
  liveFlood(),
  pipedWav,
  unreadableAudio,
];

import { memberOf } from "../api/member-of.ts";
import type { GatewayModel } from "./gateway-request.ts";

/** Sample rate of the 16-bit PCM that the realtime wire requires. */
const sampleRate = 24_000;
/** Samples per message: a tenth of a second. */
const blockSamples = 2_400;

/** Callbacks of a session. */
export interface SessionEvents {
  /** Called with a part of the transcript or an error. `isNew` begins a line. */
  readonly onText: (text: string, isNew: boolean) => void;
  /** Called with the usage of a response. */
  readonly onUsage: (inputTokens: number, outputTokens: number) => void;
  readonly onEnd: (why: string | undefined) => void;
}

/** Opens a spoken session. Returns a function that ends it. Rejects if the microphone cannot be used. */
export async function openSession({ address, key, model }: GatewayModel, events: SessionEvents): Promise<() => void> {
  const microphone = await navigator.mediaDevices.getUserMedia({ audio: { channelCount: 1, echoCancellation: true } });
  const context = new AudioContext({ sampleRate });
  // A browser cannot see why a session is refused, so every session begins with a new key.
  const secret = await key(true);
  const url = `${address.replace(/^http/, "ws")}/v1/realtime?model=${encodeURIComponent(model)}`;
  const socket = new WebSocket(url, ["realtime", `openai-insecure-api-key.${secret}`]);
  const player = new Player(context);
  const close = (): void => {
    for (const track of microphone.getTracks()) track.stop();
    if (context.state !== "closed") void context.close();
    socket.close();
  };
  socket.addEventListener("open", () => {
    void sendMicrophone(context, microphone, (audio) => {
      if (socket.readyState === WebSocket.OPEN)
        socket.send(JSON.stringify({ type: "input_audio_buffer.append", audio: base64(audio) }));
    }).catch((error: unknown) => {
      events.onEnd(error instanceof Error ? error.message : String(error));
      close();
    });
  });
  socket.addEventListener("message", ({ data }) => {
    if (typeof data === "string") handleEvent(JSON.parse(data), player, events);
  });
  socket.addEventListener("close", ({ code, reason }) => {
    close();
    events.onEnd(code === 1000 || code === 1005 ? undefined : reason || `closed with ${code}`);
  });
  return close;
}

function handleEvent(message: unknown, player: Player, { onText, onUsage }: SessionEvents): void {
  const [type, delta] = [memberOf(message, "type"), memberOf(message, "delta")];
  const errorMessage = memberOf(memberOf(message, "error"), "message");
  if (typeof errorMessage === "string") return onText(errorMessage, true);
  // Speech of the person interrupts the response.
  if (type === "input_audio_buffer.speech_started") return player.stop();
  if (type === "response.created") return onText("", true);
  if (type === "response.done") {
    const usage = memberOf(memberOf(message, "response"), "usage");
    return onUsage(Number(memberOf(usage, "input_tokens") ?? 0), Number(memberOf(usage, "output_tokens") ?? 0));
  }
  if (typeof delta !== "string" || typeof type !== "string") return undefined;
  if (/^response\.(output_)?audio\.delta$/.test(type)) return player.play(delta);
  if (/^response\.((output_)?audio_transcript|(output_)?text)\.delta$/.test(type)) return onText(delta, false);
  return undefined;
}

async function sendMicrophone(
  context: AudioContext,
  microphone: MediaStream,
  send: (block: Int16Array<ArrayBuffer>) => void,
): Promise<void> {
  await context.audioWorklet.addModule("/console/microphone.js");
  const tap = new AudioWorkletNode(context, "microphone", { processorOptions: { blockSamples } });
  tap.port.addEventListener("message", ({ data }) => {
    if (data instanceof Int16Array) send(Int16Array.from(data));
  });
  tap.port.start();
  context.createMediaStreamSource(microphone).connect(tap);
}

/** Plays the audio of responses without gaps. */
class Player {
  readonly #context: AudioContext;
  #playing: AudioBufferSourceNode[] = [];
  #until = 0;

  constructor(context: AudioContext) {
    this.#context = context;
  }

  /** Plays 16-bit samples in Base64 after those that are already queued. */
  play(encodedSamples: string): void {
    const bytes = Uint8Array.from(atob(encodedSamples), (character) => character.charCodeAt(0));
    const samples = new Int16Array(bytes.buffer, 0, Math.floor(bytes.length / 2));
    if (samples.length === 0) return;
    const buffer = this.#context.createBuffer(1, samples.length, sampleRate);
    buffer.getChannelData(0).set(Float32Array.from(samples, (sample) => sample / 32_768));
    const source = this.#context.createBufferSource();
    source.buffer = buffer;
    source.connect(this.#context.destination);
    this.#until = Math.max(this.#until, this.#context.currentTime);
    source.start(this.#until);
    this.#until += buffer.duration;
    this.#playing.push(source);
    source.addEventListener("ended", () => {
      this.#playing = this.#playing.filter((other) => other !== source);
    });
  }

  stop(): void {
    for (const source of this.#playing) source.stop();
    this.#until = 0;
  }
}

function base64(samples: Int16Array<ArrayBuffer>): string {
  return btoa(Array.from(new Uint8Array(samples.buffer), (byte) => String.fromCharCode(byte)).join(""));
}

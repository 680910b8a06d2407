import { GoogleGenAI, Modality, type LiveConnectConfig, type LiveServerMessage, type Session } from "@google/genai";

/** Session of Google's SDK in a test. */
export interface LiveTestSession {
  readonly session: Session;
  readonly messages: readonly LiveServerMessage[];
  /** Returns the next message that fits, after the one that was returned last. */
  next(fits: (message: LiveServerMessage) => boolean): Promise<LiveServerMessage>;
  /** Waits for the end of a turn; returns its text, audio bytes and usage. */
  turn(): Promise<LiveTurn>;
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
}

export interface LiveTurn {
  readonly text: string;
  readonly audioBytes: number;
  readonly outputTranscript: string;
  readonly inputTranscript: string;
  readonly interrupted: boolean;
  readonly usage: LiveServerMessage["usageMetadata"];
}

export const textConfig: LiveConnectConfig = { responseModalities: [Modality.TEXT] };
export const speechConfig: LiveConnectConfig = { responseModalities: [Modality.AUDIO] };

export function googleClient(baseUrl: string, apiKey: string): GoogleGenAI {
  return new GoogleGenAI({ apiKey, httpOptions: { baseUrl } });
}

/** Opens a session. Rejects if it is closed before its setup is complete. */
export async function openLive(
  client: GoogleGenAI,
  model: string,
  config: LiveConnectConfig,
): Promise<LiveTestSession> {
  const received: LiveServerMessage[] = [];
  const changed = new Set<() => void>();
  const notify = (): void => {
    for (const each of changed) each();
  };
  let over: { code: number; reason: string } | undefined;
  const { promise: closed, resolve } = Promise.withResolvers<{ code: number; reason: string }>();
  let at = 0;
  const session = await client.live.connect({
    model,
    config,
    callbacks: {
      onmessage: (message) => {
        received.push(message);
        notify();
      },
      onclose: ({ code, reason }) => {
        over = { code, reason };
        resolve(over);
        notify();
      },
    },
  });
  async function next(fits: (message: LiveServerMessage) => boolean): Promise<LiveServerMessage> {
    for (;;) {
      const found = received.slice(at).findIndex(fits);
      const message = found < 0 ? undefined : received[at + found];
      if (message !== undefined) {
        at += found + 1;
        return message;
      }
      if (over !== undefined)
        throw new Error(`closed with ${over.code} ${over.reason}: ${JSON.stringify(received.slice(-3))}`);
      await new Promise<void>((wake) => {
        const once = (): void => {
          changed.delete(once);
          wake();
        };
        changed.add(once);
      });
    }
  }
  async function turn(): Promise<LiveTurn> {
    const from = at;
    const last = await next(({ serverContent }) => serverContent?.turnComplete === true);
    return { ...turnIn(received.slice(from, at)), usage: last.usageMetadata };
  }
  return { session, messages: received, next, turn, closed };
}

function turnIn(messages: readonly LiveServerMessage[]): Omit<LiveTurn, "usage"> {
  const contents = messages.flatMap(({ serverContent }) => (serverContent === undefined ? [] : [serverContent]));
  const parts = contents.flatMap(({ modelTurn }) => modelTurn?.parts ?? []);
  const sounds = parts.map(({ inlineData }) => Buffer.from(inlineData?.data ?? "", "base64").length);
  return {
    text: parts.map((part) => part.text ?? "").join(""),
    audioBytes: sounds.reduce((sum, each) => sum + each, 0),
    outputTranscript: contents.map(({ outputTranscription }) => outputTranscription?.text ?? "").join(""),
    inputTranscript: contents.map(({ inputTranscription }) => inputTranscription?.text ?? "").join(""),
    interrupted: contents.some(({ interrupted }) => interrupted === true),
  };
}

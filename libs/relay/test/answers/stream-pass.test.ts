import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import { afterEach, expect, test } from "vitest";
import { openTransport } from "@modelgate/channels";
import { Failure } from "@modelgate/contracts";
import { textCodecs } from "@modelgate/wires/text";
import { deliverStream, type PaidStream, type StreamEnd } from "../../src/answers/stream-pass.ts";
import type { StreamGate } from "../../src/answers/exchange.ts";
import { Inlet } from "../../src/answers/held-stream.ts";
import { Produced } from "../../src/money/meter.ts";
import { PassStream } from "../../src/answers/pass-translator.ts";

const frame = (content: string): string => `data: {"choices":[{"index":0,"delta":{"content":"${content}"}}]}\n\n`;
const error = 'data: {"error":{"message":"no"}}\n\n';
const opened: Server[] = [];
afterEach(() => {
  for (const server of opened.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function serve(listener: RequestListener): Promise<URL> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  opened.push(server);
  await once(server, "listening");
  const address = server.address();
  return new URL(`http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`);
}

/** A stream whose money comes, or does not, when it is asked for. */
interface Money {
  readonly gate: StreamGate;
  readonly paid: PaidStream;
}

/** A vendor, and a front that passes its stream on; what the client read, and how the stream ended. */
async function passed(
  vendor: RequestListener,
  money?: Money,
): Promise<{ readonly text: string; readonly end: StreamEnd }> {
  await using transport = openTransport();
  const url = await serve(vendor);
  const { promise, resolve, reject } = Promise.withResolvers<StreamEnd>();
  const front = await serve((_, response) => {
    const request = { url, method: "POST" as const, headers: {}, timeoutMs: 2_000 };
    transport
      .send(request, new AbortController().signal)
      .then(Inlet.open)
      .then((inlet) =>
        deliverStream({
          response,
          inlet,
          carrier: new PassStream(
            {
              pass: textCodecs.chat.pass,
              gear: "bytes",
              rename: undefined,
              hideUsage: false,
              gate: money?.gate,
              early: textCodecs.chat.pass.earlyEnd?.({ choices: 1, includeUsage: false }),
            },
            new Produced(),
          ),
          ...(money === undefined ? {} : { paid: money.paid }),
          requestId: "r",
          heartbeatMs: 60_000,
          ending: () => undefined,
        }),
      )
      .then(resolve, reject);
  });
  const text = await (await fetch(front)).text();
  return { text, end: await promise };
}

test.each<[string, RequestListener]>([
  [
    "resets its connection",
    (_, response) => {
      response.writeHead(200).write(`${frame("a")}data: [DONE]\n\n`);
      setTimeout(() => response.socket?.resetAndDestroy(), 50);
    },
  ],
  ["never closes", (_, response) => void response.writeHead(200).write(`${frame("a")}data: [DONE]\n\n`)],
])("a vendor that %s after its terminal frame has answered whole", async (_, vendor) => {
  expect(await passed(vendor)).toEqual({
    text: `${frame("a")}data: [DONE]\n\n`,
    end: { outcome: "completed" },
  });
});

test.each([
  ["in pieces", [error.slice(0, 20), error.slice(20)]],
  ["after a comment", [`: hello\n\n${error}`]],
  ["with more behind it", [`${error}data: [DONE]\n\n`]],
])("an error that comes first, %s, is seen before the client's head is committed", async (_, pieces) => {
  await using transport = openTransport();
  const url = await serve(async (__, response) => {
    response.writeHead(200);
    for (const piece of pieces) {
      response.write(piece);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    response.end();
  });
  const request = { url, method: "POST" as const, headers: {}, timeoutMs: 2_000 };
  const inlet = await Inlet.open(await transport.send(request, new AbortController().signal));
  expect(textCodecs.chat.pass.see(inlet.firstFrame ?? inlet.first).failed).toBe(true);
});

/** Pays for so many frames, and for more when asked until it refuses. */
function paysFor(frames: number, more: () => Failure | undefined): Money {
  let left = frames;
  return {
    gate: { covers: () => left-- > 0, admits: () => false },
    paid: {
      async more() {
        // Long enough for the vendor to end meanwhile.
        await new Promise((resolve) => setTimeout(resolve, 50));
        const refused = more();
        left = refused === undefined ? 1 : 0;
        return refused;
      },
      meter: async () => ({ units: { outputTokens: 2 }, estimated: true }),
    },
  };
}

const whole: RequestListener = (_, response) =>
  void response.writeHead(200).end(`${frame("a")}${frame("b")}${frame("c")}data: [DONE]\n\n`);

test("frames that wait for money pass in their order once it is there, and the end after them", async () => {
  expect(
    await passed(
      whole,
      paysFor(1, () => undefined),
    ),
  ).toEqual({
    text: `${frame("a")}${frame("b")}${frame("c")}data: [DONE]\n\n`,
    end: { outcome: "completed" },
  });
});

test("where money is refused the stream ends as one at its bound, and nothing of what waited passes", async () => {
  const { text, end } = await passed(
    whole,
    paysFor(2, () => new Failure("insufficient_quota")),
  );
  expect(end).toEqual({ outcome: "completed" });
  expect(text.startsWith(frame("a") + frame("b"))).toBe(true);
  expect(text).not.toContain('"c"');
  expect(text).toContain('"finish_reason":"length"');
  expect(text.endsWith("data: [DONE]\n\n")).toBe(true);
});

test("where the store stays away it ends with an error, and so where nothing was told yet", async () => {
  const away = await passed(
    whole,
    paysFor(1, () => new Failure("server_overloaded")),
  );
  expect(away.end).toMatchObject({ outcome: "failed", failure: { code: "server_overloaded" } });
  expect(away.text).toContain('"code":"server_overloaded"');
  const early = await passed(
    whole,
    paysFor(0, () => new Failure("insufficient_quota")),
  );
  expect(early.end).toMatchObject({ outcome: "failed", failure: { code: "insufficient_quota" } });
});

import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { WebSocket } from "ws";
import type { Suite } from "@modelgate/testkit";
import { readCpuMicros, readMemory } from "./measure.ts";

/** Options of `measureSessions`. */
export interface SessionBench {
  readonly key: string;
  readonly model: string;
  readonly count: number;
  /** Duration of the exchange of messages. */
  readonly seconds: number;
  readonly report: (what: string, value: string) => void;
}

const openedTogether = 50;
/** Number of active sessions, and messages of each per second. */
const [talking, perSecond] = [50, 10];
/** 100 ms of PCM. The simulator echoes binary messages. */
const speech = Buffer.alloc(4_800, 1);

/** Measures the memory of idle sessions, and the CPU time and latency of messages. */
export async function measureSessions(suite: Suite, bench: SessionBench): Promise<void> {
  const { count, report } = bench;
  const pids = { edge: suite.process("edge").pid, realtime: suite.process("realtime").pid };
  const gateway = `${suite.edgeUrl.replace("http", "ws")}/v1/realtime?model=${bench.model}`;
  const vendor = `${suite.simulator.url.replace("http", "ws")}/openai/v1/realtime?model=${bench.model}`;
  const open = (url: string) => openSocket(url, bench.key);

  await close(await openMany(talking, () => open(gateway))); // warm-up
  const before = { edge: readMemory(pids.edge).now, realtime: readMemory(pids.realtime).now };
  const idle = await openMany(count, () => open(gateway));
  for (const name of ["edge", "realtime"] as const) {
    const each = (readMemory(pids[name]).now - before[name]) / count / 1_024;
    report(`${count} idle sessions: memory per session, ${name}`, `${Math.round(each)} KiB`);
  }
  await close(idle);

  const direct = await exchangeMessages(await openMany(talking, () => open(vendor)), bench.seconds);
  const spent = { edge: readCpuMicros(pids.edge), realtime: readCpuMicros(pids.realtime) };
  const through = await exchangeMessages(await openMany(talking, () => open(gateway)), bench.seconds);
  for (const name of ["edge", "realtime"] as const) {
    const micros = (readCpuMicros(pids[name]) - spent[name]) / (through.length * 2);
    report(
      `${talking} sessions of ${perSecond} messages/s each way: CPU per message, ${name}`,
      `${Math.round(micros)} µs`,
    );
  }
  for (const share of [0.5, 0.99])
    report(
      `  added to a message and its echo, p${share * 100}`,
      `${(quantile(through, share) - quantile(direct, share)).toFixed(2)} ms`,
    );
}

async function openSocket(url: string, key: string): Promise<WebSocket> {
  const socket = new WebSocket(url, { headers: { authorization: `Bearer ${key}` }, perMessageDeflate: false });
  await once(socket, "message");
  return socket;
}

async function openMany(count: number, open: () => Promise<WebSocket>): Promise<readonly WebSocket[]> {
  const sockets: WebSocket[] = [];
  while (sockets.length < count)
    sockets.push(
      ...(await Promise.all(Array.from({ length: Math.min(openedTogether, count - sockets.length) }, open))),
    );
  return sockets;
}

/** Sends messages at a steady rate. Returns the latencies of their echoes in ms. */
async function exchangeMessages(sockets: readonly WebSocket[], seconds: number): Promise<readonly number[]> {
  const times: number[] = [];
  const pauseMs = 1_000 / perSecond;
  await Promise.all(
    sockets.map(async (socket, at) => {
      await pause((pauseMs * at) / sockets.length);
      for (let sent = 0; sent < seconds * perSecond; sent++) {
        const sentAt = performance.now();
        socket.send(speech);
        await once(socket, "message");
        times.push(performance.now() - sentAt);
        await pause(Math.max(0, pauseMs - (performance.now() - sentAt)));
      }
    }),
  );
  await close(sockets);
  return times;
}

async function close(sockets: readonly WebSocket[]): Promise<void> {
  await Promise.all(
    sockets.map((socket) => {
      const closed = once(socket, "close");
      socket.close();
      return closed;
    }),
  );
}

function quantile(times: readonly number[], share: number): number {
  const sorted = times.toSorted((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

import { once } from "node:events";
import { stored } from "@modelgate/contracts";
import { Type } from "typebox";
import { WebSocket } from "ws";
import type { Profile } from "./profile.ts";

/** What makes a process listen for a profiler, on a port of its own. */
export const profiledEnv = { NODE_OPTIONS: `${process.env["NODE_OPTIONS"] ?? ""} --inspect=127.0.0.1:0`.trim() };
/** Time between two samples, microseconds. */
const samplingMicros = 250;

const readAnswer = stored(
  "answer of the inspector",
  Type.Object({
    id: Type.Optional(Type.Number()),
    result: Type.Optional(
      Type.Object({
        profile: Type.Optional(
          Type.Object({
            nodes: Type.Array(
              Type.Object({
                id: Type.Number(),
                callFrame: Type.Object({ functionName: Type.String(), url: Type.String() }),
              }),
            ),
            samples: Type.Array(Type.Number()),
            timeDeltas: Type.Array(Type.Number()),
          }),
        ),
      }),
    ),
  }),
);

/** Where the inspector of a process listens, by the first lines of its log. */
export function inspectorIn(log: string): string {
  const address = /ws:\/\/127\.0\.0\.1:\S+/.exec(log)?.[0];
  if (address === undefined) throw new Error("the process does not listen for a profiler");
  return address;
}

/** Begins to profile the process behind an inspector; what is returned ends it and gives the profile. */
export async function startProfile(address: string): Promise<() => Promise<Profile>> {
  const socket = new WebSocket(address, { perMessageDeflate: false, maxPayload: 0 });
  await once(socket, "open");
  let count = 0;
  const ask = (method: string, params: object = {}): Promise<Profile | undefined> => {
    const id = ++count;
    socket.send(JSON.stringify({ id, method, params }));
    return new Promise((resolve) => {
      const look = (data: Buffer): void => {
        const answer = readAnswer(data.toString());
        if (answer.id !== id) return;
        socket.off("message", look);
        resolve(answer.result?.profile);
      };
      socket.on("message", look);
    });
  };
  await ask("Profiler.enable");
  await ask("Profiler.setSamplingInterval", { interval: samplingMicros });
  await ask("Profiler.start");
  return async () => {
    const profile = await ask("Profiler.stop");
    socket.close();
    if (profile === undefined) throw new Error("the inspector gave no profile");
    return profile;
  };
}

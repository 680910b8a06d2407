import { stored } from "@modelgate/contracts";
import { Type } from "typebox";
import { openInspector } from "../inspector.ts";
import type { Profile } from "./profile.ts";

/** Time between two samples, microseconds. */
const samplingMicros = 250;

const readProfile = stored(
  "profile of the inspector",
  Type.Object({
    profile: Type.Object({
      nodes: Type.Array(
        Type.Object({
          id: Type.Number(),
          callFrame: Type.Object({ functionName: Type.String(), url: Type.String() }),
        }),
      ),
      samples: Type.Array(Type.Number()),
      timeDeltas: Type.Array(Type.Number()),
    }),
  }),
);

/** Begins to profile the process behind an inspector; what is returned ends it and gives the profile. */
export async function startProfile(address: string): Promise<() => Promise<Profile>> {
  const inspector = await openInspector(address);
  await inspector.send("Profiler.enable");
  await inspector.send("Profiler.setSamplingInterval", { interval: samplingMicros });
  await inspector.send("Profiler.start");
  return async () => {
    const { profile } = readProfile(await inspector.send("Profiler.stop"));
    inspector.close();
    return profile;
  };
}

import type { Environment, Logger } from "@modelgate/platform";
import { openRelay, type OpenRelay } from "@modelgate/relay";
import type { variables } from "./env.ts";

/** What the audio service's endpoints work with. */
export interface Deps extends OpenRelay {
  readonly speech: {
    /** Most characters of one text. */
    readonly characters: number;
  };
}

/** Opens everything once. */
export async function openDeps(env: Environment<typeof variables>, log: Logger): Promise<Deps> {
  const open = await openRelay(env, log);
  return { ...open, speech: { characters: env.SPEECH_CHARACTERS } };
}

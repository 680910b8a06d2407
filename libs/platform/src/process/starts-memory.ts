import { createContext } from "node:vm";
import { onBeat } from "../beat.ts";
import { watchRest } from "../loop-rest.ts";

/** Pause between two looks whether the process rests, in ms. */
const lookMs = 5_000;

/**
 * Gives back what a process took for its start, when it first rests, unless disposed before. V8 looks for memory to give
 * back a few seconds after a context was made; left alone, a process that allocates little keeps it for good. (One process:
 * 178 MiB instead of 210, for 2 ms.) Once: after a load the same would cost the next one a third more CPU until its code is
 * optimized again.
 */
export function giveStartsMemoryBack(): Disposable {
  const rests = watchRest();
  const looks = onBeat(lookMs, () => {
    if (!rests()) return;
    createContext();
    looks[Symbol.dispose]();
  });
  return looks;
}

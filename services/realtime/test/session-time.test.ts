import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SessionTime } from "../src/session-time.ts";

/**
 * Steps of a session at a time in ms: the start, a report of seconds (the last one is final) after some seconds of sound,
 * or a lost connection.
 */
type Step =
  | readonly ["start" | "lost", nowMs: number]
  | readonly ["report" | "final", nowMs: number, seconds: number | undefined, soundSeconds?: number];

function timeOf([start, ...steps]: readonly Step[]): SessionTime {
  const time = new SessionTime(start?.[1] ?? 0);
  for (const [kind, nowMs, seconds, soundSeconds = 0] of steps)
    if (kind === "report" || kind === "final") time.report(seconds, { isFinal: kind === "final", nowMs, soundSeconds });
    else time.stop(nowMs);
  return time;
}

describe("the charged seconds at 100 s", () => {
  test.each<readonly [name: string, steps: readonly Step[], charged: number, isFinal: boolean]>([
    ["a running session without reports: the clock", [["start", 40_000]], 60, false],
    ["a part of a second counts as one", [["start", 40_500]], 60, false],
    [
      "the last report and the time since it",
      [
        ["start", 0],
        ["report", 95_000, 90],
      ],
      95,
      false,
    ],
    [
      "a lost connection ends the time",
      [
        ["start", 0],
        ["report", 20_000, 19.5],
        ["lost", 21_000],
      ],
      21,
      false,
    ],
    [
      "the final report, whatever the clock says",
      [
        ["start", 0],
        ["final", 30_000, 28.25],
      ],
      28.25,
      true,
    ],
    [
      "a final report below an earlier one",
      [
        ["start", 0],
        ["report", 10_000, 12],
        ["final", 11_000, 11],
      ],
      11,
      true,
    ],
    [
      "reports after the final one are ignored",
      [
        ["start", 0],
        ["final", 30_000, 28],
        ["report", 40_000, 99],
      ],
      28,
      true,
    ],
    [
      "an end without seconds: the clock until then",
      [
        ["start", 0],
        ["final", 30_000, undefined],
      ],
      30,
      false,
    ],
    [
      "a report far beyond the clock: the clock and 15 s",
      [
        ["start", 0],
        ["report", 20_000, 1e9],
      ],
      115,
      false,
    ],
    [
      "a final report far beyond the clock: its time and 15 s",
      [
        ["start", 0],
        ["final", 20_000, 1e9],
      ],
      35,
      true,
    ],
    [
      "a report of the client's sound, of which more was sent than time passed",
      [
        ["start", 0],
        ["final", 20_000, 61, 60],
      ],
      61,
      true,
    ],
    [
      "a report far beyond the client's sound: its seconds and 15 s",
      [
        ["start", 0],
        ["final", 20_000, 1e9, 60],
      ],
      75,
      true,
    ],
  ])("%s", (_name, steps, charged, isFinal) => {
    const time = timeOf(steps);
    expect(time.chargedAt(100_000)).toBe(charged);
    expect(time.isFinal).toBe(isFinal);
  });
});

test("the duration of a running session never decreases between reports, and each report replaces the counted time, up to the clock and 15 s", () => {
  const gaps = fc.array(fc.record({ ms: fc.nat(60_000), reported: fc.option(fc.nat(3_600), { nil: undefined }) }));
  fc.assert(
    fc.property(gaps, (steps) => {
      const time = new SessionTime(0);
      let nowMs = 0;
      for (const { ms, reported } of steps) {
        const before = time.secondsAt(nowMs);
        nowMs += ms;
        expect(time.secondsAt(nowMs)).toBeCloseTo(before + ms / 1_000, 6);
        if (reported === undefined) continue;
        time.report(reported, { isFinal: false, nowMs, soundSeconds: 0 });
        expect(time.secondsAt(nowMs)).toBe(Math.min(reported, nowMs / 1_000 + 15));
        expect(time.isCapped).toBe(reported > nowMs / 1_000 + 15);
      }
      const last = time.secondsAt(nowMs);
      time.stop(nowMs);
      expect(time.secondsAt(nowMs + 1_000_000)).toBe(last);
    }),
  );
});

// oxlint-disable-next-line import/no-unassigned-import
import "@mantine/charts/styles.css";
import { BarChart } from "@mantine/charts";
import type { Total } from "../api/types.ts";
import { say } from "../texts/say.ts";

/** Colors that are distinct on light and dark, in the order of the dearest models. */
const colors = ["cyan.7", "orange.7", "grape.6", "lime.8", "pink.6", "indigo.6"];
const otherModels = say("other");

/** Spend over time, stacked by the dearest models. It comes after the page: its library is as large as all the rest. */
export function SpendChart({ rows, by }: { readonly rows: readonly Total[]; readonly by: "hour" | "day" }) {
  const dearest = [...Map.groupBy(rows, (row) => row.by["model"] ?? "")]
    .map(([model, its]) => ({ model, cost: its.reduce((sum, { sums }) => sum + Number(sums["costNanos"]), 0) }))
    .toSorted((one, other) => other.cost - one.cost)
    .slice(0, colors.length - 1)
    .map(({ model }) => model);
  const nameOf = (model: string | undefined): string => dearest.find((known) => known === model) ?? otherModels;
  const data = [...Map.groupBy(rows, (row) => row.by[by] ?? "")].map(([time, its]) => {
    const point: Record<string, number | string> = { time: by === "hour" ? time.slice(11, 16) : time };
    for (const row of its) {
      const name = nameOf(row.by["model"]);
      point[name] = Number(point[name] ?? 0) + Number(row.sums["costNanos"]) / 1e9;
    }
    return point;
  });
  const names = rows.some((row) => nameOf(row.by["model"]) === otherModels) ? [...dearest, otherModels] : dearest;
  const series = names.map((name, at) => ({ name, color: colors[at] ?? "gray.6" }));
  return (
    <BarChart
      h={260}
      data={data}
      dataKey="time"
      type="stacked"
      series={series}
      barProps={{ maxBarSize: 48 }}
      withLegend
    />
  );
}

// oxlint-disable-next-line import/no-unassigned-import
import "@mantine/charts/styles.css";
import { BarChart } from "@mantine/charts";
import type { Total } from "../api/types.ts";
import { shortUsd } from "../format/money.ts";
import { say } from "../texts/say.ts";

/** Colors that are distinct on light and dark, in the order of the dearest models. */
const colors = ["cyan.7", "orange.7", "grape.6", "lime.8", "pink.6", "indigo.6"];
const otherModels = say("other");

/** The member of a point that has a series: a model's own name may have dots, which the library takes for a path. */
const memberOf = (at: number): string => `series${at}`;

/** Spend over time, stacked by the dearest models. It comes after the page: its library is as large as all the rest. */
export function SpendChart({ rows, by }: { readonly rows: readonly Total[]; readonly by: "hour" | "day" }) {
  const dearest = [...Map.groupBy(rows, (row) => row.by["model"] ?? "")]
    .map(([model, its]) => ({ model, cost: its.reduce((sum, { sums }) => sum + Number(sums["costNanos"]), 0) }))
    .toSorted((one, other) => other.cost - one.cost)
    .slice(0, colors.length - 1)
    .map(({ model }) => model);
  const names = rows.some(({ by: { model = "" } }) => !dearest.includes(model)) ? [...dearest, otherModels] : dearest;
  const seriesOf = (model: string): string =>
    memberOf(dearest.includes(model) ? dearest.indexOf(model) : dearest.length);
  const data = [...Map.groupBy(rows, (row) => row.by[by] ?? "")].map(([time, its]) => {
    const point: Record<string, number | string> = { time: by === "hour" ? time.slice(11, 16) : time.slice(5) };
    for (const row of its) {
      const name = seriesOf(row.by["model"] ?? "");
      point[name] = Number(point[name] ?? 0) + Number(row.sums["costNanos"]) / 1e9;
    }
    return point;
  });
  const series = names.map((label, at) => ({ name: memberOf(at), label, color: colors[at] ?? "gray.6" }));
  return (
    <BarChart
      h={260}
      data={data}
      dataKey="time"
      type="stacked"
      series={series}
      barProps={{ maxBarSize: 48 }}
      withLegend
      valueFormatter={(dollars) => shortUsd(String(Math.round(dollars * 1e9)))}
    />
  );
}

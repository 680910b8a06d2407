import type { Total } from "../api/types.ts";
import { shortUsd } from "../format/money.ts";
import { localHour, partsOfSpan, type Span } from "../format/times.ts";
import { translate } from "../texts/translate.ts";
import { StackedBars } from "./stacked-bars.tsx";

/** Colors that are distinct on light and dark backgrounds. */
const colors = ["cyan-7", "orange-7", "grape-6", "lime-8", "pink-6", "indigo-6"];

/** Chart of spend in a time range, stacked by the costliest models. */
export function SpendChart({ rows, span }: { readonly rows: readonly Total[]; readonly span: Span }) {
  const costliestModels = [...Map.groupBy(rows, (row) => row.by["model"] ?? "")]
    .map(([model, its]) => ({ model, cost: costOf(its) }))
    .toSorted((one, other) => other.cost - one.cost)
    .slice(0, colors.length - 1)
    .map(({ model }) => model);
  const isOther = ({ by: { model = "" } }: Total): boolean => !costliestModels.includes(model);
  const series = [...costliestModels, ...(rows.some(isOther) ? [translate("other")] : [])];
  const { by, times } = partsOfSpan(span);
  const rowsAt = Map.groupBy(rows, (row) => row.by[by] ?? "");
  const bars = times.map((time) => {
    const timeRows = rowsAt.get(time) ?? [];
    const ofModels = costliestModels.map((name) => costOf(timeRows.filter(({ by: { model } }) => model === name)));
    return {
      label: by === "hour" ? localHour(time) : time.slice(5),
      values: [...ofModels, ...(series.length > costliestModels.length ? [costOf(timeRows.filter(isOther))] : [])],
    };
  });
  return (
    <StackedBars
      label={translate("Spend by model")}
      bars={bars}
      series={series.map((name, at) => ({ name, color: `var(--mantine-color-${colors[at] ?? "gray-6"})` }))}
      format={(nanos) => shortUsd(String(Math.round(nanos)))}
    />
  );
}

/** Returns the total cost in nano-dollars, exact enough for a chart. */
function costOf(rows: readonly Total[]): number {
  return rows.reduce((sum, { sums }) => sum + Number(sums["costNanos"]), 0);
}

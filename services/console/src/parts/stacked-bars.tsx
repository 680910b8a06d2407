import { Box, ColorSwatch, Group, Paper, Stack, Text } from "@mantine/core";
import { useElementSize } from "@mantine/hooks";
import { useState, type KeyboardEvent } from "react";
import { barAt, yOf, labelledBars, roundSteps, layoutOf, type Layout } from "./bar-layout.ts";
import { translate } from "../texts/translate.ts";

/** Bar of the chart, with its values in the order of the series. */
export interface Bar {
  readonly label: string;
  readonly values: readonly number[];
}

/** Series of the chart with a CSS color. */
export interface Series {
  readonly name: string;
  readonly color: string;
}

interface ChartProps {
  readonly bars: readonly Bar[];
  readonly series: readonly Series[];
  readonly format: (value: number) => string;
}

/** Chart of stacked bars. The pointer or the arrow keys select a bar. */
export function StackedBars({ label, ...shown }: ChartProps & { readonly label: string }) {
  const { ref, width } = useElementSize();
  const [chosen, setChosen] = useState<number>();
  const { bars } = shown;
  const selectedBar = chosen === undefined ? undefined : Math.min(chosen, bars.length - 1);
  const layout = layoutOf({ width, bars: bars.length, max: Math.max(...bars.map(sumOf), 0) });
  const move = (event: KeyboardEvent): void => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (event.key === "Escape") setChosen(undefined);
    if (step === undefined) return;
    event.preventDefault();
    setChosen(Math.min(bars.length - 1, Math.max(0, (selectedBar ?? (step > 0 ? -1 : bars.length)) + step)));
  };
  return (
    <Stack gap="xs">
      <Legend series={shown.series} />
      <Box
        ref={ref}
        pos="relative"
        role="slider"
        aria-label={label}
        aria-orientation="horizontal"
        aria-valuemin={1}
        aria-valuemax={bars.length}
        aria-valuenow={(selectedBar ?? bars.length - 1) + 1}
        aria-valuetext={barText(shown, selectedBar ?? bars.length - 1)}
        tabIndex={0}
        onKeyDown={move}
        onBlur={() => setChosen(undefined)}
        onPointerMove={({ nativeEvent: { offsetX } }) => setChosen(barAt(layout, offsetX))}
        onPointerLeave={() => setChosen(undefined)}
      >
        {/* The parent handles pointer events, so that offsets are relative to the chart. */}
        <svg width={layout.width} height={layout.height} display="block" pointerEvents="none" aria-hidden>
          <Axis layout={layout} shown={shown} />
          {bars.map((bar, index) => (
            <g key={bar.label} opacity={selectedBar === undefined || selectedBar === index ? 1 : 0.5}>
              <Parts bar={bar} series={shown.series} layout={layout} index={index} />
            </g>
          ))}
        </svg>
        {selectedBar !== undefined && <Hint shown={shown} at={selectedBar} layout={layout} />}
      </Box>
    </Stack>
  );
}

function Legend({ series }: Pick<ChartProps, "series">) {
  return (
    <Group gap="4px 16px" justify="flex-end">
      {series.map(({ name, color }) => (
        <Group key={name} gap={6} wrap="nowrap">
          <ColorSwatch color={color} size={12} withShadow={false} />
          <Text size="sm">{name}</Text>
        </Group>
      ))}
    </Group>
  );
}

function Axis({ layout, shown: { bars, format } }: { readonly layout: Layout; readonly shown: ChartProps }) {
  const text = { fontSize: 12, fill: "var(--mantine-color-dimmed)" };
  return (
    <>
      {roundSteps(layout.max).map((value) => (
        <g key={value}>
          <line
            x1={layout.left}
            x2={layout.width}
            y1={yOf(layout, value)}
            y2={yOf(layout, value)}
            stroke="var(--mantine-color-default-border)"
            strokeDasharray="5 5"
          />
          <text {...text} x={layout.left - 8} y={yOf(layout, value) + 4} textAnchor="end">
            {format(value)}
          </text>
        </g>
      ))}
      {labelledBars(layout, bars.length).map((at) => (
        <text key={at} {...text} x={layout.left + (at + 0.5) * layout.step} y={layout.height - 4} textAnchor="middle">
          {bars[at]?.label}
        </text>
      ))}
    </>
  );
}

interface BarPartsProps extends Pick<ChartProps, "series"> {
  readonly bar: Bar;
  readonly layout: Layout;
  readonly index: number;
}

function Parts({ bar, series, layout, index }: BarPartsProps) {
  const x = layout.left + index * layout.step + (layout.step - layout.barWidth) / 2;
  return series.map(({ name, color }, at) => {
    const below = sumOf({ values: bar.values.slice(0, at) });
    const [from, to] = [yOf(layout, below), yOf(layout, below + (bar.values[at] ?? 0))];
    return <rect key={name} x={x} y={to} width={layout.barWidth} height={Math.max(0, from - to)} fill={color} />;
  });
}

function Hint({ shown, at, layout }: { readonly shown: ChartProps; readonly at: number; readonly layout: Layout }) {
  const { bars, series, format } = shown;
  const bar = bars[at];
  if (bar === undefined) return null;
  const x = layout.left + (at + 0.5) * layout.step;
  const side =
    x > layout.width / 2 ? { right: layout.width - x + layout.barWidth / 2 } : { left: x + layout.barWidth / 2 };
  return (
    <Paper
      pos="absolute"
      top={8}
      mx={8}
      p="xs"
      withBorder
      shadow="sm"
      style={{ ...side, pointerEvents: "none", zIndex: 1 }}
    >
      <Group justify="space-between" gap="lg" wrap="nowrap">
        <Text size="sm" fw={600}>
          {bar.label}
        </Text>
        <Text size="sm" fw={600}>
          {format(sumOf(bar))}
        </Text>
      </Group>
      {series.map(({ name, color }, index) =>
        bar.values[index] === 0 ? null : (
          <Group key={name} justify="space-between" gap="lg" wrap="nowrap">
            <Group gap={6} wrap="nowrap">
              <ColorSwatch color={color} size={10} withShadow={false} />
              <Text size="xs">{name}</Text>
            </Group>
            <Text size="xs">{format(bar.values[index] ?? 0)}</Text>
          </Group>
        ),
      )}
    </Paper>
  );
}

/** Returns a bar as text for screen readers. */
function barText({ bars, series, format }: ChartProps, at: number): string {
  const bar = bars[at];
  if (bar === undefined) return translate("none");
  const parts = series.flatMap(({ name }, index) =>
    bar.values[index] === 0 ? [] : [`${name} ${format(bar.values[index] ?? 0)}`],
  );
  return [`${bar.label}: ${format(sumOf(bar))}`, ...parts].join(", ");
}

function sumOf({ values }: Pick<Bar, "values">): number {
  return values.reduce((sum, value) => sum + value, 0);
}

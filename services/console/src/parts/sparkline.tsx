/** Sparkline with a text for screen readers. */
export function Sparkline({
  values,
  label,
  color = "var(--mantine-color-blue-filled)",
}: {
  readonly values: readonly number[];
  readonly label: string;
  readonly color?: string;
}) {
  const [width, height] = [120, 28];
  const max = Math.max(...values, 1);
  const step = width / Math.max(1, values.length - 1);
  const points = values.map(
    (value, at) => `${(at * step).toFixed(1)},${(height - 2 - (value / max) * (height - 4)).toFixed(1)}`,
  );
  return (
    <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} role="img" aria-label={label}>
      <title>{label}</title>
      <polyline points={points.join(" ")} fill="none" stroke={color} strokeWidth={1.5} />
      {values.length === 1 && <circle cx={2} cy={points[0]?.split(",")[1]} r={2} fill={color} />}
    </svg>
  );
}

import { Group, NativeSelect, SegmentedControl, TextInput } from "@mantine/core";
import { isNamed, isSpan, periodOf, spans, type Span } from "../format/times.ts";
import { translate } from "../texts/translate.ts";

const otherDays = "other";

/** Input for a time range: a named one, or two days. */
export function TimeRangeInput({ span, onChoose }: { readonly span: Span; readonly onChoose: (span: Span) => void }) {
  const { from, to } = periodOf(span);
  const choose = (chosen: string): void => {
    if (isSpan(chosen)) onChoose(chosen);
    else if (chosen === otherDays) onChoose(`${from}..${to}`);
  };
  const named = Object.entries(spans).map(([value, label]) => ({ value, label: translate(label) }));
  const inputProps = {
    "aria-label": translate("Time range"),
    data: [...named, { value: otherDays, label: translate("Custom range") }],
    value: isNamed(span) ? span : otherDays,
  };
  return (
    <Group gap="xs">
      <SegmentedControl {...inputProps} transitionDuration={0} visibleFrom="sm" onChange={choose} />
      <NativeSelect {...inputProps} hiddenFrom="sm" onChange={({ currentTarget }) => choose(currentTarget.value)} />
      {!isNamed(span) && (
        <Group gap="xs" wrap="nowrap">
          <TextInput
            type="date"
            aria-label={translate("First day")}
            value={from}
            onChange={({ currentTarget: { value } }) => choose(`${value}..${value > to ? value : to}`)}
          />
          <TextInput
            type="date"
            aria-label={translate("Last day")}
            value={to}
            onChange={({ currentTarget: { value } }) => choose(`${value < from ? value : from}..${value}`)}
          />
        </Group>
      )}
    </Group>
  );
}

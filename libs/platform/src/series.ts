import { Counter, Histogram, type LabelValues } from "prom-client";

interface SeriesOptions<Label extends string> {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly Label[];
}

type Labels<Label extends string> = Readonly<Record<Label, string | number>>;

/**
 * Series of a metric by their label values. They are looked up once, because prom-client would render the labels as
 * text for every value.
 */
class SeriesByLabels<Label extends string, Series> {
  readonly all: { readonly labels: LabelValues<Label>; readonly series: Series }[] = [];
  readonly #names: readonly Label[];
  readonly #make: () => Series;
  readonly #root: SeriesNode<Series> = { children: new Map(), series: undefined };

  constructor(names: readonly Label[], make: () => Series) {
    this.#names = names;
    this.#make = make;
  }

  get(labels: Labels<Label>): Series {
    let node = this.#root;
    for (const name of this.#names) {
      const value = labels[name];
      let next = node.children.get(value);
      if (next === undefined) {
        next = { children: new Map(), series: undefined };
        node.children.set(value, next);
      }
      node = next;
    }
    if (node.series !== undefined) return node.series;
    const series = this.#make();
    node.series = series;
    this.all.push({ labels: { ...labels }, series });
    return series;
  }
}

interface SeriesNode<Series> {
  readonly children: Map<string | number, SeriesNode<Series>>;
  series: Series | undefined;
}

/** A counter for events that occur with every call. */
export class SeriesCounter<Label extends string> {
  readonly #series: SeriesByLabels<Label, { count: number }>;

  constructor({ name, help, labelNames }: SeriesOptions<Label>) {
    const series = new SeriesByLabels<Label, { count: number }>(labelNames, () => ({ count: 0 }));
    this.#series = series;
    const counter: Counter<Label> = new Counter({
      name,
      help,
      labelNames,
      collect() {
        counter.reset();
        for (const { labels, series: counts } of series.all) counter.inc(labels, counts.count);
      },
    });
  }

  inc(labels: Labels<Label>, by = 1): void {
    this.#series.get(labels).count += by;
  }
}

/** A series of a histogram. */
export interface ValueSeries {
  observe(value: number): void;
}

/** Values of one series, by bucket. The last bucket has no upper bound. */
class BucketSeries implements ValueSeries {
  readonly counts: number[];
  sum = 0;
  readonly #bounds: readonly number[];

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.counts = [...bounds.map(() => 0), 0];
  }

  observe(value: number): void {
    this.sum += value;
    let index = 0;
    while (index < this.#bounds.length && value > (this.#bounds[index] ?? Infinity)) index++;
    this.counts[index] = (this.counts[index] ?? 0) + 1;
  }
}

/**
 * A histogram for events that occur with every call or chunk. prom-client's Histogram only declares it; its values are
 * here.
 */
export class SeriesHistogram<Label extends string> extends Histogram<Label> {
  readonly #series: SeriesByLabels<Label, BucketSeries>;
  readonly #bounds: readonly number[];
  readonly #declared: { readonly name: string; readonly help: string };

  constructor({ name, help, labelNames, buckets }: SeriesOptions<Label> & { readonly buckets: readonly number[] }) {
    super({ name, help, labelNames, buckets: [...buckets] });
    this.#bounds = buckets;
    this.#declared = { name, help };
    this.#series = new SeriesByLabels(labelNames, () => new BucketSeries(buckets));
  }

  /** Returns the series of these label values. Callers that observe many values should keep it. */
  series(labels: Labels<Label>): ValueSeries {
    return this.#series.get(labels);
  }

  /** Called by prom-client to render the metric. */
  getForPromString() {
    const { name, help } = this.#declared;
    const values = this.#series.all.flatMap(({ labels, series: { counts, sum } }) => {
      let cumulative = 0;
      const buckets = counts.map((count, index) => {
        cumulative += count;
        const bound = { le: this.#bounds[index] ?? "+Inf", ...labels };
        return { metricName: `${name}_bucket`, labels: bound, value: cumulative };
      });
      return [
        ...buckets,
        { metricName: `${name}_sum`, labels, value: sum },
        { metricName: `${name}_count`, labels, value: cumulative },
      ];
    });
    return Promise.resolve({ name, help, type: "histogram", values, aggregator: "sum" });
  }
}

/** The verdict of a soak: whether a measure grows. */

export type Sample = { atSec: number; value: number };

export type Growth = {
  /** Means of the first, the middle and the last tenth of the samples. */
  start: number;
  middle: number;
  end: number;
  /** Slope of the fit over the second half. */
  perHour: number;
  isGrowing: boolean;
};

/** Share of the level by which a measure may grow per hour. */
export const MAX_SHARE_PER_HOUR = 0.1;
/** The second half is fitted by the lowest value of each of so many parts: garbage, which a process frees now and then, is above it. */
const PARTS = 10;
/** Of Student's distribution: 95 % on one side, PARTS - 2 degrees of freedom. */
const T_95 = 1.86;

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** Splits the samples, which are in the order of their times, into parts of the same size. */
const partsOf = (samples: readonly Sample[], count: number): Sample[][] =>
  Array.from({ length: count }, (_, part) =>
    samples.slice(
      Math.floor((part * samples.length) / count),
      Math.floor(((part + 1) * samples.length) / count),
    ),
  );

/** Returns the least-squares slope per second and its standard error. */
function fit(points: readonly Sample[]): { slope: number; error: number } {
  const [atSec, level] = [mean(points.map((point) => point.atSec)), mean(points.map(({ value }) => value))];
  const spread = points.reduce((sum, point) => sum + (point.atSec - atSec) ** 2, 0);
  const slope =
    points.reduce((sum, point) => sum + (point.atSec - atSec) * (point.value - level), 0) / spread;
  const residual = points.reduce(
    (sum, point) => sum + (point.value - level - slope * (point.atSec - atSec)) ** 2,
    0,
  );
  return { slope, error: Math.sqrt(residual / (points.length - 2) / spread) };
}

/**
 * Judges a measure by a fit over the second half of its samples, at least 20. It grows when the slope, less its error at a confidence of 95 %, exceeds a
 * tenth of the level per hour, and adds more than `noise` over the second half.
 * @param noise - In the unit of the measure.
 */
export function judgeGrowth(samples: readonly Sample[], noise: number): Growth {
  const tenths = partsOf(samples, PARTS);
  const meanOf = (index: number) => mean((tenths.at(index) as Sample[]).map(({ value }) => value));
  const settled = samples.slice(Math.floor(samples.length / 2));
  const points = partsOf(settled, PARTS).map((part) => ({
    atSec: mean(part.map(({ atSec }) => atSec)),
    value: Math.min(...part.map(({ value }) => value)),
  }));
  const { slope, error } = fit(points);
  const certain = slope - T_95 * error;
  const spanSec = (settled.at(-1) as Sample).atSec - (settled[0] as Sample).atSec;
  const level = mean(points.map(({ value }) => value));
  return {
    start: meanOf(0),
    middle: meanOf(PARTS / 2),
    end: meanOf(-1),
    perHour: slope * 3_600,
    isGrowing: certain * 3_600 > MAX_SHARE_PER_HOUR * level && certain * spanSec > noise,
  };
}

/** @typedef {import('./figure.mjs').Figure} Figure */

/**
 * Ratios that hold on any machine, however busy, with wide margins: each compares two figures of the same run.
 *
 * @type {readonly { says: string, over: [topic: string, what: RegExp], under: [topic: string, what: RegExp], least: number }[]}
 */
const RATIOS = [
  {
    says: 'a batch of 100 is accepted faster than single events',
    over: ['accept', /^batches/],
    under: ['accept', /^single, 32 /],
    least: 1.5,
  },
  {
    says: 'many connections are not slower than one',
    over: ['accept', /^single, 32 /],
    under: ['accept', /^single, 1 /],
    least: 0.5,
  },
  {
    says: 'accepting is not far below a bare Koa',
    over: ['accept', /^single, 32 /],
    under: ['floors', /Koa/],
    least: 0.003,
  },
  {
    says: 'deliveries are not far below bare workflows',
    over: ['deliver', /^end to end$/],
    under: ['floors', /^workflows/],
    least: 0.1,
  },
]

/**
 * @param {readonly Figure[]} figures
 * @returns {string[]} what went wrong: losses and duplicates, and for a quick run its ratios; none when all is well
 */
export function findFaults(figures, { isQuick = false } = {}) {
  const faults = figures
    .filter(({ lost = 0, duplicates = 0 }) => lost + duplicates > 0)
    .map(
      ({ topic, what, lost, duplicates }) => `${topic}, ${what}: ${lost ?? 0} lost, ${duplicates ?? 0} twice`,
    )
  if (!isQuick) return faults
  const rate = ([topic, what]) =>
    figures.find((figure) => figure.topic === topic && what.test(figure.what))?.perSecond
  for (const { says, over, under, least } of RATIOS) {
    const ratio = (rate(over) ?? NaN) / (rate(under) ?? NaN)
    if (ratio < least)
      faults.push(`${says}: the ratio is ${ratio.toFixed(3)}, at least ${least} was expected`)
  }
  return faults
}

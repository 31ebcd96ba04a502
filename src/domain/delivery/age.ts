/** The age classes of deliveries, each below its limit. */
const CLASSES = [
  { name: 'under_1m', belowMs: 60_000 },
  { name: 'under_1h', belowMs: 3_600_000 },
  { name: 'under_1d', belowMs: 86_400_000 },
] as const

/** What ageClass can give, the youngest first. `unknown`: the time of creation was not read. */
export const AGE_CLASSES = [...CLASSES.map(({ name }) => name), 'older', 'unknown'] as const

export type AgeClass = (typeof AGE_CLASSES)[number]

/** The age class of a delivery by the time of its creation. */
export function ageClass(createdAt: Date | undefined, now: Date): AgeClass {
  if (createdAt === undefined) return 'unknown'
  const ageMs = now.getTime() - createdAt.getTime()
  return CLASSES.find(({ belowMs }) => ageMs < belowMs)?.name ?? 'older'
}

/** Classes of the age of a delivery, each up to its milliseconds. */
const CLASSES = [
  { name: 'under_1m', belowMs: 60_000 },
  { name: 'under_1h', belowMs: 3_600_000 },
  { name: 'under_1d', belowMs: 86_400_000 },
] as const

/** The classes of ageClass, the youngest first. `unknown`: nobody looked, or the time is not known. */
export const AGE_CLASSES = [...CLASSES.map(({ name }) => name), 'older', 'unknown'] as const

export type AgeClass = (typeof AGE_CLASSES)[number]

/** How old a delivery is that was made at that time. */
export function ageClass(createdAt: Date | undefined, now: Date): AgeClass {
  if (createdAt === undefined) return 'unknown'
  const ageMs = now.getTime() - createdAt.getTime()
  return CLASSES.find(({ belowMs }) => ageMs < belowMs)?.name ?? 'older'
}

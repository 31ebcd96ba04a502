type Counted = { readonly attempts: number; readonly failures: number }

/** By the share of failed attempts, the larger number of them first; those without attempts are last. */
export const worstFirst = <Each extends Counted>(counted: readonly Each[]): readonly Each[] =>
  counted.toSorted((a, b) => shareOf(b) - shareOf(a) || b.failures - a.failures || b.attempts - a.attempts)

const shareOf = ({ attempts, failures }: Counted): number => (attempts === 0 ? -1 : failures / attempts)

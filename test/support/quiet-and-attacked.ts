import { median } from '../../bench/support/figures.ts'

/**
 * Measures a call without an attack and beside it, alternately, so that other load of the machine affects both.
 *
 * @param attack begins the attack; it ends by itself
 * @returns the median time of a call in milliseconds, over the medians of the rounds
 */
export async function quietAndAttacked(
  call: () => Promise<unknown>,
  attack: () => Promise<unknown>,
  { rounds = 3, calls = 40 } = {},
): Promise<{ readonly quiet: number; readonly attacked: number }> {
  const round = async (): Promise<number> => {
    const timesMs: number[] = []
    for (let n = 0; n < calls; n++) {
      const startedMs = performance.now()
      await call()
      timesMs.push(performance.now() - startedMs)
    }
    return median(timesMs)
  }
  await round()
  const quiet: number[] = []
  const attacked: number[] = []
  for (let n = 0; n < rounds; n++) {
    quiet.push(await round())
    const underWay = attack()
    attacked.push(await round())
    await underWay
  }
  return { quiet: median(quiet), attacked: median(attacked) }
}

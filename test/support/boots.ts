let boots = 0

/** Counts a process that a test boots. */
export const countBoot = (): void => void boots++

/** How many processes the tests of this process have booted. */
export const bootsSoFar = (): number => boots

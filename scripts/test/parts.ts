import { build } from '../build.mjs'
import { findBrowser } from '../lib/browser.mjs'
import { createContext } from '../lib/find.mjs'
import type { createProgress } from '../lib/progress.mjs'
import type { createTestServers, Environment } from './servers.ts'
import type { Part } from './suites.ts'

type Progress = Pick<ReturnType<typeof createProgress>, 'step'>

/** @returns brings a part, each once, and gives what tests read to find it; a part that cannot be had fails what needs it */
export function createParts(servers: ReturnType<typeof createTestServers>, { step }: Progress) {
  const ways: Record<Part, (onUpdate: (detail: string) => void) => Promise<Environment>> = {
    build: () => build().then(() => ({})),
    database: (onUpdate) => servers.database('A', onUpdate),
    MySQL: (onUpdate) => servers.database('B', onUpdate),
    Temporal: (onUpdate) => servers.temporal(onUpdate),
    browser: async (onUpdate) => ({ TEST_BROWSER: await findBrowser(createContext({ onUpdate })) }),
  }
  const brought = new Map<Part, Promise<Environment>>()
  return (part: Part): Promise<Environment> => {
    const environment = brought.get(part) ?? step(part, {}, ways[part])
    brought.set(part, environment)
    return environment
  }
}

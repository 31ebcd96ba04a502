import { appendFileSync } from 'node:fs'

/** What a test boots as a process of its own. */
type BootKind = 'api' | 'worker' | 'command line' | 'database' | 'vite' | 'browser'

/** Tells the runner, which counts: it names the file. */
export function countBoot(kind: BootKind): void {
  const file = process.env['TEST_BOOTS_FILE']
  if (file) appendFileSync(file, `${kind}\n`)
}

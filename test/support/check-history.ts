import { workflowOf } from './crashes.ts'
import { readHistory, replay, saveHistory } from './histories.ts'
import type { Stack } from './stack.ts'

/**
 * Waits for the end of a workflow and replays it. With SAVE_HISTORIES=v0.2.0 the history is also written to
 * test/histories under that release, where test/system/workflows/replay.test.ts replays it for ever.
 */
export async function checkHistory(stack: Stack, kind: string, workflowId: string): Promise<void> {
  await workflowOf(stack, workflowId, ({ status }) => status.name !== 'RUNNING')
  const history: unknown = await readHistory(stack.temporal, workflowId)
  await replay(history, workflowId)
  const release = process.env['SAVE_HISTORIES']
  if (release) await saveHistory(`${release}_${kind}`, history)
}

import type { Stack } from './stack.ts'

/** What the UI shows as current details of a workflow. It asks by the same query, which a worker answers. */
export async function currentDetails({ temporal }: Stack, workflowId: string): Promise<string> {
  const handle = temporal.workflow.getHandle(workflowId)
  const metadata = await handle.query<{ currentDetails?: string }>('__temporal_workflow_metadata')
  return metadata.currentDetails ?? ''
}

// find.ts runs this as a separate process, because the SDK's native part installs signal handlers. Usage: node
// download.mjs <directory> <version>. The SDK downloads a server only to start it, so this starts one and ends it.
import { TestWorkflowEnvironment } from '@temporalio/testing'

const [downloadDir = '', version = ''] = process.argv.slice(2)
try {
  const server = { executable: { type: 'cached-download', downloadDir, version } }
  const environment = await TestWorkflowEnvironment.createLocal({ server })
  await environment.teardown()
} catch (error) {
  console.error(String(error instanceof Error ? error.message : error).replaceAll('\n', ' '))
  process.exit(1)
}

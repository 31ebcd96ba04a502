// Run by build.mjs: node bundle-workflows.mjs <entry> <output>. Workers then load one file instead of bundling at boot.
import { writeFile } from 'node:fs/promises'
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker'

const [workflowsPath = '', output = ''] = process.argv.slice(2)
const { code } = await bundleWorkflowCode({ workflowsPath, logger: new DefaultLogger('WARN') })
await writeFile(output, code)

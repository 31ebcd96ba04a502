// Run by build.mjs: node bundle-workflows.mjs <entry> <output>. Workers then load one file instead of bundling at boot.
import { writeFile } from 'node:fs/promises'
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker'

const [workflowsPath = '', output = ''] = process.argv.slice(2)
const { code } = await bundleWorkflowCode({
  workflowsPath,
  logger: new DefaultLogger('WARN'),
  // Stack traces still name files and lines. Every worker would hold the sources twice, and nobody reads them there.
  webpackConfigHook: (config) => ({ ...config, devtool: 'inline-nosources-source-map' }),
})
await writeFile(output, code)

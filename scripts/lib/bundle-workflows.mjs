// A step of the build: bundles the workflows, so that workers load one file instead of bundling at boot.
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker'
import { ROOT } from './paths.mjs'

const { code } = await bundleWorkflowCode({
  workflowsPath: path.join(ROOT, 'src/workflows/index.ts'),
  logger: new DefaultLogger('WARN'),
  // Stack traces still name files and lines. Every worker would hold the sources twice, and nobody reads them there.
  webpackConfigHook: (config) => ({ ...config, devtool: 'inline-nosources-source-map' }),
})
await writeFile(path.join(ROOT, 'dist/workflow-bundle.js'), code)

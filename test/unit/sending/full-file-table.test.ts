import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect } from 'chai'

const PROGRAM = fileURLToPath(new URL('../../support/full-file-table.ts', import.meta.url))
const run = promisify(execFile)

describe('a sender whose process may open no more files', () => {
  // decision: A fault of the worker's own machine
  it('takes every attempt for its own fault, and none for a failure of the endpoint', async () => {
    const urls = ['https://127.0.0.1:8443/', 'https://localhost:8443/', 'https://hook.example/']
    const { stdout } = await run('sh', [
      ...['-c', 'ulimit -n 100; exec "$0" "$@"'],
      ...[process.execPath, PROGRAM, ...urls],
    ])
    expect(JSON.parse(stdout)).to.deep.equal([
      { thrown: 'resources' },
      { thrown: 'resources' },
      // The name servers cannot be asked without a socket either.
      { thrown: 'resolver' },
    ])
  })
})

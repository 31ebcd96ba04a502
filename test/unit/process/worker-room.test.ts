import { expect } from 'chai'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { RESERVED_FILES } from '../../../src/process/file-limit.ts'
import { fitWorkerRoom } from '../../../src/process/worker-room.ts'

const run = promisify(execFile)

describe('the room of a worker', () => {
  it('is the full one with 1,000 files and more, or where the system does not say', () => {
    for (const limit of [1_000, 1_024, 1_048_576, Infinity]) {
      expect(fitWorkerRoom(limit)).to.deep.equal({
        room: { attempts: 320, tests: 40, idleConnections: 512 },
        warnings: [],
      })
    }
  })

  // decision: No process fills its own file table
  it('never takes more files than there are, and has a place for each kind of work', () => {
    for (let limit = RESERVED_FILES + 16; limit < 1_000; limit++) {
      const { room, warnings } = fitWorkerRoom(limit)
      const { attempts, tests, idleConnections } = room
      expect(RESERVED_FILES + attempts + tests + idleConnections).to.be.at.most(limit)
      expect(Math.min(attempts, tests, idleConnections), String(limit)).to.be.at.least(1)
      expect(warnings).to.have.length(1)
    }
  })

  it('is refused with what to do when the limit leaves nothing', () => {
    expect(() => fitWorkerRoom(RESERVED_FILES + 15)).to.throw('needs at least 144: raise it (ulimit -n')
  })

  it('goes by the limit that the process has', async () => {
    const program = `import('./src/process/file-limit.ts').then(({ readFileLimit }) => console.log(readFileLimit()))`
    const command = [process.execPath, '--input-type=module', '-e', program]
    const { stdout } = await run('sh', ['-c', 'ulimit -n 321; exec "$0" "$@"', ...command])
    expect(stdout.trim()).to.equal('321')
  })
})

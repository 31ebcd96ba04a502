import { readStatus, readWorkers } from '../../operations/operator/status.ts'
import { presentStatus, presentWorker } from '../../presenters/status.ts'
import { presentWholeList } from '../../presenters/pagination.ts'
import { VERSION } from '../../deps/version.ts'
import { inGroup } from '../command.ts'

const COLUMNS = 'id, state, version, settings, is_leader, heartbeat_seconds_ago, started_at, address'

export const statusCommands = inGroup('Processes', [
  {
    name: 'status',
    summary: 'Show on one screen what runs, what waits and what is wrong. Answers while parts are away.',
    details:
      'The api is asked at PUBLIC_URL. Workers with the same value under "settings" run with the same settings.',
    options: {},
    columns: `trouble, ${COLUMNS}`,
    isQuick: true,
    run: async ({ deps, probes }) => presentStatus(await readStatus(deps, probes), VERSION),
  },
  {
    name: 'worker list',
    summary: 'List the workers, the longest running first. One that was killed stays for an hour, as silent.',
    options: {},
    columns: COLUMNS,
    run: async ({ deps }) => {
      const { workers, leaderId } = await readWorkers(deps)
      return presentWholeList(workers, (worker) => presentWorker(worker, leaderId))
    },
  },
])
